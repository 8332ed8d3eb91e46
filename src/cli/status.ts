import { access, constants } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ResolvedSettings, readSettings } from '../app/client/settings/settings.ts'
import { statusReport, stateFailure } from '../app/client/status/status-report.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Failure } from '../app/failure.ts'
import { outputGone } from '../app/streams.ts'
import { healthProblems } from '../client/report/health.ts'
import { formatStatus, isSameStatus, type StatusReport } from '../client/report/status.ts'
import type { StatusFlags } from './parse/flag-tables.ts'
import { fail, printInPlace, printJson, printWrapped } from './terminal/output.ts'

type OutputFlags = Pick<StatusFlags, 'asJson' | 'isWatching'>

/** In milliseconds, for --watch. */
const WATCH_INTERVAL = 1000

/** `holdfast status`: prints the state of the accounts, once or at every change. */
export async function statusCommand(flags: StatusFlags): Promise<Exit> {
  const settings = await readSettings(flags.settings, 'names')
  if (!settings.ok) return fail(settings.error, flags.asJson)
  const work = flags.isHealthCheck ? check(settings.value) : showStatus(settings.value, flags)
  const result = await work.catch(stateFailure)
  return typeof result === 'string' ? result : fail(result, flags.asJson)
}

/** 69 without a daemon that answers in time, 77 where one is stopped. */
async function check(settings: ResolvedSettings): Promise<Exit | Failure> {
  const report = await statusReport(settings)
  const messages = [...healthProblems(report, Date.now()), ...(await unwritable(settings))]
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

async function showStatus(settings: ResolvedSettings, flags: OutputFlags): Promise<Exit> {
  let shown: StatusReport | undefined
  for (;;) {
    const report = await statusReport(settings)
    // Only what is printed is verified: name servers are not asked every second.
    if (shown === undefined || !isSameStatus(shown, report))
      printReport(await verified(settings, report), flags)
    shown = report
    if (!flags.isWatching) return 'settled'
    await sleep(WATCH_INTERVAL, undefined, { signal: outputGone }).catch(() => undefined)
    if (outputGone.aborted) return 'settled'
  }
}

/** With --verify, what the name servers give now. */
async function verified(settings: ResolvedSettings, report: StatusReport): Promise<StatusReport> {
  if (!settings.accounts.some(({ places }) => places['verify'] !== undefined)) return report
  const { verifyOnRequest } = await import('../app/client/verify/verified-reports.ts')
  return { ...report, accounts: await verifyOnRequest(settings, report.accounts, { signal: outputGone }) }
}

function printReport(report: StatusReport, { asJson, isWatching }: OutputFlags): void {
  if (asJson) printJson(report)
  else if (isWatching) printInPlace(...formatStatus(report))
  else printWrapped(...formatStatus(report))
}
