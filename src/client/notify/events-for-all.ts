import { formatInstant } from '../../shared/base/time.ts'
import type { AgentEvent } from '../agent/events.ts'
import { type EventFormat, wordingOf } from '../agent/wording.ts'
import type { NotificationEvent } from '../settings/notify-settings.ts'

/** Events that cause a notification and neither delay nor stop updates. */
const EVENTS_FOR_ALL: Readonly<Partial<Record<AgentEvent['kind'], NotificationEvent>>> = {
  behindAnother: 'behind-nat',
  flipping: 'flipping',
  outlier: 'outlier',
  quarantined: 'quarantined',
  stateSavedElsewhere: 'unsaved',
  stateSetAside: 'state-lost',
  stateOutdated: 'state-lost',
}
const FORMAT: EventFormat = { account: (key) => key, time: formatInstant }
export const eventLine = (event: AgentEvent): string => wordingOf(event).line(event, FORMAT)

/** What an event without an account is for people. */
export function newsForAll(
  event: AgentEvent,
): { readonly about: NotificationEvent; readonly because: string } | undefined {
  if (event.kind === 'stateNotSaved') return { about: 'unsaved', because: event.because }
  const about = EVENTS_FOR_ALL[event.kind]
  return about === undefined ? undefined : { about, because: eventLine(event) }
}
