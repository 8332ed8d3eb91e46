import { chosenAccounts } from '../../chosen-accounts.ts'
import { desiredStatesOf } from '../../jobs.ts'
import { ChangeNotSaved } from '../../state/saved-state.ts'
import { readSettings, type ResolvedSettings } from '../../../settings/settings.ts'
import { asSingleInstance, busyFailure } from '../../state/single-instance.ts'
import { type OwnUnit, systemctl, unitWithState } from '../../../setup/systemd/own-unit.ts'
import type { Exit, Failure } from '../../../../shared/program/exit-codes.ts'
import { err, ok, type Result } from '../../../../shared/base/result.ts'
import { StateUnreadable } from '../../../agent/memory/memory.ts'
import { formatResumeResults, type ResumeResult } from '../../../report/resume-result.ts'
import type { ResumeFlags } from '../flags.ts'
import { systemPorts } from '../../system.ts'
import { fail, print, printJson } from '../../../../shared/program/output.ts'
import { resumeWithoutDaemon } from '../../state/resume-without-daemon.ts'

/**
 * `holdfast resume`: clears every stop. The wait that a reply word requires remains. A daemon of systemd has only the
 * passwords that it was started with, and may have ended with the stop: it is started again. Whenever this command ends, the
 * unit is not left stopped.
 */
export async function resumeCommand({ asJson, account, settings: flags }: ResumeFlags): Promise<Exit> {
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const chosen = chosenAccounts(account, desiredStatesOf(settings.value))
  if (!chosen.ok) return fail(chosen.error, asJson)
  const unit = await unitWithState(settings.value.stateDir)
  const refusal = unit?.isOutdated === true ? await systemctl('restart', unit) : undefined
  if (refusal !== undefined) return fail({ exit: 'unreached', messages: [refusal] }, asJson)
  const resumed = await resume(settings.value, chosen.value)
  if (!resumed.ok) return fail(resumed.error, asJson)
  const failure = unit && (await systemctl('start', unit))
  if (failure !== undefined) return fail({ exit: 'unreached', messages: [failure] }, asJson)
  if (asJson) printJson({ resumed: resumed.value })
  else print(...formatResumeResults(resumed.value), ...startedAgain(unit))
  return 'settled'
}

const startedAgain = (unit: OwnUnit | undefined): readonly string[] =>
  unit === undefined || (unit.isActive && !unit.isOutdated) ? [] : [`${unit.unit} is started again`]

async function resume(
  settings: ResolvedSettings,
  accounts: readonly string[],
): Promise<Result<readonly ResumeResult[], Failure>> {
  const system = systemPorts()
  const instance = await asSingleInstance(settings, { do: 'resume', accounts }, system)
  if (instance.kind === 'busy') return err(busyFailure(instance.owner))
  if (instance.kind === 'answered') {
    const { error, resumed = [] } = instance.answer
    return error === undefined ? ok(resumed) : err({ exit: 'configuration', messages: [error] })
  }
  try {
    return ok(await resumeWithoutDaemon(settings, accounts, system))
  } catch (error) {
    return err(stateFailure(error))
  } finally {
    await instance.release()
  }
}

/** A resume that is not saved is a failure. An error that is a bug is thrown again. */
function stateFailure(error: unknown): Failure {
  if (error instanceof StateUnreadable || error instanceof ChangeNotSaved)
    return { exit: 'configuration', messages: [error.message] }
  throw error
}
