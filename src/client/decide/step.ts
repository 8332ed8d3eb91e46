import { nextAction, type WorldView } from './next-action.ts'
import type { Action, Observation } from './observation.ts'
import { type ReduceContext, reduce } from './reduce.ts'
import type { State } from './state.ts'

interface Step {
  readonly state: State
  readonly action: Action
}

interface StepContext extends ReduceContext {
  readonly world: WorldView
}

/** The whole client: a pure function of the state, an observation, and the moment. */
export function step(known: State, seen: Observation, { world, ...context }: StepContext): Step {
  const state = reduce(known, seen, context)
  return { state, action: nextAction(state, context.desiredStates, { world, now: context.now }) }
}
