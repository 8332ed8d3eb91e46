import { after, earliest, type Instant, isBefore, milliseconds } from '../../base/time.ts'
import { type Addresses, FAMILIES } from '../../net/address.ts'
import type { Sightings } from '../../net/sighting.ts'
import { formatQuery, type UpdateRequest } from '../../protocol/request.ts'
import { batchOf } from './batch.ts'
import type { DesiredState } from './desired-state.ts'
import type { Action } from './observation.ts'
import { type PaceDelay, paceDelay } from './pace.ts'
import { type AccountState, accountOf, type HostState, hostOf, type State, type Stop } from './state.ts'

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

export interface ActionContext {
  readonly world: WorldView
  readonly now: Instant
}

/** Sends what is due; otherwise waits for the earliest moment at which anything can change. */
export function nextAction(
  state: State,
  desiredStates: readonly DesiredState[],
  context: ActionContext,
): Action {
  const actions = desiredStates.map((desired) =>
    actionFor(accountOf(state, desired.account), desired, context),
  )
  const send = actions.find((action) => action.kind === 'send')
  if (send !== undefined) return send
  const [first, ...others] = actions.flatMap((action) => (action.kind === 'look' ? [action.at] : []))
  return first === undefined ? { kind: 'halt' } : { kind: 'look', at: earliest(first, ...others) }
}

/** The stop that prevents all requests of this account; undefined where a request may be sent, now or later. */
export function stopOf(account: AccountState, desired: DesiredState): Stop | undefined {
  if (account.status.kind === 'stopped') return account.status
  const stops = desired.hostnames.map((name) => hostOf(account, name).stopped)
  const [first] = stops.filter((stop) => stop !== undefined)
  const isStopped = desired.nohostStops === 'account' || stops.every((stop) => stop !== undefined)
  return isStopped ? first : undefined
}

/** The moment before which no request of this account may be sent; undefined without a wait. */
export function heldUntil({ status }: AccountState, now: Instant): Instant | undefined {
  const isHeld = (status.kind === 'waiting' || status.kind === 'retrying') && isBefore(now, status.until)
  return isHeld ? status.until : undefined
}

function actionFor(account: AccountState, desired: DesiredState, { world, now }: ActionContext): Action {
  if (stopOf(account, desired) !== undefined) return { kind: 'halt' }
  const held = heldUntil(account, now)
  if (held !== undefined) return { kind: 'look', at: held }
  if (world.spent?.includes(desired.account)) return { kind: 'look', at: after(now, milliseconds(1)) }
  if (world.sightings === undefined && needsLook(account, desired)) return { kind: 'look', at: now }
  const request = firstDue(account, desired, { world, now })
  const paced = request && paceDelay(account.recent ?? [], request, { pace: desired.pace, now })
  // Scheduled looks continue during the delay, so that the newest address is sent.
  if (paced !== undefined) return { kind: 'look', at: earliest(world.nextLook, paced.until) }
  if (request !== undefined) {
    const failed = account.status.kind === 'retrying' ? account.status.attempt + 1 : 0
    return { kind: 'send', account: desired.account, request, endpoint: failed % desired.endpointCount }
  }
  return { kind: 'look', at: earliest(world.nextLook, ...refreshes(account, desired, now)) }
}

/** Neither offline requests nor requests that rely on the connection contain an address. */
const needsLook = (account: AccountState, desired: DesiredState): boolean =>
  !desired.reliesOnConnection && !goesOffline(account, desired)

const goesOffline = (account: AccountState, desired: DesiredState): boolean =>
  desired.isOffline && account.offlineRefused === undefined

const refreshes = (account: AccountState, desired: DesiredState, now: Instant): readonly Instant[] =>
  desired.hostnames.flatMap((name) => {
    const at = refreshAt(hostOf(account, name), desired)
    return at === undefined || isBefore(at, now) ? [] : [at]
  })

/** Some services expire names, so each is confirmed again after an interval, ± 5 % to spread many names. */
function refreshAt({ touched, spread }: HostState, { refreshAfter }: DesiredState): Instant | undefined {
  if (touched === undefined || refreshAfter === 0) return undefined
  return after(touched, milliseconds(Math.round(refreshAfter * (1 + 0.05 * spread))))
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
    return dueFor(hostname, desired, { account, seen, now }) ?? []
  })
  const isNew = ({ hostnames: [name = ''] }: UpdateRequest): boolean =>
    hostOf(account, name).touched === undefined
  // Hostnames that were never confirmed come first.
  const first = due.find(isNew) ?? due[0]
  if (first === undefined) return undefined
  const hostnames = [...due.filter(isNew), ...due.filter((request) => !isNew(request))]
    .filter((request) => contentOf(request) === contentOf(first))
    .flatMap((request) => request.hostnames)
  return batched({ ...first, hostnames }, desired)
}

/** The request with as many of its hostnames as fit. */
function batched(request: UpdateRequest, desired: DesiredState): UpdateRequest {
  const { maxNames, maxQueryLength } = batchOf(desired)
  const hostnames = request.hostnames.slice(0, maxNames)
  while (
    hostnames.length > 1 &&
    formatQuery({ ...request, hostnames }, desired.ipv6Parameter).length > maxQueryLength
  )
    hostnames.pop()
  return { ...request, hostnames }
}

const contentOf = ({ addresses, offline }: UpdateRequest): string =>
  JSON.stringify([addresses.v4, addresses.v6, offline])

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
  hostname: string,
  desired: DesiredState,
  { account, seen, now }: HostView,
): UpdateRequest | undefined {
  const host = hostOf(account, hostname)
  if (host.stopped !== undefined) return undefined
  const hostnames = [hostname]
  const refresh = refreshAt(host, desired)
  const isOverdue = refresh !== undefined && !isBefore(now, refresh)
  if (goesOffline(account, desired))
    return host.isOffline && !isOverdue ? undefined : { hostnames, addresses: host.confirmed, offline: 'YES' }
  const addresses = desired.reliesOnConnection ? {} : addressesOf(seen, desired)
  const hasNone = addresses.v4 === undefined && addresses.v6 === undefined
  if (hasNone && !desired.reliesOnConnection) return undefined
  const isNew = FAMILIES.some(
    (family) =>
      addresses[family] !== undefined &&
      addresses[family] !== host.confirmed[family] &&
      addresses[family] !== host.unechoed?.[family],
  )
  const isFirst = hasNone && host.touched === undefined
  return isNew || isFirst || isOverdue || host.isOffline ? { hostnames, addresses } : undefined
}

/** A family that is unknown or without address is omitted, so that the service does not change it. */
function addressesOf(seen: Sightings, desired: DesiredState): Addresses {
  const [v4, v6] = FAMILIES.map((family) => {
    const sighting = desired.families.includes(family) ? seen[family] : undefined
    return sighting?.kind === 'seen' ? sighting.address : undefined
  })
  return { ...(v4 && { v4 }), ...(v6 && { v6 }) }
}

/** The delay of the due request by the pace; undefined where no request is due or it may be sent. */
export function pacedIn(state: State, desired: DesiredState, context: ActionContext): PaceDelay | undefined {
  const account = accountOf(state, desired.account)
  const { now } = context
  if (stopOf(account, desired) !== undefined || heldUntil(account, now) !== undefined) return undefined
  const request = firstDue(account, desired, context)
  return request && paceDelay(account.recent ?? [], request, { pace: desired.pace, now })
}
