import { type Moment, learn } from './learn.ts'
import { type View, next } from './next.ts'
import type { Action, Observation } from './observation.ts'
import type { Plan } from './plan.ts'
import type { State } from './state.ts'

export interface Step {
  readonly state: State
  readonly act: Action
}

/** The whole client: what we knew, what we saw, what time it is. No I/O, no clock, no log. */
export function step(
  known: State,
  seen: Observation,
  { plans, view }: { readonly plans: readonly Plan[]; readonly view: View },
  moment: Moment,
): Step {
  const state = learn(known, seen, plans, moment)
  return { state, act: next(state, plans, view, moment.now) }
}
