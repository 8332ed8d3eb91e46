import type { DesiredState } from '../decide/desired-state.ts'
import type { Moment, Observation } from '../decide/observation.ts'
import { reduce } from '../decide/step.ts'
import type { State } from '../decide/state.ts'
import type { ClockView } from './report.ts'
import { type ResumeResult, resumeResults } from './resume-result.ts'

/** The observations of `resume`: they end the stops of these accounts, and the waits that no reply word requires. */
export const resumeObservations = (desiredStates: readonly DesiredState[]): readonly Observation[] =>
  desiredStates.map(({ account }) => ({ kind: 'resumed', account }))

interface ResumeContext {
  readonly moment: Moment
  readonly clock: ClockView
}

/** Applies `resume` to a saved state, where no daemon runs. */
export function resumeSaved(
  saved: State,
  desiredStates: readonly DesiredState[],
  { moment, clock }: ResumeContext,
): { readonly state: State; readonly results: readonly ResumeResult[] } {
  const results = resumeResults(saved, desiredStates, clock)
  const state = resumeObservations(desiredStates).reduce(
    (known, observation) => reduce(known, observation, { desiredStates, ...moment }),
    saved,
  )
  return { state, results }
}
