import type { AgentEvent } from '../../src/client/agent/events.ts'
import { wordingOf } from '../../src/client/agent/wording.ts'
import { HINTS } from '../../src/client/detect/watch/hint.ts'
import { NOTIFICATION_EVENTS, type NotificationEvent } from '../../src/client/settings/notify-settings.ts'
import { SERVICE_FAULTS, STOP_WORDS } from './draw.ts'

/** What no home of a simulation can show. */
type Never =
  /** The connection is always encrypted. */
  | 'keyInClear'
  /** The service confirms what was sent. */
  | 'confirmedDifferent'
  | 'unechoed'
  /** No daemon sets a hostname offline here. */
  | 'offlineRefused'
  /** No VPN lasts a day. */
  | 'lineHeldLong'
  /** No interface is bound. */
  | 'orderMoved'
  | 'leavesElsewhere'
  /** The kernel always reports. */
  | 'kernelWatchMissing'
  /** Writes fail, and reads do not. */
  | 'stateUnreadable'
  /** No source here is a web page, and a page in the place of the service alone proves no portal. */
  | 'captivePortal'
  /** Rule S6. */
  | 'movedToHttps'
  | 'stateOutdated'
  | 'watcherFailed'
  | 'ended'

type Sometimes = Exclude<AgentEvent['kind'], Never>

/** Every kind of event of the client; the compiler demands each. */
const EVENTS: { readonly [K in Sometimes]: true } = {
  looked: true,
  sending: true,
  settled: true,
  refused: true,
  notUnderstood: true,
  unreached: true,
  waiting: true,
  paced: true,
  retrying: true,
  stopped: true,
  published: true,
  notPublished: true,
  unverified: true,
  addressUnknown: true,
  addressKnown: true,
  familyGone: true,
  outlier: true,
  quarantined: true,
  flipping: true,
  behindAnother: true,
  elsewhere: true,
  routerAnswers: true,
  routerMute: true,
  notAnnounced: true,
  probeAnswers: true,
  pingAnswers: true,
  lineHeld: true,
  lineChanged: true,
  hinted: true,
  sleeping: true,
  stateSetAside: true,
  stateSavedElsewhere: true,
  stateSavedAgain: true,
  stateNotSaved: true,
}

/** The service confirms what was sent, and a webhook at the end of a daemon may find no line. */
const NEVER_TOLD: readonly NotificationEvent[] = ['different', 'ended', 'held']

/** States that must be reached in many worlds: else the rules about them prove nothing. */
export const SOMETIMES: readonly string[] = [
  ...(Object.keys(EVENTS) as Sometimes[]).map((kind) => markOf(wordingOf({ kind } as AgentEvent).msg)),
  ...Object.keys(HINTS).map((hint) => markOf('something may have changed', hint)),
  ...SERVICE_FAULTS.map((fault) => `service: ${fault}`),
  ...STOP_WORDS.map((word) => `service: ${word}`),
  ...NOTIFICATION_EVENTS.filter((event) => !NEVER_TOLD.includes(event)).map((event) => `webhook: ${event}`),
]

/** A line of the log, with its cause where that is a word of a table. */
export function markOf(msg: string, because?: unknown): string {
  return typeof because === 'string' && because in HINTS ? `${msg}: ${because}` : msg
}
