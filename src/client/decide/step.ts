import type { DesiredState } from './desired-state.ts'
import { nextAction, type WorldView } from './next-action.ts'
import type { Action, Observation } from './observation.ts'
import { type Moment, reduce } from './reduce.ts'
import type { State } from './state.ts'

export interface Step {
  readonly state: State
  readonly action: Action
}

/** The whole client: what we knew, what we saw, what time it is. No I/O, no clock, no log. */
export function step(
  known: State,
  seen: Observation,
  { desiredStates, world }: { readonly desiredStates: readonly DesiredState[]; readonly world: WorldView },
  moment: Moment,
): Step {
  const state = reduce(known, seen, desiredStates, moment)
  return { state, action: nextAction(state, desiredStates, world, moment.now) }
}
