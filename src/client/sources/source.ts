import { type Duration, hours, milliseconds, minutes } from '../../base/time.ts'
import type { Family } from '../../net/address.ts'
import type { AddressProvider } from './provider.ts'

/**
 * From where a source looks. `chosen` is the user's own word and needs nobody beside it; `own` and `router` are near
 * and cheap; `outside` sees what the world sees, and may lie.
 */
export type Vantage = 'chosen' | 'own' | 'router' | 'outside'

/** A source whose answer is weighed beside others'. */
export interface AddressSource extends AddressProvider {
  /** Who runs it: two answers of one operator are one voice. */
  readonly operator: string
  readonly vantage: Vantage
  readonly families: readonly Family[]
  /** It is asked no more often, */
  readonly cooldown: Duration
  /** but so many times at once, for changes that follow on each other. Without it, once. */
  readonly burst?: number
  /** Asked before others of its vantage. */
  readonly isFirst?: true
}

/** What the user names, the user answers for; hints are rationed anyway. */
export const NO_COOLDOWN: Duration = milliseconds(0)

/** How long a source that lied or sent us away is left alone; the last step repeats. */
// biome-ignore format: a table
export const QUARANTINE: readonly Duration[] = [
  hours(1),
  hours(4),
  hours(24),
]

/** For sources that ask to be asked rarely. */
export const TEN_MINUTE_COOLDOWN: Duration = minutes(10)
