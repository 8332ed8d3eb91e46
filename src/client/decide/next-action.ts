import { after, earliest, type Instant, isBefore, milliseconds } from '../../base/time.ts'
import { type Addresses, FAMILIES } from '../../net/address.ts'
import type { Sightings } from '../../net/sighting.ts'
import { formatQuery, type UpdateRequest } from '../../protocol/request.ts'
import { batchOf } from './batch.ts'
import type { DesiredState } from './desired-state.ts'
import type { Action } from './observation.ts'
import { type PaceDelay, paceDelay } from './pace.ts'
import { type AccountState, accountOf, type HostState, hostOf, type State, type Stop } from './state.ts'

/** What the world looked like at the last look, and when the schedule wants the next one. */
export type SightingsByName = Readonly<Record<string, Sightings>>

export interface WorldView {
  /** By account key and hostname, because each may have sources of its own; undefined before the first look. */
  readonly sightings: Readonly<Record<string, SightingsByName>> | undefined
  /** When that was. */
  readonly lastLook?: Instant
  /** By account key: since when no look has seen an address. */
  readonly unknownSince?: Readonly<Record<string, Instant>>
  readonly nextLook: Instant
  /** Accounts whose service was not reached, in a run that tries once: their retries are for the next one. */
  readonly spent?: readonly string[]
}

/** The one thing to do now: send what is due, else wait for the earliest moment that can change anything. */
export function nextAction(
  state: State,
  desiredStates: readonly DesiredState[],
  world: WorldView,
  now: Instant,
): Action {
  const duties = desiredStates.map((desired) =>
    dutyOf(accountOf(state, desired.account), desired, world, now),
  )
  const send = duties.find((duty) => duty.kind === 'send')
  if (send !== undefined) return send
  const [first, ...others] = duties.flatMap((duty) => (duty.kind === 'look' ? [duty.at] : []))
  return first === undefined ? { kind: 'halt' } : { kind: 'look', at: earliest(first, ...others) }
}

/** The stop that keeps this account silent; undefined when it may speak, now or later. */
export function stopOf(account: AccountState, desired: DesiredState): Stop | undefined {
  if (account.status.kind === 'stopped') return account.status
  const stops = desired.hostnames.map((name) => hostOf(account, name).stopped)
  const [first] = stops.filter((stop) => stop !== undefined)
  const isSilenced = desired.nohostStops === 'account' || stops.every((stop) => stop !== undefined)
  return isSilenced ? first : undefined
}

/** The moment before which nothing may be sent for this account; undefined when it is free. */
export function heldUntil({ status }: AccountState, now: Instant): Instant | undefined {
  const isHeld = (status.kind === 'waiting' || status.kind === 'retrying') && isBefore(now, status.until)
  return isHeld ? status.until : undefined
}

function dutyOf(account: AccountState, desired: DesiredState, world: WorldView, now: Instant): Action {
  if (stopOf(account, desired) !== undefined) return { kind: 'halt' }
  const held = heldUntil(account, now)
  if (held !== undefined) return { kind: 'look', at: held }
  if (world.spent?.includes(desired.account)) return { kind: 'look', at: after(now, milliseconds(1)) }
  if (world.sightings === undefined && needsLook(account, desired)) return { kind: 'look', at: now }
  const request = firstDue(account, desired, world.sightings?.[desired.account] ?? {}, now)
  const paced = request && paceDelay(account.recent ?? [], request, { pace: desired.pace, now })
  // Until then the sources are asked as usual, so that the newest address is the one that goes out.
  if (paced !== undefined) return { kind: 'look', at: earliest(world.nextLook, paced.until) }
  if (request !== undefined) {
    const tried = account.status.kind === 'retrying' ? account.status.attempt + 1 : 0
    return { kind: 'send', account: desired.account, request, endpoint: tried % desired.endpointCount }
  }
  return { kind: 'look', at: earliest(world.nextLook, ...refreshes(account, desired, now)) }
}

/** Going offline and leaving the address to the service need no address of ours. */
const needsLook = (account: AccountState, desired: DesiredState): boolean =>
  !desired.reliesOnConnection && !goesOffline(account, desired)

const goesOffline = (account: AccountState, desired: DesiredState): boolean =>
  desired.isOffline && account.offlineRefused === undefined

const refreshes = (account: AccountState, desired: DesiredState, now: Instant): readonly Instant[] =>
  desired.hostnames.flatMap((name) => {
    const at = refreshAt(hostOf(account, name), desired)
    return at === undefined || isBefore(at, now) ? [] : [at]
  })

/** Names elsewhere expire, so each is touched again after a while, ± 5 % so that many names do not come together. */
function refreshAt({ touched, spread }: HostState, { refreshAfter }: DesiredState): Instant | undefined {
  if (touched === undefined || refreshAfter === 0) return undefined
  return after(touched, milliseconds(Math.round(refreshAfter * (1 + 0.05 * spread))))
}

/** The names that need the same thing as the first that needs anything, as many as one request may hold. */
function firstDue(
  account: AccountState,
  desired: DesiredState,
  all: SightingsByName,
  now: Instant,
): UpdateRequest | undefined {
  const due = desired.hostnames.flatMap((hostname) => {
    const request = wanted(
      hostOf(account, hostname),
      desired,
      { hostname, seen: sightingsOf(all, hostname), account },
      now,
    )
    return request === undefined ? [] : [request]
  })
  const isNew = ({ hostnames: [name = ''] }: UpdateRequest): boolean =>
    hostOf(account, name).touched === undefined
  // Names that were never confirmed go first.
  const first = due.find(isNew) ?? due[0]
  if (first === undefined) return undefined
  const alike = [...due.filter(isNew), ...due.filter((request) => !isNew(request))]
    .filter((request) => sameNeed(request) === sameNeed(first))
    .flatMap(({ hostnames }) => hostnames)
  const { maxNames, maxQueryLength } = batchOf(desired)
  const fitting = alike.slice(0, maxNames)
  while (
    fitting.length > 1 &&
    formatQuery({ ...first, hostnames: fitting }, desired.ipv6Parameter).length > maxQueryLength
  )
    fitting.pop()
  return { ...first, hostnames: fitting }
}

const sameNeed = ({ addresses, offline }: UpdateRequest): string =>
  JSON.stringify([addresses.v4, addresses.v6, offline])

/** A group may be called "constructor". */
export const sightingsOf = (all: SightingsByName, hostname: string): Sightings =>
  (Object.hasOwn(all, hostname) ? all[hostname] : undefined) ?? {}

interface Subject {
  readonly hostname: string
  readonly seen: Sightings
  readonly account: AccountState
}

function wanted(
  host: HostState,
  desired: DesiredState,
  { hostname, seen, account }: Subject,
  now: Instant,
): UpdateRequest | undefined {
  if (host.stopped !== undefined) return undefined
  const hostnames = [hostname]
  const refresh = refreshAt(host, desired)
  const isOverdue = refresh !== undefined && !isBefore(now, refresh)
  if (goesOffline(account, desired))
    return host.isOffline && !isOverdue ? undefined : { hostnames, addresses: host.confirmed, offline: 'YES' }
  const addresses = desired.reliesOnConnection ? {} : addressesOf(seen, desired)
  const knowsNone = addresses.v4 === undefined && addresses.v6 === undefined
  if (knowsNone && !desired.reliesOnConnection) return undefined
  const isNew = FAMILIES.some(
    (family) =>
      addresses[family] !== undefined &&
      addresses[family] !== host.confirmed[family] &&
      addresses[family] !== host.unechoed?.[family],
  )
  const isFirst = knowsNone && host.touched === undefined
  return isNew || isFirst || isOverdue || host.isOffline ? { hostnames, addresses } : undefined
}

/** Unknown and none alike leave a family out: what the service holds for it stays as it is. */
function addressesOf(seen: Sightings, desired: DesiredState): Addresses {
  const [v4, v6] = FAMILIES.map((family) => {
    const sighting = desired.families.includes(family) ? seen[family] : undefined
    return sighting?.kind === 'seen' ? sighting.address : undefined
  })
  return { ...(v4 && { v4 }), ...(v6 && { v6 }) }
}

/** How the pace keeps what is due from going out; undefined where nothing is due or it may go. */
export function pacedIn(
  state: State,
  desired: DesiredState,
  world: WorldView,
  now: Instant,
): PaceDelay | undefined {
  const account = accountOf(state, desired.account)
  if (stopOf(account, desired) !== undefined || heldUntil(account, now) !== undefined) return undefined
  const request = firstDue(account, desired, world.sightings?.[desired.account] ?? {}, now)
  return request && paceDelay(account.recent ?? [], request, { pace: desired.pace, now })
}
