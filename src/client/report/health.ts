import { parseInstant } from '../../shared/base/time.ts'
import { labelOf } from './account-name.ts'
import type { StatusReport } from './status.ts'

/** In milliseconds: a look that is late by more than this means that the loop hangs. */
const MAX_LATENESS = 600_000

/**
 * Why a daemon is not healthy, for supervisors of containers; empty where it
 * is. A wait that the service asked for is healthy.
 */
export function healthProblems(
  { isRunning, isSilent, accounts, troubles = [] }: StatusReport,
  now: number,
): readonly string[] {
  if (!isRunning) return ['no daemon is running']
  if (isSilent === true) return ['the daemon does not answer']
  // A stop that a reboot loses is no healthy one.
  const unsaved = troubles.filter(({ kind }) => kind === 'state').map(({ text }) => text)
  const late = accounts.flatMap((report) => {
    // During a wait nothing is looked up before the next attempt.
    const times = [report.nextLook, report.nextAttempt].flatMap((at) => parseInstant(at ?? '') ?? [])
    const next = times.length === 0 ? undefined : Math.max(...times)
    if (report.outcome === 'stopped') return [`${labelOf(report)}: stopped until you act`]
    return next !== undefined && now - next > MAX_LATENESS
      ? [`${labelOf(report)}: the address check was due at ${new Date(next).toISOString()}`]
      : []
  })
  return [...unsaved, ...late]
}
