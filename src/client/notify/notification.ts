import { type Duration, hours, milliseconds, minutes } from '../../shared/base/time.ts'
import type { HOOKS, NotificationEvent } from '../settings/notify-settings.ts'
import { type Addresses, listed } from '../../shared/base/address.ts'

/** One thing that happened to an account, for the people who want to know. Holds no secret. */
export interface Notification {
  readonly event: NotificationEvent
  /** The account key: `username@host`. */
  readonly account: string
  readonly name: string | null
  readonly hostnames: readonly string[]
  readonly addresses: Addresses
  readonly before: Addresses
  readonly because: string | null
  /** The same for a person, where the service said it. */
  readonly said?: string | null
  readonly remedy: string | null
  /** RFC 3339. */
  readonly since: string | null
  /** How often it happened since it was told last. */
  readonly times: number
  /** Nothing happened: the addresses are examples. */
  readonly isTest?: true
}

/** Of an account without a report. */
export const NO_DETAILS: Omit<Notification, 'event' | 'account'> = {
  name: null,
  hostnames: [],
  addresses: {},
  before: {},
  because: null,
  remedy: null,
  since: null,
  times: 1,
}

type Hook = (typeof HOOKS)[number]
export type PingKind = 'start' | 'success' | 'fail'

interface EventRow {
  readonly hook?: Hook
  /** What it is for those who do not ask for it. */
  readonly otherwise?: NotificationEvent
  /** A program acts, so it runs for each one; only messages are joined with others. */
  readonly isAtOnce?: true
  readonly ping?: PingKind
  /** A problem is told when it has lasted this long. */
  readonly delay?: Duration
  /** Told again each day while it lasts. */
  readonly isDaily?: true
  /** Neither joined with others nor left out when there are too many. */
  readonly isUrgent?: true
  /** Told at most once in each pause, and never later: it is over by then. */
  readonly isMomentary?: true
  /** Seen at many looks: told once a day, and not counted. */
  readonly isRare?: true
  readonly title: string
}

/** What each event means for those who are told. */
// biome-ignore format: a table
export const EVENT_ROWS: Readonly<Record<NotificationEvent, EventRow>> = {
  first:     { hook: 'onFirst',   ping: 'success', isAtOnce: true, otherwise: 'changed', title: 'the first address is confirmed' },
  changed:   { hook: 'onChange',  ping: 'success', isAtOnce: true,               title: 'address changed' },
  different: { hook: 'onChange',  isAtOnce: true,                                title: 'the service confirmed another address' },
  stopped:   { hook: 'onStop',    ping: 'fail', delay: milliseconds(0), isUrgent: true, title: 'stopped until you act' },
  waiting:   { hook: 'onProblem', ping: 'fail', delay: hours(1),    isDaily: true, title: 'waiting for the service' },
  unreached: { hook: 'onProblem', ping: 'fail', delay: hours(1),    isDaily: true, title: 'the service is not reached' },
  unknown:   { hook: 'onProblem', ping: 'fail', delay: minutes(15), isDaily: true, title: 'no public address is seen' },
  unsaved:   { hook: 'onProblem', ping: 'fail',                                  title: 'the state cannot be saved' },
  recovered: { hook: 'onRecover', ping: 'success', isUrgent: true,               title: 'updates work again' },
  started:   { ping: 'start', isMomentary: true,                                 title: 'started' },
  ended:     { isMomentary: true,                                                title: 'ended' },
  'behind-nat':  { isRare: true,                                                               title: 'the router has no public address' },
  held:          { hook: 'onProblem', isRare: true,                                            title: 'another line has been in use for a day' },
  flipping:      { isRare: true,                                                               title: 'the address changes back and forth' },
  outlier:       { isRare: true,                                                               title: 'a source reports another address' },
  quarantined:   { isRare: true,                                                               title: 'an address source is paused' },
  'state-lost':  { hook: 'onProblem',                                            title: 'the saved state is lost' },
}

/** A title and a text for people, without line breaks from the outside. */
export function notificationText(one: Notification): { readonly title: string; readonly text: string } {
  const { event, name, account, hostnames, addresses, before, because, said, remedy, times } = one
  const subject = hostnames.length === 0 ? (name ?? account) : shortList(hostnames)
  const now = listed(addresses).join(' and ')
  // A line that came back to its address.
  const earlier = listed(before).join(' and ') === now ? '' : listed(before).join(' and ')
  const isAboutAddress = ADDRESS_EVENTS.includes(event)
  const parts = [
    ...(isAboutAddress && now !== ''
      ? [`now ${now}${earlier === '' || event === 'recovered' ? '' : `, before ${earlier}`}`]
      : []),
    ...(because === null ? [] : [said ?? because]),
    ...(times > 1 ? [`${times} times since the last notification`] : []),
    ...(remedy === null ? [] : [`what to do: ${remedy}`]),
  ]
  const title = `${subject}: ${EVENT_ROWS[event].title}`
  return {
    title: oneLine(title),
    text: oneLine(parts.length === 0 ? title : `${title}; ${parts.join('; ')}`),
  }
}

const ADDRESS_EVENTS: readonly NotificationEvent[] = ['first', 'changed', 'different', 'recovered']

const MAX_NAMES = 3
const shortList = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`

const oneLine = (text: string): string => text.replaceAll(/[\0-\x1f\x7f\u2028\u2029]+/g, ' ').slice(0, 1000)
