import { formatInstant, type Instant } from '../../shared/base/time.ts'
import type { AgentEvent } from '../agent/events.ts'
import { formatTime } from './report-text.ts'

/** What concerns the daemon as a whole and no account, until it is over. */
export interface Trouble {
  /**
   * `state`: a reboot may lose stops and waits. `delivery`: someone is not told what they asked for. `settings`: the next
   * start fails.
   */
  readonly kind: 'state' | 'delivery' | 'settings'
  /** One sentence, without a full stop. */
  readonly text: string
  readonly remedy: string
  /** RFC 3339. */
  readonly since: string
}

export const formatTrouble = ({ text, since }: Trouble): string => `${text} (since ${formatTime(since)})`

/** A line for each, with its remedy below. */
export const troubleLines = (troubles: readonly Trouble[]): readonly string[] =>
  troubles.flatMap((one) => [formatTrouble(one), `  what to do: ${one.remedy}`])

/** A reload that was refused. */
export const settingsTrouble = (mistakes: readonly string[], now: Instant): Trouble => ({
  kind: 'settings',
  text: `the settings were not reloaded, and the earlier ones stay in use: ${mistakes.join('; ')}`,
  remedy: 'correct the configuration, then run holdfast reload',
  since: formatInstant(now),
})

/** The trouble of the state after an event; `before` where the event is about something else. */
export function stateTrouble(
  before: Trouble | undefined,
  event: AgentEvent,
  now: Instant,
): Trouble | undefined {
  const since = before?.since ?? formatInstant(now)
  if (event.kind === 'stateSavedAgain') return undefined
  if (event.kind === 'stateSavedElsewhere')
    return {
      kind: 'state',
      text:
        `stops and waits are saved in ${event.instead}, where a reboot may delete them: ` +
        `${event.folder} is not writable (${event.because})`,
      remedy: `make ${event.folder} writable, or free space there`,
      since,
    }
  if (event.kind === 'stateNotSaved')
    return {
      kind: 'state',
      text: `stops and waits cannot be saved (${event.because}), and are lost when the daemon ends`,
      remedy: 'free space in the state folder or make it writable, or name another one with --state-dir',
      since,
    }
  return before
}
