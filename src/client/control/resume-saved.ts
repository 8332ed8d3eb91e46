import type { DesiredState } from '../decide/desired-state.ts'
import type { Observation } from '../decide/observation.ts'
import { type Moment, reduce } from '../decide/reduce.ts'
import type { State } from '../decide/state.ts'
import type { ClockView } from '../report/report.ts'
import { type Resumed, resumedIn } from '../report/resumed.ts'

/** What `resume` lets the loop observe: the stops of these accounts are over, and waits that no reply word asked for. */
export const resumeObservations = (desiredStates: readonly DesiredState[]): readonly Observation[] =>
  desiredStates.map(({ account }) => ({ kind: 'resumed', account }))

export interface ResumedState {
  readonly state: State
  /** What each account was stopped by, or waits for all the same. */
  readonly resumed: readonly Resumed[]
}

/** The same on a saved state, where no daemon runs. */
export function resumeSaved(
  state: State,
  desiredStates: readonly DesiredState[],
  { moment, clock }: { readonly moment: Moment; readonly clock: ClockView },
): ResumedState {
  const resumed = resumedIn(state, desiredStates, clock)
  const after = resumeObservations(desiredStates).reduce(
    (known, seen) => reduce(known, seen, desiredStates, moment),
    state,
  )
  return { state: after, resumed }
}
