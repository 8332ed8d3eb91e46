import { between, earliest, hours, type Instant, minutes, parseInstant } from '../../shared/base/time.ts'
import type { NotificationEvent } from '../settings/notify-settings.ts'
import { type Addresses, FAMILIES, listed } from '../../shared/base/address.ts'
import type { Outcome } from '../report/cause.ts'
import type { AccountReport } from '../report/report.ts'
import type { AccountMemory, DeliveryTarget, EventMemory, NotifyMemory } from './memory.ts'
import { EVENT_ROWS, type Notification } from './notification.ts'

/** After one notification of a kind, further ones are joined for this long. */
const PAUSE = minutes(10)
/** Per account, over all events; urgent events and problems, which are rare, do not count. */
export const MAX_PER_DAY = 30
/** Events that are neither a change nor a problem: once a day. */
const RARE_PAUSE = hours(24)
/** In milliseconds. */
export const CLOCK_TOLERANCE = 60_000
/** In milliseconds, for problems that last. */
const DAY = 86_400_000

export interface Compared {
  readonly memory: NotifyMemory
  /** To be told now, to all but the programs of events that are at once. */
  readonly notifications: readonly Notification[]
  /** For these programs. */
  readonly atOnce: readonly Notification[]
}

export type TargetsOf = (account: string, event: NotificationEvent) => readonly DeliveryTarget[]

interface CompareContext {
  readonly now: Instant
  /** The targets of the account that receive this event. Other events do not count. */
  readonly targetsOf: TargetsOf
}

/** What happened since the memory was written. Pure: the same reports twice tell nothing the second time (decision 0037). */
export function compareReports(
  memory: NotifyMemory,
  reports: readonly AccountReport[],
  context: CompareContext,
): Compared {
  const { now, targetsOf } = context
  let current = memory
  const told: Notification[] = []
  const programs: Notification[] = []
  const take = ({ memory: next, notifications, atOnce }: Compared): void => {
    current = next
    told.push(...notifications)
    programs.push(...atOnce)
  }
  for (const report of reports) {
    const earlier = current.accounts[report.account]
    // An account that was never seen starts with what is confirmed, so that an upgrade is no change.
    const account = earlier ?? { confirmed: confirmedOf(report), events: {} }
    const { memory: next, notifications } = compareAccount(account, report, context)
    current = { ...current, accounts: { ...current.accounts, [report.account]: next } }
    for (const one of notifications)
      take(admit(current, one, { now, targets: targetsOf(report.account, one.event) }))
    take(releaseHeld(current, report.account, now))
  }
  return { memory: current, notifications: told, atOnce: programs }
}

const confirmedOf = ({ hostnames }: AccountReport): Record<string, Addresses> =>
  Object.fromEntries(hostnames.map(({ hostname, confirmed }) => [hostname, confirmed]))

/** The last address of each family: one that is not confirmed for a moment is no change. */
const knownAfter = ({ confirmed }: AccountMemory, { hostnames }: AccountReport): Record<string, Addresses> =>
  Object.fromEntries(
    hostnames.map((host) => [host.hostname, { ...confirmed[host.hostname], ...host.confirmed }]),
  )

const PROBLEMS: Readonly<Partial<Record<Outcome, NotificationEvent>>> = {
  stopped: 'stopped',
  waiting: 'waiting',
  unreached: 'unreached',
  addressUnknown: 'unknown',
}

interface ComparedAccount {
  readonly memory: AccountMemory
  readonly notifications: readonly Notification[]
}

/** All is well: an account that was looked at in this process, and for which nothing is due. */
export const isSettled = ({ outcome, lastLook, isDue }: AccountReport): boolean =>
  outcome === 'settled' && lastLook !== null && isDue !== true

function compareAccount(
  memory: AccountMemory,
  report: AccountReport,
  { now, targetsOf }: CompareContext,
): ComparedAccount {
  const isHeard = (event: NotificationEvent): boolean => targetsOf(report.account, event).length > 0
  const changes = changesOf(memory, report, isHeard('different'))
  const problem = PROBLEMS[report.outcome]
  const withChanges = { ...memory, confirmed: knownAfter(memory, report) }
  if (isSettled(report)) return recover(withChanges, report, changes)
  // Before the first look, and while a request is on its way, nothing is known to have ended.
  if (problem === undefined || (report.lastLook === null && report.since === null))
    return { memory: withChanges, notifications: changes }
  // The clocks that measure a moment advance in steps: by another one it can be a little ahead.
  const since = earliest(latestOf(report) ?? now, now)
  const isSame = memory.problem?.event === problem
  // A later stop of the same account is told too. Each reading of the clocks moves a moment a little.
  const isOther =
    problem === 'stopped' && isSame && since - (memory.problem?.since ?? since) > CLOCK_TOLERANCE
  const present =
    isSame && !isOther && memory.problem !== undefined ? memory.problem : { event: problem, since }
  const { delay = 0, isDaily } = EVENT_ROWS[problem]
  const isDue = between(present.since as Instant, now) >= delay
  const isAgain = isDaily === true && present.told !== undefined && now - present.told >= DAY
  const isTold = isDue && (present.told === undefined || isAgain) && isHeard(problem)
  return {
    memory: {
      ...withChanges,
      problem: { ...present, ...(isTold && { told: now }) },
      ...((isTold || memory.isDown === true) && { isDown: true }),
    },
    notifications: [...changes, ...(isTold ? [problemOf(problem, report)] : [])],
  }
}

const stoppedHosts = ({ hostnames }: AccountReport): AccountReport['hostnames'] =>
  hostnames.filter(({ stoppedSince }) => typeof stoppedSince === 'string')

/** Since when the problem is as it is: with each further hostname that stops, it is another one. */
function latestOf(report: AccountReport): Instant | undefined {
  const times = [report.since, ...stoppedHosts(report).map(({ stoppedSince }) => stoppedSince)]
  const [latest] = times.flatMap((one) => parseInstant(one ?? '') ?? []).toSorted((a, b) => b - a)
  return latest
}

/** A stop of hostnames names those that are stopped. */
function problemOf(event: NotificationEvent, report: AccountReport): Notification {
  const stopped = stoppedHosts(report).map(({ hostname }) => hostname)
  const one = notificationOf(event, report)
  return event === 'stopped' && stopped.length > 0 ? { ...one, hostnames: stopped } : one
}

/** The end of a problem is told where the problem was. What was held back of it is no news. */
function recover(
  memory: AccountMemory,
  report: AccountReport,
  changes: readonly Notification[],
): ComparedAccount {
  const { problem: _problem, isDown, ...well } = memory
  const events = Object.fromEntries(
    Object.entries(well.events).map(([event, { at, held }]) => [
      event,
      { at, ...(held !== undefined && EVENT_ROWS[held.event].delay === undefined && { held }) },
    ]),
  )
  const before = changes.find((change) =>
    change.hostnames.includes(report.hostnames[0]?.hostname ?? ''),
  )?.before
  const recovered = { ...notificationOf('recovered', report), ...(before && { before }) }
  const notifications = [...changes, ...(isDown === true ? [recovered] : [])]
  return { memory: { ...well, events }, notifications }
}

/** Hostnames with other confirmed addresses than before; those with the same change are one notification. */
function changesOf(
  { confirmed }: AccountMemory,
  report: AccountReport,
  isDifferentHeard: boolean,
): readonly Notification[] {
  const groups = new Map<string, Notification>()
  for (const host of report.hostnames) {
    const before = confirmed[host.hostname] ?? {}
    // A family without an address was forced, or waits for its own request: the service still has it.
    const isChanged = FAMILIES.some(
      (family) => host.confirmed[family] !== undefined && before[family] !== host.confirmed[family],
    )
    // Reported as "different", if a target receives that event.
    const isOther = isDifferentHeard && FAMILIES.some((family) => host.different?.[family] !== undefined)
    if (!isChanged || isOther) continue
    const key = JSON.stringify([before, host.confirmed])
    const earlier = groups.get(key)
    groups.set(key, {
      ...notificationOf(listed(before).length === 0 ? 'first' : 'changed', report),
      because: null,
      said: null,
      remedy: null,
      hostnames: [...(earlier?.hostnames ?? []), host.hostname],
      addresses: host.confirmed,
      before,
    })
  }
  return [...groups.values()]
}

/** An event of an account, with what its report says. */
export const notificationOf = (event: NotificationEvent, report: AccountReport): Notification => ({
  event,
  account: report.account,
  name: report.name,
  hostnames: report.hostnames.map(({ hostname }) => hostname),
  addresses: report.hostnames[0]?.confirmed ?? {},
  before: {},
  because: report.because,
  ...(typeof report.said === 'string' && { said: report.said }),
  remedy: report.remedy,
  since: report.since,
  times: 1,
})

interface Admission {
  readonly now: Instant
  /** Those of the account for this event. */
  readonly targets: readonly DeliveryTarget[]
}

/** A program acts for each change, and at once; a message is told now, or joined with those that are held back. */
export function admit(memory: NotifyMemory, one: Notification, { now, targets }: Admission): Compared {
  const isAtOnce = EVENT_ROWS[one.event].isAtOnce === true
  const isMessage = targets.some((target) => !isAtOnce || target !== 'hook')
  const message = isMessage ? admitMessage(memory, one, now) : { memory, notifications: [] }
  return { ...message, atOnce: isAtOnce && targets.includes('hook') ? [one] : [] }
}

function admitMessage(memory: NotifyMemory, one: Notification, now: Instant): Omit<Compared, 'atOnce'> {
  const { isUrgent, isMomentary, isRare } = EVENT_ROWS[one.event]
  if (isUrgent === true) return tell(memory, one, now)
  const last = memory.accounts[one.account]?.events[one.event]
  const pause = isRare === true ? RARE_PAUSE : PAUSE
  const isPaused = last !== undefined && now - last.at < pause && now >= last.at
  if (!isPaused && (!isCounted(one.event) || countOn(memory, now) < maxPerDay(memory)))
    return tell(memory, joined(last?.held, one), now)
  if (isMomentary === true || isRare === true) return { memory, notifications: [] }
  return {
    memory: withEvent(memory, one, { at: last?.at ?? now, held: joined(last?.held, one) }),
    notifications: [],
  }
}

/** What was held back, at the end of its pause. */
function releaseHeld(memory: NotifyMemory, account: string, now: Instant): Compared {
  for (const last of Object.values(memory.accounts[account]?.events ?? {})) {
    if (last.held === undefined || now - last.at < PAUSE) continue
    if (isCounted(last.held.event) && countOn(memory, now) >= maxPerDay(memory)) continue
    return { ...tell(memory, last.held, now), atOnce: [] }
  }
  return { memory, notifications: [], atOnce: [] }
}

/** The newest, with the first address before it. */
const joined = (held: Notification | undefined, one: Notification): Notification =>
  held === undefined
    ? one
    : {
        ...one,
        hostnames: [...new Set([...held.hostnames, ...one.hostnames])],
        before: held.hostnames.join() === one.hostnames.join() ? held.before : {},
        times: held.times + one.times,
      }

/** A problem that is not told would make its end false. */
const isCounted = (event: NotificationEvent): boolean =>
  EVENT_ROWS[event].isUrgent !== true &&
  EVENT_ROWS[event].isRare !== true &&
  EVENT_ROWS[event].delay === undefined
export const maxPerDay = ({ accounts }: NotifyMemory): number =>
  MAX_PER_DAY * Math.max(1, Object.keys(accounts).length)

const dayOf = (now: Instant): string => new Date(now).toISOString().slice(0, 10)
const countOn = (memory: NotifyMemory, now: Instant): number => (memory.day === dayOf(now) ? memory.count : 0)

function tell(memory: NotifyMemory, one: Notification, now: Instant): Omit<Compared, 'atOnce'> {
  const more = isCounted(one.event) ? 1 : 0
  const counted = {
    ...withEvent(memory, one, { at: now }),
    day: dayOf(now),
    count: countOn(memory, now) + more,
  }
  return { memory: counted, notifications: [one] }
}

function withEvent(memory: NotifyMemory, { account, event }: Notification, entry: EventMemory): NotifyMemory {
  const earlier = memory.accounts[account] ?? { confirmed: {}, events: {} }
  const next = { ...earlier, events: { ...earlier.events, [event]: entry } }
  return { ...memory, accounts: { ...memory.accounts, [account]: next } }
}

/** Forgets what was held back of an event that is over. */
export function withoutHeld(memory: NotifyMemory, account: string, event: NotificationEvent): NotifyMemory {
  const earlier = memory.accounts[account]
  const last = earlier?.events[event]
  if (earlier === undefined || last?.held === undefined) return memory
  const next = { ...earlier, events: { ...earlier.events, [event]: { at: last.at } } }
  return { ...memory, accounts: { ...memory.accounts, [account]: next } }
}
