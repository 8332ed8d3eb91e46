import { err, ok, type Result } from '../../shared/base/result.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { isNamedBy, listAccounts } from '../report/account-name.ts'
import type { Failure } from '../../shared/program/exit-codes.ts'

/** The keys of the accounts that the user means; all accounts without a subject. */
export function chosenAccounts(
  subject: string | undefined,
  desiredStates: readonly DesiredState[],
): Result<readonly string[], Failure> {
  const chosen = desiredStates.filter((desired) => subject === undefined || isNamedBy(subject, desired))
  return chosen.length > 0
    ? ok(chosen.map(({ account }) => account))
    : err({
        exit: 'usage',
        messages: [`there is no account ${subject}; there are ${listAccounts(desiredStates)}`],
      })
}
