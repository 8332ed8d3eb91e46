import { chosenAccounts } from '../app/client/settings/chosen-accounts.ts'
import { desiredStatesOf } from '../app/client/jobs.ts'
import { resumeWithoutDaemon } from '../app/client/state/resume-without-daemon.ts'
import { ChangeNotSaved } from '../app/client/state/saved-state.ts'
import { type ResolvedSettings, readSettings } from '../app/client/settings/settings.ts'
import { asSingleInstance, busyFailure } from '../app/client/state/single-instance.ts'
import { control, unitWithState } from '../app/client/systemd/own-unit.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Failure } from '../app/failure.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import { formatResumeResults, type ResumeResult } from '../client/report/resume-result.ts'
import type { ResumeFlags } from './parse/flag-tables.ts'
import { systemPorts } from './system.ts'
import { fail, print, printJson } from './terminal/output.ts'

/**
 * `holdfast resume`: clears every stop. The wait that a reply word requires remains. A daemon of systemd has only the
 * password that it was started with, and may have ended with the stop: it is started again.
 */
export async function resumeCommand({ asJson, account, settings: flags }: ResumeFlags): Promise<Exit> {
  const settings = await readSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const chosen = chosenAccounts(account, desiredStatesOf(settings.value))
  if (!chosen.ok) return fail(chosen.error, asJson)
  const unit = await unitWithState(settings.value.stateDir)
  if (unit === undefined) return resume(settings.value, chosen.value, asJson)
  const refusal = await control('stop', unit)
  if (refusal !== undefined) return fail({ exit: 'unreached', messages: [refusal] }, asJson)
  const exit = await resume(settings.value, chosen.value, asJson)
  const failure = await control('start', unit)
  if (failure !== undefined) return fail({ exit: 'unreached', messages: [failure] }, asJson)
  if (!asJson) print(`${unit.unit} is started again`)
  return exit
}

async function resume(
  settings: ResolvedSettings,
  accounts: readonly string[],
  asJson: boolean,
): Promise<Exit> {
  const system = systemPorts()
  const instance = await asSingleInstance(settings, { do: 'resume', accounts }, system)
  if (instance.kind === 'busy') return fail(busyFailure(instance.owner), asJson)
  if (instance.kind === 'answered') {
    const { error, resumed = [] } = instance.answer
    return error === undefined
      ? printResumed(resumed, asJson)
      : fail({ exit: 'configuration', messages: [error] }, asJson)
  }
  try {
    return printResumed(await resumeWithoutDaemon(settings, accounts, system), asJson)
  } catch (error) {
    return fail(stateFailure(error), asJson)
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

function printResumed(resumed: readonly ResumeResult[], asJson: boolean): Exit {
  if (asJson) printJson({ resumed })
  else print(...formatResumeResults(resumed))
  return 'settled'
}
