import { type Result, err, ok } from '../base/result.ts'
import type { Plan } from '../client/decide/plan.ts'
import { isMeant, listOf } from '../client/report/subject.ts'
import type { Failure } from './settings.ts'

/** The accounts that a word names: a name, a whole key, or its username; without one, all of them. */
export function chosenBy(
  subject: string | undefined,
  plans: readonly Plan[],
): Result<readonly string[], Failure> {
  const chosen = plans.filter((plan) => subject === undefined || isMeant(subject, plan))
  return chosen.length > 0
    ? ok(chosen.map(({ account }) => account))
    : err({ exit: 'usage', says: [`there is no account ${subject}; there are ${listOf(plans)}`] })
}
