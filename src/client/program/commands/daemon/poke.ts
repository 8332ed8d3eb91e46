import { chosenAccounts } from '../../chosen-accounts.ts'
import { desiredStatesOf } from '../../jobs.ts'
import { readSoundSettings } from '../../../settings/settings.ts'
import { socketIn } from '../../state/single-instance.ts'
import { EARLIER } from '../../status/status-report.ts'
import { writeError } from '../../../../shared/program/streams.ts'
import type { Exit } from '../../../../shared/program/exit-codes.ts'
import { ok } from '../../../../shared/base/result.ts'
import { type ControlRequest, readControlResponse, SILENT_DAEMON } from '../../../report/control-requests.ts'
import type { PokeFlags } from '../flags.ts'
import { systemPorts } from '../../system.ts'
import { fail, print, printJson } from '../../../../shared/program/output.ts'
import { updateCommand } from '../update.ts'

/** In milliseconds. A daemon acknowledges a poke immediately, even during an update. */
const POKE_TIMEOUT = 5000
const REQUEST: ControlRequest = { do: 'poke' }

/** `holdfast poke`: the daemon checks the address now; without a daemon, this is an update. */
export async function pokeCommand(flags: PokeFlags): Promise<Exit> {
  const { asJson, isQuiet, account } = flags
  const settings = await readSoundSettings(flags.settings, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const { faults } = settings.value
  const chosen = faults.length > 0 ? ok([]) : chosenAccounts(account, desiredStatesOf(settings.value))
  if (!chosen.ok) return fail(chosen.error, asJson)
  const asked = await systemPorts().askControl(socketIn(settings.value), REQUEST, POKE_TIMEOUT)
  if (asked.kind === 'unreachable' && faults.length > 0)
    return fail({ exit: 'configuration', messages: faults }, asJson)
  if (asked.kind === 'unreachable') {
    const accounts = account === undefined ? flags.settings.accounts : chosen.value
    return updateCommand({
      asJson,
      isQuiet,
      isForced: false,
      isDryRun: false,
      reply: undefined,
      settings: { ...flags.settings, accounts },
    })
  }
  if (asked.kind === 'timeout') return fail({ exit: 'unreached', messages: [SILENT_DAEMON] }, asJson)
  const { error } = readControlResponse(asked.answer)
  if (error !== undefined) return fail({ exit: 'unreached', messages: [error] }, asJson)
  for (const fault of faults) writeError(`holdfast: ${fault}; ${EARLIER}\n`)
  if (asJson) printJson({ poked: true, ...(faults.length > 0 && { notes: faults }) })
  else if (!isQuiet) print('the daemon checks the address now')
  return 'settled'
}
