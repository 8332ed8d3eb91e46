import type { Instant } from '../../base/time.ts'
import { type SightingsByName, heldUntil, pacedIn, stopOf } from '../decide/next.ts'
import type { Plan } from '../decide/plan.ts'
import { type State, accountOf, hostOf } from '../decide/state.ts'

/** How things stand for one account after a run; in the order of how much the user must do about it. */
export const OUTCOMES = ['stopped', 'waiting', 'unreached', 'addressUnknown', 'settled'] as const
export type Outcome = (typeof OUTCOMES)[number]

export function outcomeOf(
  state: State,
  plan: Plan,
  seen: SightingsByName | undefined,
  now: Instant,
): Outcome {
  const account = accountOf(state, plan.account)
  const hosts = plan.hostnames.map((name) => hostOf(account, name))
  const isRefused = plan.isOffline && account.offlineRefused !== undefined
  if (stopOf(account, plan) !== undefined || isRefused || hosts.some(({ stopped }) => stopped !== undefined))
    return 'stopped'
  if (heldUntil(account, now) !== undefined)
    return account.standing.kind === 'waiting' ? 'waiting' : 'unreached'
  if (pacedIn(state, plan, { sightings: { [plan.account]: seen ?? {} }, nextLook: now }, now) !== undefined)
    return 'waiting'
  const isUndone = hosts.some(({ touched }) => touched === undefined)
  const needsAddress = !plan.isOffline && !plan.reliesOnConnection
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
