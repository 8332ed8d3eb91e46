import { NOTIFICATION_EVENTS, type NotificationEvent } from '../settings/notify-settings.ts'
import { type Addresses, byFamily, parseAddress } from '../../shared/base/address.ts'
import type { Notification } from './notification.ts'
import { formatInstant, instant } from '../../shared/base/time.ts'
import type { Trouble } from '../report/troubles.ts'

/** The last notification of one event, and what was held back since. */
export interface EventMemory {
  /** Milliseconds since 1970, when it was told. */
  readonly at: number
  /** Told at the end of the pause, with how often it happened. */
  readonly held?: Notification
}

/** What is known of an account since it was told about. */
export interface AccountMemory {
  readonly confirmed: Readonly<Record<string, Addresses>>
  /** The present problem, since when, and when it was told. */
  readonly problem?: { readonly event: NotificationEvent; readonly since: number; readonly told?: number }
  /** A problem was told, and its end was not. */
  readonly isDown?: boolean
  readonly events: Readonly<Partial<Record<NotificationEvent, EventMemory>>>
  /** Milliseconds since 1970, of the last ping. */
  readonly pinged?: number
}

/** The ways by which one notification is delivered. */
export const DELIVERY_TARGETS = ['hook', 'webhook', 'mail', 'ping'] as const
export type DeliveryTarget = (typeof DELIVERY_TARGETS)[number]

/** A notification that has not reached a target yet: the next process delivers it. */
export interface PendingDelivery {
  /** The same in each attempt. */
  readonly id: string
  readonly target: DeliveryTarget
  /** Which of several webhooks; without it, the first. */
  readonly to?: string
  readonly notification: Notification
  /** Milliseconds since 1970, of the event. */
  readonly at: number
  readonly attempts: number
  /** The log says that it was not delivered. */
  readonly isReported?: true
}

/** A target to which deliveries fail. */
export interface FailingTarget {
  readonly target: string
  /** Distinguishes receivers with the same target name. */
  readonly receiver: string
  readonly because: string
  /** Milliseconds since 1970. */
  readonly since: number
}

/** What was told, so that a restart tells nothing twice, and nothing is lost. */
export interface NotifyMemory {
  readonly accounts: Readonly<Record<string, AccountMemory>>
  /** How many were told on this day of UTC. */
  readonly day: string
  readonly count: number
  readonly pending: readonly PendingDelivery[]
  readonly failing: readonly FailingTarget[]
}

export const NEW_MEMORY: NotifyMemory = { accounts: {}, day: '', count: 0, pending: [], failing: [] }

export const formatNotifyMemory = (memory: NotifyMemory): string =>
  `${JSON.stringify({ version: 1, ...memory })}\n`

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const membersOf = (value: unknown): Members => (isMembers(value) ? value : {})

/** The inverse. A text that is damaged counts as none: then what happens next is told, and nothing worse is lost. */
export function parseNotifyMemory(text: string): NotifyMemory {
  try {
    const { version, accounts, day, count, pending, failing } = membersOf(JSON.parse(text))
    if (version !== 1) return NEW_MEMORY
    return {
      accounts: Object.fromEntries(
        Object.entries(membersOf(accounts)).map(([key, one]) => [key, accountFrom(membersOf(one))]),
      ),
      day: typeof day === 'string' ? day : '',
      count: numberFrom(count) ?? 0,
      pending: Array.isArray(pending) ? pending.flatMap((one) => pendingFrom(membersOf(one))) : [],
      failing: Array.isArray(failing) ? failing.flatMap((one) => failingFrom(membersOf(one))) : [],
    }
  } catch {
    return NEW_MEMORY
  }
}

const numberFrom = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
const eventFrom = (value: unknown): NotificationEvent | undefined =>
  NOTIFICATION_EVENTS.find((one) => one === value)

function pendingFrom({
  id,
  target,
  to,
  notification,
  at,
  attempts,
  isReported,
}: Members): readonly PendingDelivery[] {
  const known = DELIVERY_TARGETS.find((one) => one === target)
  const one = notificationFrom(notification)
  const moment = numberFrom(at)
  return known === undefined || one === undefined || moment === undefined || typeof id !== 'string'
    ? []
    : [
        {
          id,
          target: known,
          ...(typeof to === 'string' && { to }),
          notification: one,
          at: moment,
          attempts: numberFrom(attempts) ?? 0,
          ...(isReported === true && { isReported }),
        },
      ]
}

function failingFrom({ target, receiver, because, since }: Members): readonly FailingTarget[] {
  const moment = numberFrom(since)
  return typeof target === 'string' &&
    typeof receiver === 'string' &&
    typeof because === 'string' &&
    moment !== undefined
    ? [{ target, receiver, because, since: moment }]
    : []
}

function accountFrom({ confirmed, problem, isDown, events, pinged }: Members): AccountMemory {
  const { event, since, told } = membersOf(problem)
  const known = eventFrom(event)
  const start = numberFrom(since)
  const at = numberFrom(told)
  const ping = numberFrom(pinged)
  return {
    confirmed: Object.fromEntries(
      Object.entries(membersOf(confirmed)).map(([name, one]) => [name, addressesFrom(one)]),
    ),
    events: Object.fromEntries(
      Object.entries(membersOf(events)).flatMap(([name, one]) => {
        const row = eventFrom(name)
        const when = numberFrom(membersOf(one)['at'])
        const held = notificationFrom(membersOf(one)['held'])
        return row === undefined || when === undefined
          ? []
          : [[row, { at: when, ...(held !== undefined && { held }) }]]
      }),
    ),
    ...(known !== undefined &&
      start !== undefined && {
        problem: { event: known, since: start, ...(at !== undefined && { told: at }) },
      }),
    ...(isDown === true && { isDown }),
    ...(ping !== undefined && { pinged: ping }),
  }
}

const addressesFrom = (value: unknown): Addresses =>
  byFamily(
    Object.values(membersOf(value)).flatMap((one) =>
      typeof one === 'string' ? (parseAddress(one) ?? []) : [],
    ),
  )

const textFrom = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function notificationFrom(value: unknown): Notification | undefined {
  const { event, account, name, hostnames, addresses, before, because, said, remedy, since, times } =
    membersOf(value)
  const known = eventFrom(event)
  if (known === undefined || typeof account !== 'string') return undefined
  return {
    event: known,
    account,
    name: textFrom(name),
    hostnames: Array.isArray(hostnames) ? hostnames.filter((one) => typeof one === 'string') : [],
    addresses: addressesFrom(addresses),
    before: addressesFrom(before),
    because: textFrom(because),
    ...(typeof said === 'string' && { said }),
    remedy: textFrom(remedy),
    since: textFrom(since),
    times: numberFrom(times) ?? 1,
  }
}

/** Failed deliveries, as status, doctor and the page show them. */
export const deliveryTroubles = (failing: readonly FailingTarget[]): readonly Trouble[] =>
  failing.map(({ target, because, since }) => ({
    kind: 'delivery',
    text: `notifications to ${target} fail: ${because}`,
    remedy: 'correct the setting or its receiver, and reload Holdfast; holdfast notify --test sends a test',
    since: formatInstant(instant(since)),
  }))
