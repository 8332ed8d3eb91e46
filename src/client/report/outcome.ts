import type { Instant } from '../../base/time.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { heldUntil, pacedIn, type SightingsByName, stopOf } from '../decide/next-action.ts'
import { accountOf, hostOf, type State } from '../decide/state.ts'

/** How things stand for one account after a run; in the order of how much the user must do about it. */
export const OUTCOMES = ['stopped', 'waiting', 'unreached', 'addressUnknown', 'settled'] as const
export type Outcome = (typeof OUTCOMES)[number]

export function outcomeOf(
  state: State,
  desired: DesiredState,
  seen: SightingsByName | undefined,
  now: Instant,
): Outcome {
  const account = accountOf(state, desired.account)
  const hosts = desired.hostnames.map((name) => hostOf(account, name))
  const isRefused = desired.isOffline && account.offlineRefused !== undefined
  if (
    stopOf(account, desired) !== undefined ||
    isRefused ||
    hosts.some(({ stopped }) => stopped !== undefined)
  )
    return 'stopped'
  if (heldUntil(account, now) !== undefined)
    return account.status.kind === 'waiting' ? 'waiting' : 'unreached'
  if (
    pacedIn(state, desired, { sightings: { [desired.account]: seen ?? {} }, nextLook: now }, now) !==
    undefined
  )
    return 'waiting'
  const isUndone = hosts.some(({ touched }) => touched === undefined)
  const needsAddress = !desired.isOffline && !desired.reliesOnConnection
  const sawAny = Object.values(seen ?? {}).some((one) =>
    Object.values(one).some(({ kind }) => kind === 'seen'),
  )
  // Before the first look nothing was seen, and nothing is wrong with what was confirmed earlier.
  if (needsAddress && !sawAny && (seen !== undefined || isUndone)) return 'addressUnknown'
  return isUndone ? 'unreached' : 'settled'
}

/** The one that asks most of the user speaks for all. */
export const worst = (outcomes: readonly Outcome[]): Outcome =>
  OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'settled'
