import type { Instant } from '../../shared/base/time.ts'
import { listed } from '../../shared/base/address.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import {
  heldUntil,
  isHeldBack,
  isRequestDue,
  pacedIn,
  type SightingsByName,
  sightingsOf,
  stopOf,
  type WorldView,
} from '../decide/next-action.ts'
import { type AccountState, accountOf, hostOf, type HostState, type State } from '../decide/state.ts'

/** The result of an account, the one that needs the user most first. */
export const OUTCOMES = ['stopped', 'waiting', 'unreached', 'addressUnknown', 'settled'] as const
export type Outcome = (typeof OUTCOMES)[number]

interface Context {
  readonly state: State
  readonly world: WorldView
  readonly now: Instant
}

/** Hostnames that are stopped, where the account is not. */
export const stoppedAloneOf = (account: AccountState, desired: DesiredState): readonly string[] =>
  stopOf(account, desired) === undefined
    ? desired.hostnames.filter((name) => hostOf(account, name).stopped !== undefined)
    : []

export function outcomeOf(desired: DesiredState, { state, world, now }: Context): Outcome {
  const account = accountOf(state, desired.account)
  const hosts = desired.hostnames.map((name) => hostOf(account, name))
  const isRefused = desired.isOffline && account.offlineRefused !== undefined
  const isStopped =
    stopOf(account, desired) !== undefined || hosts.some(({ stopped }) => stopped !== undefined)
  if (isStopped || isRefused) return 'stopped'
  if (heldUntil(account, now) !== undefined)
    return account.status.kind === 'waiting' ? 'waiting' : 'unreached'
  const seen = world.sightings?.[desired.account]
  // The next attempt is under way, or the process that would make it has ended.
  const isRetried = seen === undefined || isRequestDue(state, desired, { world, now })
  if (account.status.kind === 'retrying' && isRetried) return 'unreached'
  // Nothing is known of the line; of the last request it is known that it was not confirmed.
  if (seen === undefined && hosts.some(isUnanswered)) return 'unreached'
  if (pacedIn(state, desired, { world, now }) !== undefined) return 'waiting'
  const isIncomplete = hosts.some(({ touched }) => touched === undefined)
  const needsAddress = !desired.isOffline && !desired.reliesOnConnection
  // Before the first look, addresses that were confirmed earlier are still valid.
  if (needsAddress && !isAnySeen(seen) && (seen !== undefined || isIncomplete)) return 'addressUnknown'
  const isHeld = desired.hostnames.some((name) =>
    isHeldBack(desired, sightingsOf(seen ?? {}, name), hostOf(account, name)),
  )
  if (needsAddress && isHeld) return 'addressUnknown'
  return isIncomplete ? 'unreached' : 'settled'
}

/** A request for it was sent, and not confirmed. */
export const isUnanswered = ({ unanswered }: HostState): boolean =>
  unanswered !== undefined && listed(unanswered.addresses).length > 0

const isAnySeen = (byName: SightingsByName = {}): boolean =>
  Object.values(byName).some((seen) => Object.values(seen).some(({ kind }) => kind === 'seen'))

/** The outcome of several accounts. */
export const worstOutcome = (outcomes: readonly Outcome[]): Outcome =>
  OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'settled'
