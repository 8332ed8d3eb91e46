import { type ControlRequest, readControlResponse } from '../../../client/control/control-requests.ts'
import { deliveryTroubles } from '../../../client/notify/delivery-troubles.ts'
import { StateUnreadable } from '../../../client/memory/memory.ts'
import type { StatusReport } from '../../../client/report/status.ts'
import type { Trouble } from '../../../client/report/troubles.ts'
import { accountKey } from '../../../config/client-checks.ts'
import type { SystemPorts } from '../../../ports/system.ts'
import type { Failure } from '../../failure.ts'
import { savedNotifyMemory } from '../notify/memory-file.ts'
import { savedReports, savedState } from '../state/saved-state.ts'
import type { ResolvedSettings } from '../settings/settings.ts'
import { socketIn } from '../state/single-instance.ts'

/** In milliseconds. A daemon answers a status request at any time. */
const STATUS_TIMEOUT = 5000

/** The daemon answers with an error instead of its status. */
class StatusRefused extends Error {}

/** From the running daemon, else from the saved state. */
export async function statusReport(settings: ResolvedSettings, system: SystemPorts): Promise<StatusReport> {
  const request: ControlRequest = { do: 'status' }
  const asked = await system.askControl(socketIn(settings), request, STATUS_TIMEOUT)
  const { reports, troubles = [], error } = asked.kind === 'answered' ? readControlResponse(asked.answer) : {}
  if (error !== undefined) throw new StatusRefused(error)
  const configured = new Set(settings.accounts.map(accountKey))
  if (reports !== undefined)
    return {
      isRunning: true,
      accounts: reports.filter(({ account }) => configured.has(account)),
      ...(troubles.length > 0 && { troubles }),
    }
  const accounts = await savedReports(savedState(settings, system))
  const saved = await savedTroubles(settings, system)
  const rest = { accounts, ...(saved.length > 0 && { troubles: saved }) }
  return asked.kind === 'unreachable'
    ? { isRunning: false, ...rest }
    : { isRunning: true, isSilent: true, ...rest }
}

/** What concerns no account: of the running daemon, else of the saved state. */
export async function presentTroubles(
  settings: ResolvedSettings,
  system: SystemPorts,
): Promise<readonly Trouble[]> {
  const asked = await system.askControl(socketIn(settings), { do: 'status' }, STATUS_TIMEOUT)
  return asked.kind === 'answered'
    ? (readControlResponse(asked.answer).troubles ?? [])
    : savedTroubles(settings, system)
}

/** Failed deliveries to targets that the settings still have. */
async function savedTroubles(
  { accounts, stateFolders }: ResolvedSettings,
  { files }: SystemPorts,
): Promise<readonly Trouble[]> {
  const { failing } = await savedNotifyMemory(stateFolders, files)
  if (failing.length === 0) return []
  const { queuesOf } = await import('../notify/delivery.ts')
  const present = new Set(accounts.flatMap(queuesOf))
  return deliveryTroubles(failing.filter(({ receiver }) => present.has(receiver)))
}

/** The failure for a state that cannot be read; any other error is a bug and is thrown again. */
export function stateFailure(error: unknown): Failure {
  if (error instanceof StateUnreadable || error instanceof StatusRefused)
    return { exit: 'configuration', messages: [error.message] }
  throw error
}
