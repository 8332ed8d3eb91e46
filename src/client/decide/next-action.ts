import { after, earliest, type Instant, isBefore, milliseconds } from '../../shared/base/time.ts'
import { type Address, type Addresses, byFamily, FAMILIES, type Family } from '../../shared/base/address.ts'
import type { Sightings } from '../../shared/base/sighting.ts'
import { formatQuery, isHolding, type UpdateRequest } from '../../shared/protocol/request.ts'
import { momentsOf } from './confirmation.ts'
import type { DesiredState } from './desired-state.ts'
import type { Action } from './observation.ts'
import { type PaceDelay, paceDelay } from './pace.ts'
import { accountOf, type AccountState, hostOf, type HostState, type State, type Stop } from './state.ts'

/** The size of one request. */
interface Batch {
  readonly maxNames: number
  /** In characters. */
  readonly maxQueryLength: number
}

/** Every service accepts this size, and a lost answer leaves no more than these names unconfirmed. */
const DEFAULT_BATCH: Batch = { maxNames: 20, maxQueryLength: 2000 }

/**
 * Services limit the requests of a key (Holdfast's: 30 in five minutes), so an account with many names needs few
 * requests. They are longer instead, within the usual limit of a request line (8 KiB); decision 0020.
 */
const MAX_REQUESTS = 8
const MAX_QUERY_LENGTH = 7000

/** From all hostnames of the account, not from those that are due, so that the requests of a round have the same size. */
export function batchOf({ hostnames, batch }: Pick<DesiredState, 'hostnames' | 'batch'>): Batch {
  const share = Math.ceil(hostnames.length / MAX_REQUESTS)
  const maxNames = batch ?? Math.max(DEFAULT_BATCH.maxNames, share)
  return maxNames <= DEFAULT_BATCH.maxNames
    ? { ...DEFAULT_BATCH, maxNames }
    : { maxNames, maxQueryLength: MAX_QUERY_LENGTH }
}

export type SightingsByName = Readonly<Record<string, Sightings>>

/** The result of the last look, and the time of the next one. */
export interface WorldView {
  /** By account key and hostname, because each may have sources of its own; undefined before the first look. */
  readonly sightings: Readonly<Record<string, SightingsByName>> | undefined
  readonly lastLook?: Instant
  /** By account key: since when no look has seen an address. */
  readonly unknownSince?: Readonly<Record<string, Instant>>
  readonly nextLook: Instant
  /** Accounts whose service was not reached by a one-shot run, which leaves their retries to the next run. */
  readonly spent?: readonly string[]
}

interface ActionContext {
  readonly world: WorldView
  readonly now: Instant
}

/** Sends what is due; otherwise waits for the earliest moment at which anything can change. */
export function nextAction(
  state: State,
  desiredStates: readonly DesiredState[],
  context: ActionContext,
): Action {
  const actions = desiredStates.map(
    (desired) => decisionFor(accountOf(state, desired.account), desired, context).action,
  )
  const send = actions.find((action) => action.kind === 'send')
  if (send !== undefined) return send
  const [first, ...others] = actions.flatMap((action) => (action.kind === 'look' ? [action.at] : []))
  return first === undefined ? { kind: 'halt' } : { kind: 'look', at: earliest(first, ...others) }
}

/** The stop that prevents all requests of this account; undefined where a request may be sent, now or later. */
export function stopOf(account: AccountState, desired: DesiredState): Stop | undefined {
  if (account.status.kind === 'stopped') return account.status
  const stopAt = (name: string): Stop | undefined => hostOf(account, name).stopped
  const isOneEnough = desired.nohostStops === 'account'
  if (!isOneEnough && desired.hostnames.some((name) => stopAt(name) === undefined)) return undefined
  for (const name of desired.hostnames) {
    const stop = stopAt(name)
    if (stop !== undefined) return stop
  }
  return undefined
}

/** The moment before which no request of this account may be sent; undefined without a wait. */
export function heldUntil({ status }: AccountState, now: Instant): Instant | undefined {
  const isHeld = (status.kind === 'waiting' || status.kind === 'retrying') && isBefore(now, status.until)
  return isHeld ? status.until : undefined
}

/** What decides about one account. `request`: what is due, which the checks before it do not ask for. */
interface AccountView extends ActionContext {
  readonly account: AccountState
  readonly desired: DesiredState
  readonly request: () => UpdateRequest | undefined
}

/** Every check of an account after a look, in their order: the first that gives an action decides. */
// biome-ignore format: a table
const CHECKS: readonly (readonly [name: string, check: (view: AccountView) => Action | undefined])[] = [
  ['a stop: nothing, until the user acts',                               ifStopped],
  ['a wait, or a pause between two tries: nothing before its end',       ifHeld],
  ['a service that a one-shot did not reach: the next run tries again',  ifSpent],
  ['addresses that are not known yet: a look',                           ifUnseen],
  ['the pace of requests: what is due waits, and looks go on',           ifPaced],
  ['what is due: a request',                                             ifDue],
  ['nothing is due: the next look, or a refresh before it',              nextLook],
]

/** The first check that gives an action, with the view that it had. */
function decisionFor(account: AccountState, desired: DesiredState, context: ActionContext) {
  let due: { readonly request: UpdateRequest | undefined } | undefined
  const request = () => (due ??= { request: firstDue(account, desired, context) }).request
  const view: AccountView = { account, desired, ...context, request }
  for (const [, check] of CHECKS) {
    const action = check(view)
    if (action !== undefined) return { check, action, view }
  }
  throw new Error('the last check gives an action')
}

function ifStopped({ account, desired }: AccountView): Action | undefined {
  return stopOf(account, desired) === undefined ? undefined : { kind: 'halt' }
}

function ifHeld({ account, now }: AccountView): Action | undefined {
  const held = heldUntil(account, now)
  return held && { kind: 'look', at: held }
}

function ifSpent({ desired, world, now }: AccountView): Action | undefined {
  const isSpent = world.spent?.includes(desired.account) === true
  return isSpent ? { kind: 'look', at: after(now, milliseconds(1)) } : undefined
}

function ifUnseen({ account, desired, world, now }: AccountView): Action | undefined {
  return world.sightings === undefined && needsLook(account, desired) ? { kind: 'look', at: now } : undefined
}

/** Scheduled looks go on during the delay, so that the newest address is sent. */
function ifPaced(view: AccountView): Action | undefined {
  const paced = delayOfDue(view)
  return paced && { kind: 'look', at: earliest(view.world.nextLook, paced.until) }
}

function delayOfDue({ account, desired, now, request }: AccountView): PaceDelay | undefined {
  const due = request()
  const { pace, form } = desired
  return due && paceDelay(account.recent ?? [], due, { pace, minGap: form.minGap, now })
}

function ifDue({ account, desired, request }: AccountView): Action | undefined {
  const due = request()
  if (due === undefined) return undefined
  const failed = account.status.kind === 'retrying' ? account.status.attempt + 1 : 0
  return { kind: 'send', account: desired.account, request: due, endpoint: failed % desired.endpointCount }
}

function nextLook({ account, desired, world, now }: AccountView): Action {
  return { kind: 'look', at: earliest(world.nextLook, ...refreshes(account, desired, now)) }
}

/** Neither offline requests nor requests that rely on the connection contain an address. */
const needsLook = (account: AccountState, desired: DesiredState): boolean =>
  !desired.reliesOnConnection && !goesOffline(account, desired)

const goesOffline = (account: AccountState, desired: DesiredState): boolean =>
  desired.isOffline && account.offlineRefused === undefined

const refreshes = (account: AccountState, desired: DesiredState, now: Instant): readonly Instant[] =>
  desired.hostnames.flatMap((name) => {
    const host = hostOf(account, name)
    const moments = [host.touched, ...Object.values(desired.form.isApart ? momentsOf(host) : {})]
    return moments
      .flatMap((touched) => refreshAt({ ...host, touched }, desired) ?? [])
      .filter((at) => isBefore(now, at))
  })

/** Some services expire names, so each is confirmed again after an interval, ± 5 % to spread many names. */
function refreshAt(
  { touched, spread }: { readonly touched: Instant | undefined; readonly spread: number },
  { refreshAfter }: DesiredState,
): Instant | undefined {
  if (touched === undefined || refreshAfter === 0) return undefined
  return after(touched, milliseconds(Math.round(refreshAfter * (1 + 0.05 * spread))))
}

function isRefreshDue(host: Parameters<typeof refreshAt>[0], desired: DesiredState, now: Instant): boolean {
  const at = refreshAt(host, desired)
  return at !== undefined && !isBefore(now, at)
}

/** The first due request, with all other hostnames that need the same update, up to the limits of a batch. */
function firstDue(
  account: AccountState,
  desired: DesiredState,
  { world, now }: ActionContext,
): UpdateRequest | undefined {
  const sightings = world.sightings?.[desired.account] ?? {}
  const due = desired.hostnames.flatMap((hostname) => {
    const seen = sightingsOf(sightings, hostname)
    const host = hostOf(account, hostname)
    const update = dueFor(host, desired, { account, seen, now })
    return update === undefined ? [] : { hostname, update, isNew: host.touched === undefined }
  })
  // Hostnames that were never confirmed come first.
  const ordered = [...due.filter(({ isNew }) => isNew), ...due.filter(({ isNew }) => !isNew)]
  const [first] = ordered
  if (first === undefined) return undefined
  const alike = ordered.filter(({ update }) => isSameUpdate(update, first.update))
  return batched({ ...first.update, hostnames: alike.map(({ hostname }) => hostname) }, desired)
}

/** The request with as many of its hostnames as fit. */
function batched(request: UpdateRequest, desired: DesiredState): UpdateRequest {
  const { maxNames, maxQueryLength } = batchOf(desired)
  const hostnames = request.hostnames.slice(0, maxNames)
  while (hostnames.length > 1 && formatQuery({ ...request, hostnames }, desired.form).length > maxQueryLength)
    hostnames.pop()
  return { ...request, hostnames }
}

/** What a request says about each of its hostnames. */
type Update = Omit<UpdateRequest, 'hostnames'>

const isSameUpdate = (one: Update, other: Update): boolean =>
  one.offline === other.offline &&
  FAMILIES.every((family) => one.addresses[family] === other.addresses[family])

/** A hostname may be "constructor", which every object inherits. */
export const sightingsOf = (all: SightingsByName, hostname: string): Sightings =>
  (Object.hasOwn(all, hostname) ? all[hostname] : undefined) ?? {}

interface HostView {
  readonly account: AccountState
  readonly seen: Sightings
  readonly now: Instant
}

/** The update that one hostname needs; undefined where it needs none. */
function dueFor(
  host: HostState,
  desired: DesiredState,
  { account, seen, now }: HostView,
): Update | undefined {
  if (host.stopped !== undefined) return undefined
  const isOverdue = isRefreshDue({ touched: host.touched, spread: host.spread }, desired, now)
  if (goesOffline(account, desired))
    return host.isOffline && host.unanswered?.isOnline !== true && !isOverdue
      ? undefined
      : { addresses: host.confirmed, offline: 'YES' }
  const known = desired.reliesOnConnection ? {} : addressesOf(seen, desired)
  const hasNone = known.v4 === undefined && known.v6 === undefined
  if (hasNone && !desired.reliesOnConnection) return undefined
  const changed = FAMILIES.filter(
    (family) =>
      known[family] !== undefined &&
      (isInDoubt(host, family, known[family]) ||
        (known[family] !== host.confirmed[family] && known[family] !== host.unechoed?.[family])),
  )
  const isFirst = hasNone && host.touched === undefined
  const { isApart } = desired.form
  const overdue = isApart ? overdueOf(host, known, { desired, now }) : []
  const isOffline = host.isOffline || host.unanswered?.isOffline === true
  const isDue = isFirst || isOffline || (isApart && !hasNone ? overdue.length > 0 : isOverdue)
  if (changed.length === 0 && !isDue) return undefined
  const addresses = isApart
    ? oneOf(known, [...changed, ...overdue])
    : completed(known, { seen, desired, host })
  return addresses && { addresses }
}

/** Another address was sent, and its request has no answer: the service may have stored it (decision 0046). */
const isInDoubt = ({ unanswered }: HostState, family: Family, known: Address): boolean =>
  (unanswered?.addresses[family] ?? known) !== known

/** The families that were confirmed as they are and are due again, where each has a request of its own. */
function overdueOf(
  host: HostState,
  known: Addresses,
  { desired, now }: { readonly desired: DesiredState; readonly now: Instant },
): readonly Family[] {
  const moments = momentsOf(host)
  return FAMILIES.filter(
    (one) =>
      known[one] !== undefined &&
      known[one] === host.confirmed[one] &&
      (moments[one] === undefined ||
        isRefreshDue({ touched: moments[one], spread: host.spread }, desired, now)),
  )
}

/** The addresses that were seen. A family that is unknown or without address is left to `completed`. */
function addressesOf(seen: Sightings, desired: DesiredState): Addresses {
  const addressOf = (family: Family): Address | undefined => {
    const sighting = desired.families.includes(family) ? seen[family] : undefined
    return sighting?.kind === 'seen' ? sighting.address : undefined
  }
  const [v4, v6] = [addressOf('v4'), addressOf('v6')]
  return { ...(v4 && { v4 }), ...(v6 && { v6 }) }
}

/** Of addresses that have a request each: the first that changed; without a change, the first. */
function oneOf(known: Addresses, [first]: readonly Family[]): Addresses {
  const family = first ?? FAMILIES.find((one) => known[one] !== undefined)
  return family === undefined ? {} : { [family]: known[family] }
}

/** The address that the service has, as far as this client knows. What an answer left out may be stored all the same. */
const knownAt = ({ confirmed, earlier, unechoed }: HostState, family: Family): Address | undefined =>
  confirmed[family] ?? earlier?.[family] ?? unechoed?.[family]

/**
 * Whether no request may be sent for a hostname, because a family is unknown
 * that the service would delete, or set wrong.
 */
export const isHeldBack = ({ form, families }: DesiredState, seen: Sightings, host: HostState): boolean =>
  isHolding(form.absentFamily) &&
  families.some(
    (family) =>
      seen[family]?.kind !== 'seen' &&
      knownAt(host, family) === undefined &&
      (seen[family]?.kind === 'unknown' || (family === 'v4' && form.absentFamily === 'hold-ipv4')),
  )

interface Completion {
  readonly seen: Sightings
  readonly desired: DesiredState
  readonly host: HostState
}

/**
 * The addresses with those of absent families, where the service would delete what a request does not name: the ones that it
 * confirmed last. Undefined where the request must be held, because a family is unknown and none was confirmed.
 */
function completed(known: Addresses, { seen, desired, host }: Completion): Addresses | undefined {
  const { absentFamily } = desired.form
  if (absentFamily !== 'repeat' && !isHolding(absentFamily)) return known
  if (isHeldBack(desired, seen, host)) return undefined
  const absent = desired.families.filter((family) => known[family] === undefined)
  const repeated = absent.flatMap((family) => knownAt(host, family) ?? [])
  return { ...known, ...byFamily(repeated) }
}

/**
 * Whether a request is due, and neither a stop nor a wait forbids it: it is on its way, or follows in a moment, or the next
 * run sends it.
 */
export const isRequestDue = (state: State, desired: DesiredState, context: ActionContext): boolean =>
  allowedView(state, desired, context)?.request() !== undefined

/** The delay of the due request by the pace; undefined where no request is due or it may be sent. */
export function pacedIn(state: State, desired: DesiredState, context: ActionContext): PaceDelay | undefined {
  const view = allowedView(state, desired, context)
  return view && delayOfDue(view)
}

/** Undefined where a stop or a wait decides. */
function allowedView(state: State, desired: DesiredState, context: ActionContext): AccountView | undefined {
  const { check, view } = decisionFor(accountOf(state, desired.account), desired, context)
  return check === ifStopped || check === ifHeld ? undefined : view
}
