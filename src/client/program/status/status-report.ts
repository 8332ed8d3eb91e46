import { type ControlRequest, readControlResponse } from '../../report/control-requests.ts'
import { deliveryTroubles } from '../../notify/memory.ts'
import { StateUnreadable } from '../../agent/memory/memory.ts'
import { isNamedBy } from '../../report/account-name.ts'
import type { AccountReport } from '../../report/report.ts'
import type { StatusReport } from '../../report/status.ts'
import type { Trouble } from '../../report/troubles.ts'
import { accountKey } from '../../settings/client-checks.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import type { Failure } from '../../../shared/program/exit-codes.ts'
import { savedNotifyMemory } from '../../notify/memory-file.ts'
import { savedReports, savedState } from '../state/saved-state.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'
import { socketIn } from '../state/single-instance.ts'

/** In milliseconds. A daemon answers a status request at any time. */
const STATUS_TIMEOUT = 5000

/** The daemon answers with an error instead of its status. */
class StatusRefused extends Error {}

/** No daemon runs, and the file has faults. */
class SettingsFaulty extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/** From the running daemon, with its own accounts; without one, from the saved state, if the settings have no fault. */
export async function statusReport(
  settings: ResolvedSettings,
  system: SystemPorts,
  chosen: readonly string[] = [],
): Promise<StatusReport> {
  const request: ControlRequest = { do: 'status' }
  const asked = await system.askControl(socketIn(settings), request, STATUS_TIMEOUT)
  const { reports, troubles = [], error } = asked.kind === 'answered' ? readControlResponse(asked.answer) : {}
  if (error !== undefined) throw new StatusRefused(error)
  if (reports !== undefined) {
    const notes = notesOn(settings, { reports, troubles, chosen })
    return {
      isRunning: true,
      accounts: reports.filter((one) => isShown(one, settings, chosen)),
      ...(troubles.length > 0 && { troubles }),
      ...(notes.length > 0 && { notes }),
    }
  }
  if (settings.faults.length > 0 && asked.kind === 'unreachable') throw new SettingsFaulty(settings.faults)
  const accounts = await savedReports(savedState(settings, system))
  const saved = await savedTroubles(settings, system)
  const rest = { accounts, ...(saved.length > 0 && { troubles: saved }) }
  return asked.kind === 'unreachable'
    ? { isRunning: false, ...rest }
    : { isRunning: true, isSilent: true, ...rest }
}

/** What the daemon runs, unless flags or variables describe an account: then that one. */
const isShown = (
  one: AccountReport,
  { accounts, configFile }: ResolvedSettings,
  chosen: readonly string[],
): boolean =>
  configFile === undefined && accounts.length > 0
    ? accounts.some((account) => accountKey(account) === one.account)
    : chosen.length === 0 || chosen.some((name) => isNamedBy(name, one))

/** How the file differs from what the daemon runs. */
function notesOn(
  { configFile, accounts, faults }: ResolvedSettings,
  daemon: {
    readonly reports: readonly AccountReport[]
    readonly troubles: readonly Trouble[]
    readonly chosen: readonly string[]
  },
): readonly string[] {
  const { reports, troubles, chosen } = daemon
  // The daemon reports the same fault after a refused reload.
  const known = troubles.map(({ text }) => text).join('\n')
  const unread = faults.filter((fault) => !known.includes(fault))
  if (faults.length > 0 && configFile === undefined) return [`there is no configuration file, and ${EARLIER}`]
  if (faults.length > 0) return [...unread, EARLIER]
  if (configFile === undefined || chosen.length > 0) return []
  const keys = accounts.map(accountKey)
  const others = [
    ...keys.filter((key) => !reports.some(({ account }) => account === key)),
    ...reports.map(({ account }) => account).filter((account) => !keys.includes(account)),
  ]
  return others.map((account) => `${configFile} has changed ${account}; ${EARLIER}: run holdfast reload`)
}

export const EARLIER = 'the daemon still uses the settings that it read before'

/** The same for a command that has more to show: empty where nothing can be read. */
export const presentStatus = async (
  settings: ResolvedSettings,
  system: SystemPorts,
): Promise<Pick<StatusReport, 'accounts' | 'troubles'>> =>
  statusReport(settings, system).catch((error: unknown) => {
    stateFailure(error)
    return { accounts: [] }
  })

/** Failed deliveries to targets that the settings still have. */
async function savedTroubles(
  { accounts, stateFolders }: ResolvedSettings,
  { files }: SystemPorts,
): Promise<readonly Trouble[]> {
  const { failing } = await savedNotifyMemory(stateFolders, files)
  if (failing.length === 0) return []
  const { queuesOf } = await import('../../notify/delivery.ts')
  const present = new Set(accounts.flatMap(queuesOf))
  return deliveryTroubles(failing.filter(({ receiver }) => present.has(receiver)))
}

/** The failure for a state that cannot be read; any other error is a bug and is thrown again. */
export function stateFailure(error: unknown): Failure {
  if (error instanceof SettingsFaulty) return { exit: 'configuration', messages: error.faults }
  if (error instanceof StateUnreadable || error instanceof StatusRefused)
    return { exit: 'configuration', messages: [error.message] }
  throw error
}
