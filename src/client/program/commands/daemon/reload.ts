import { readSoundSettings, type ResolvedSettings } from '../../../settings/settings.ts'
import { socketIn } from '../../state/single-instance.ts'
import { EARLIER } from '../../status/status-report.ts'
import type { Exit } from '../../../../shared/program/exit-codes.ts'
import { type ControlRequest, readControlResponse, SILENT_DAEMON } from '../../../report/control-requests.ts'
import type { RunFlags } from '../flags.ts'
import { systemPorts } from '../../system.ts'
import { fail, print, printJson } from '../../../../shared/program/output.ts'

const RELOAD: ControlRequest = { do: 'reload' }
/** In milliseconds: passwords are read, names of interfaces are looked up. */
const RELOAD_TIMEOUT = 30_000

/** `holdfast reload`: the daemon reads its settings again, and says what is wrong in them. */
export async function reloadCommand({ asJson, settings: flags }: RunFlags): Promise<Exit> {
  // Where the daemon listens; what is wrong in the file, it says itself.
  const settings = await readSoundSettings(flags, 'names')
  if (!settings.ok) return fail(settings.error, asJson)
  const asked = await systemPorts().askControl(socketIn(settings.value), RELOAD, RELOAD_TIMEOUT)
  if (asked.kind === 'unreachable') return signalled(settings.value, asJson)
  if (asked.kind === 'timeout') return fail({ exit: 'unreached', messages: [SILENT_DAEMON] }, asJson)
  const { error, mistakes = [] } = readControlResponse(asked.answer)
  if (error !== undefined) return fail({ exit: 'unreached', messages: [error] }, asJson)
  if (mistakes.length > 0)
    return fail({ exit: 'configuration', messages: [...mistakes, `not reloaded; ${EARLIER}`] }, asJson)
  if (asJson) printJson({ reloaded: true })
  else print('the daemon has read its settings again')
  return 'settled'
}

/** In its unit, a daemon without its socket gets the signal (systemd.service(5): MAINPID); only its log has the result. */
function signalled({ faults, configFile }: ResolvedSettings, asJson: boolean): Exit {
  const pid = Number(process.env['MAINPID'] ?? '')
  if (!(pid > 0)) {
    const isFaulty = faults.length > 0 && configFile !== undefined
    const none = 'no daemon is running here; the next one reads the settings'
    return fail({ exit: isFaulty ? 'configuration' : 'unreached', messages: [...faults, none] }, asJson)
  }
  process.kill(pid, 'SIGHUP')
  if (asJson) printJson({ signalled: pid })
  else print('the daemon reads its settings again; its log has the result')
  return 'settled'
}
