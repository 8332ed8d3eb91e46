import { access, constants } from 'node:fs/promises'
import { readSoundSettings, type ResolvedSettings } from '../../settings/settings.ts'
import { stateFailure, statusReport } from '../status/status-report.ts'
import { pause } from '../../../shared/ports/clock.ts'
import type { Exit, Failure } from '../../../shared/program/exit-codes.ts'
import { outputGone } from '../../../shared/program/streams.ts'
import { healthProblems } from '../../report/health.ts'
import { formatStatus, isSameStatus, type StatusReport } from '../../report/status.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import type { StatusFlags } from './flags.ts'
import { systemPorts } from '../system.ts'
import { fail, printInPlace, printJson, printWrapped } from '../../../shared/program/output.ts'

type OutputFlags = Pick<StatusFlags, 'asJson' | 'isWatching'>

/** In milliseconds, for --watch. */
const WATCH_INTERVAL = 1000

/** `holdfast status`: prints the state of the accounts, once or at every change. */
export async function statusCommand(flags: StatusFlags): Promise<Exit> {
  const settings = await readSoundSettings(flags.settings, 'names')
  if (!settings.ok) return fail(settings.error, flags.asJson)
  const system = systemPorts()
  const work = flags.isHealthCheck ? check(settings.value, system) : showStatus(settings.value, flags, system)
  const result = await work.catch(stateFailure)
  return typeof result === 'string' ? result : fail(result, flags.asJson)
}

/** 69 without a daemon that answers in time, 77 where one is stopped. */
async function check(settings: ResolvedSettings, system: SystemPorts): Promise<Exit | Failure> {
  const report = await statusReport(settings, system)
  const messages = [...healthProblems(report, system.clocks().wall), ...(await unwritable(settings))]
  if (messages.length === 0) return 'settled'
  const isStopped = report.isRunning && report.accounts.some(({ outcome }) => outcome === 'stopped')
  return { exit: isStopped ? 'stopped' : 'unreached', messages }
}

/** A stop that is not saved is lost with the process: a volume of another user is no healthy one. */
const unwritable = async ({ stateDir }: ResolvedSettings): Promise<readonly string[]> =>
  access(stateDir, constants.W_OK).then(
    () => [],
    () => [`the state folder ${stateDir} cannot be written, so a stop would be lost`],
  )

async function showStatus(
  settings: ResolvedSettings,
  flags: StatusFlags,
  system: SystemPorts,
): Promise<Exit> {
  let shown: StatusReport | undefined
  for (;;) {
    const report = await statusReport(settings, system, flags.settings.accounts)
    // Only what is printed is verified: name servers are not asked every second.
    if (shown === undefined || !isSameStatus(shown, report))
      printReport(await verified(settings, report, system), flags)
    shown = report
    if (!flags.isWatching) return 'settled'
    await pause(system.steady, WATCH_INTERVAL, outputGone)
    if (outputGone.aborted) return 'settled'
  }
}

/** With --verify, what the name servers give now. */
async function verified(
  settings: ResolvedSettings,
  report: StatusReport,
  system: SystemPorts,
): Promise<StatusReport> {
  if (!settings.accounts.some(({ places }) => places['verify'] !== undefined)) return report
  const { verifyOnRequest } = await import('../verify/verified-reports.ts')
  const accounts = await verifyOnRequest(settings, report.accounts, { system, signal: outputGone })
  return { ...report, accounts }
}

function printReport(report: StatusReport, { asJson, isWatching }: OutputFlags): void {
  if (asJson) printJson(report)
  else if (isWatching) printInPlace(...formatStatus(report))
  else printWrapped(...formatStatus(report))
}
