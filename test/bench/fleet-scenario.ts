import { days, hours, instant, minutes } from '../../src/shared/base/time.ts'

/** `refuses`: it answers every request with HTTP 503. `unreached`: no connection comes about. */
export type Outage = 'refuses' | 'unreached'

export interface Scenario {
  readonly clients: number
  readonly outage: Outage
  readonly hasJitter: boolean
  /** Of the fleet, renumbered by a provider at one moment of the outage; zero for only the changes of every day. */
  readonly share: number
}

/** Virtual time begins at zero. */
// biome-ignore format: a table
export const AT = {
  start:       instant(0),
  /** The steady rate is measured from here on; by now the changes since the start are seen as they come. */
  steady:      instant(hours(1)),
  fails:       instant(hours(3)),
  renumbering: instant(hours(3) + minutes(40)),
  back:        instant(hours(4)),
  lastChange:  instant(hours(7)),
  /** By then the last change is noticed and the last wait has ended. */
  end:         instant(hours(8)),
} as const

/** On average, for one client. */
export const CHANGE_EVERY = days(1)
/** The client's default. */
export const LOOK_EVERY = minutes(5)
