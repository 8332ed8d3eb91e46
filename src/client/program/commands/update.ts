import { desiredStatesOf } from '../jobs.ts'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { dryRun, type MaskedRequest, type OneShotOptions, type SavedReply, updateOnce } from '../one-shot.ts'
import { exitOf } from '../compose.ts'
import { type ClientAccount, type ResolvedSettings, readSettings } from '../../settings/settings.ts'
import { asSingleInstance, busyFailure } from '../state/single-instance.ts'
import type { Exit, Failure } from '../../../shared/program/exit-codes.ts'
import { logTo } from '../../../shared/program/log.ts'
import { outputGone, withOutput, writeError } from '../../../shared/program/streams.ts'
import { accountUpdate } from '../../report/control-requests.ts'
import { StateNotSaved, StateUnreadable } from '../../agent/memory/memory.ts'
import { worstOutcome } from '../../report/cause.ts'
import type { AccountReport } from '../../report/report.ts'
import { formatReport, publicationLines } from '../../report/report-text.ts'
import type { Addresses } from '../../../shared/base/address.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import { readNamedFile } from '../../../shared/platform/files/named-file.ts'
import type { UpdateFlags } from './flags.ts'
import { systemPorts } from '../system.ts'
import { exitResult, fail, print, printJson } from '../../../shared/program/output.ts'
import { onStopSignal } from '../../../shared/program/signals.ts'

type OutputFlags = Pick<UpdateFlags, 'asJson' | 'isQuiet'>

interface VerifiedOutput extends OutputFlags {
  readonly system: SystemPorts
}

/**
 * `holdfast update`: settings, then the process that has the state folder, then its loop, then the report. A running daemon
 * updates in its own loop.
 */
export async function updateCommand(flags: UpdateFlags): Promise<Exit> {
  const { asJson, isForced, isQuiet } = flags
  if (flags.reply !== undefined && !flags.isDryRun)
    return fail({ exit: 'usage', messages: [REPLY_ALONE] }, asJson)
  const settings = await readSettings(flags.settings)
  if (!settings.ok) return fail(settings.error, asJson)
  const log = await logTo(settings.value.config.logLevel, asJson)
  for (const warning of settings.value.warnings) log('warn', warning)
  const options = { system: systemPorts(), log, isForced, onStop: onStopSignal }
  return catchStateErrors(asJson, async () => {
    if (flags.isDryRun) return printDryRun(settings.value, options, { asJson, isQuiet, reply: flags.reply })
    const instance = await asSingleInstance(
      settings.value,
      requestOf(settings.value, isForced),
      options.system,
    )
    const update = await updateBy(instance, settings.value, options)
    if ('failure' in update) return fail(update.failure, asJson)
    const exit = await printVerified(settings.value, update.reports, {
      asJson,
      isQuiet,
      system: options.system,
    })
    await update.end()
    return exit
  })
}

const requestOf = (settings: ResolvedSettings, force: boolean) => ({
  do: 'update' as const,
  updates: desiredStatesOf(settings).map((desired, at) =>
    accountUpdate(desired, configuredAddresses(settings.accounts[at])),
  ),
  force,
})

interface Updated {
  readonly reports: readonly AccountReport[]
  /** Waits until everyone is notified, or for a signal. */
  readonly end: () => Promise<void>
}

/** By the process that holds the lock: this one, or a daemon that has answered. */
async function updateBy(
  instance: Awaited<ReturnType<typeof asSingleInstance>>,
  settings: ResolvedSettings,
  options: OneShotOptions,
): Promise<Updated | { readonly failure: Failure }> {
  if (instance.kind === 'busy') return { failure: busyFailure(instance.owner) }
  if (instance.kind === 'answered') {
    const { error, reports = [] } = instance.answer
    return error === undefined
      ? { reports, end: () => Promise.resolve() }
      : { failure: { exit: 'configuration', messages: [error] } }
  }
  const stopping = new AbortController()
  const removeListener = onStopSignal(() => stopping.abort())
  try {
    const { reports, notified } = await updateOnce(settings, options)
    // A signal ends the wait, and the exit code is still that of the update.
    return { reports, end: async () => notified(stopping.signal).finally(removeListener) }
  } finally {
    await instance.release()
  }
}

const configuredAddresses = (account: ClientAccount | undefined): Addresses | undefined =>
  typeof account?.myip === 'object' ? account.myip : undefined

/** The reports, and then what the name servers give; in one document as JSON. The exit does not depend on name servers. */
async function printVerified(
  settings: ResolvedSettings,
  reports: readonly AccountReport[],
  output: VerifiedOutput,
): Promise<Exit> {
  const { asJson, isQuiet, system } = output
  if (!settings.accounts.some(({ verify }) => verify)) return printReports(reports, output)
  if (!asJson) printReports(reports, output)
  const { verifyAfterUpdate } = await import('../verify/verified-reports.ts')
  const stopping = new AbortController()
  const release = onStopSignal(() => stopping.abort())
  const verified = await verifyAfterUpdate(settings, reports, {
    isQuiet,
    system,
    signal: AbortSignal.any([stopping.signal, outputGone]),
  })
  release()
  if (asJson) return printReports(verified, output)
  const hosts = verified.flatMap(({ hostnames }) => hostnames)
  print(...publicationLines(hosts.filter(({ answered }) => !isQuiet || answered !== null)))
  return exitOfReports(reports)
}

/** A state file that cannot be read or written is a configuration error, not a bug. */
async function catchStateErrors(asJson: boolean, work: () => Promise<Exit>): Promise<Exit> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StateUnreadable || error instanceof StateNotSaved)
      return fail({ exit: 'configuration', messages: [error.message] }, asJson)
    throw error
  }
}

/** Results go to standard output, problems with their remedy to standard error, so that cron mails them. */
function printReports(reports: readonly AccountReport[], { asJson, isQuiet }: OutputFlags): Exit {
  const exit = exitOfReports(reports)
  if (asJson) {
    printJson({ exit: exitResult(exit), accounts: reports })
    return exit
  }
  for (const report of reports) {
    const { done, problems } = formatReport(report)
    if (!isQuiet || report.hostnames.some(({ answered }) => answered !== null)) print(...done)
    for (const line of problems) writeError(`${line}\n`)
  }
  return exit
}

const exitOfReports = (reports: readonly AccountReport[]): Exit =>
  exitOf(worstOutcome(reports.map(({ outcome }) => outcome)))

async function printDryRun(
  settings: ResolvedSettings,
  options: OneShotOptions,
  flags: OutputFlags & Pick<UpdateFlags, 'reply'>,
): Promise<Exit> {
  const reply = flags.reply === undefined ? ok(undefined) : await savedReply(flags.reply)
  if (!reply.ok) return fail({ exit: 'usage', messages: [reply.error] }, flags.asJson)
  const { requests, reports } = await dryRun(settings, options, reply.value)
  if (requests.length === 0) return printReports(reports, flags)
  if (flags.asJson && reply.value !== undefined) {
    const exit = exitOfReports(reports)
    printJson({ exit: exitResult(exit), wouldSend: requests, accounts: reports })
    return exit
  }
  if (flags.asJson) printJson({ exit: exitResult('settled', 'nothing was sent'), wouldSend: requests })
  else print(...requests.flatMap(requestLines))
  if (reply.value === undefined) return withOutput('settled')
  print('', '# what this answer would mean')
  return printReports(reports, flags)
}

const REPLY_ALONE = '--reply says what a saved answer would mean, and sends nothing; write --dry-run too'

/** An answer in a file: its body, or all of it as curl -i prints it. */
async function savedReply(file: string): Promise<Result<SavedReply, string>> {
  const text = await readNamedFile(file, MAX_REPLY)
  if (!text.ok) return err(`--reply ${file} ${text.error}`)
  const [, status, fields = '', body = ''] =
    /^HTTP\/[\d.]+ (\d{3})[^\n]*\n((?:[^\r\n]+\r?\n)*)\r?\n?([^]*)$/.exec(text.value) ?? []
  if (status === undefined) return ok({ status: 200, headers: {}, body: text.value })
  const headers = fields
    .split(/\r?\n/)
    .filter((line) => line.includes(':'))
    .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
  return ok({ status: Number(status), headers: Object.fromEntries(headers), body })
}

/** In octets. */
const MAX_REPLY = 262_144

/** The request as on the wire (RFC 9112 §3). */
function requestLines({ method, url, headers, body }: MaskedRequest): readonly string[] {
  if (url.startsWith('dns:'))
    return [`# to ${url}, not sent; a change follows where an address differs`, body ?? '']
  const { host, origin } = new URL(url)
  return [
    `# to ${origin}, not sent`,
    // Not the path of the URL, in which «secret» would be percent-encoded.
    `${method} ${url.slice(origin.length)} HTTP/1.1`,
    `host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['', body]),
  ]
}
