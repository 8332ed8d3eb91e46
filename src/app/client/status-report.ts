import type { ControlRequest, ControlResponse } from '../../client/control/control-requests.ts'
import { StateUnreadable } from '../../client/memory/memory.ts'
import type { StatusReport } from '../../client/report/status.ts'
import { accountKey } from '../../config/client-checks.ts'
import { askControl } from '../../platform/control.ts'
import type { Failure } from '../failure.ts'
import { reportsFrom, savedState } from './saved-state.ts'
import type { ResolvedSettings } from './settings.ts'
import { socketIn } from './single-instance.ts'

/** A daemon answers from what it knows, whatever it is doing. */
const STATUS_TIMEOUT = 5000

/** From the daemon if one runs, else from what is on disk. */
export async function statusReport(settings: ResolvedSettings): Promise<StatusReport> {
  const request: ControlRequest = { do: 'status' }
  const asked = await askControl(socketIn(settings), request, STATUS_TIMEOUT)
  const reports = asked.kind === 'answered' ? (asked.answer as ControlResponse).reports : undefined
  const chosen = new Set(settings.accounts.map(accountKey))
  if (reports !== undefined)
    return { isRunning: true, accounts: reports.filter(({ account }) => chosen.has(account)) }
  const accounts = await reportsFrom(savedState(settings))
  return asked.kind === 'unreachable'
    ? { isRunning: false, accounts }
    : { isRunning: true, isSilent: true, accounts }
}

/** A state file that cannot be read is no bug of ours; everything else is. */
export function unreadable(error: unknown): Failure {
  if (error instanceof StateUnreadable) return { exit: 'configuration', messages: [error.message] }
  throw error
}
