import { desiredStatesOf } from '../app/client/jobs.ts'
import {
  type OneShotOptions,
  type Rehearsal,
  rehearse,
  type ShownRequest,
  updateOnce,
} from '../app/client/one-shot.ts'
import { exitOf } from '../app/client/outcome-exit.ts'
import { type ClientAccount, type ResolvedSettings, readSettings } from '../app/client/settings.ts'
import { asSingleInstance, busy } from '../app/client/single-instance.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import { logTo } from '../app/log.ts'
import { writeError } from '../app/streams.ts'
import { type ControlResponse, updateWish } from '../client/control/control-requests.ts'
import { StateNotSaved, StateUnreadable } from '../client/memory/memory.ts'
import { worst } from '../client/report/outcome.ts'
import type { AccountReport } from '../client/report/report.ts'
import { sayReport } from '../client/report/report-text.ts'
import type { Addresses } from '../net/address.ts'
import { exitResult, fail, print, printJson } from './output.ts'
import { onSignals } from './signals.ts'

/** `holdfast update`: brings the hostnames up to date once; a running daemon does it in its own loop. */
export async function updateCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const log = await logTo(settings.value.config.logLevel, asJson)
  for (const warning of settings.value.warnings) log('warn', warning)
  const options = { log, isForced: flags['force'] === true, onStop: onSignals }
  if (flags['dry-run'] === true)
    return readingState(asJson, async () => dryRun(settings.value, options, flags))
  const wishes = desiredStatesOf(settings.value).map((desired, at) =>
    updateWish(desired, givenTo(settings.value.accounts[at])),
  )
  const found = await asSingleInstance(settings.value, { do: 'update', wishes, force: options.isForced })
  if (found.kind === 'answered') return relay(found.answer, flags)
  if (found.kind === 'busy') return fail(busy(found.owner), asJson)
  try {
    return await readingState(asJson, async () => say(await updateOnce(settings.value, options), flags))
  } finally {
    await found.release()
  }
}

const givenTo = (account: ClientAccount | undefined): Addresses | undefined =>
  typeof account?.myip === 'object' ? account.myip : undefined

/** What the daemon answered. */
const relay = ({ error, reports = [] }: ControlResponse, flags: Flags): Exit =>
  error === undefined
    ? say(reports, flags)
    : fail({ exit: 'configuration', messages: [error] }, flags['json'] === true)

/** A state that cannot be read or kept is a matter of the configuration, not a bug. */
async function readingState(asJson: boolean, work: () => Promise<Exit>): Promise<Exit> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StateUnreadable || error instanceof StateNotSaved)
      return fail({ exit: 'configuration', messages: [error.message] }, asJson)
    throw error
  }
}

/** What was done on standard output; what went wrong, with what to do, on standard error, so that cron hears of it. */
function say(reports: readonly AccountReport[], flags: Flags): Exit {
  const exit = exitOf(worst(reports.map(({ outcome }) => outcome)))
  if (flags['json'] === true) {
    printJson({ exit: exitResult(exit), accounts: reports })
    return exit
  }
  const isQuiet = flags['quiet'] === true
  for (const report of reports) {
    const { done, trouble } = sayReport(report)
    if (!isQuiet || report.hostnames.some(({ answered }) => answered !== null)) print(...done)
    for (const line of trouble) writeError(`${line}\n`)
  }
  return exit
}

async function dryRun(settings: ResolvedSettings, options: OneShotOptions, flags: Flags): Promise<Exit> {
  const { requests, reports }: Rehearsal = await rehearse(settings, options)
  if (requests.length === 0) return say(reports, flags)
  if (flags['json'] === true)
    printJson({ exit: exitResult('settled', 'nothing was sent'), wouldSend: requests })
  else print(...requests.flatMap(wireForm))
  return 'settled'
}

/** As it would stand on the wire (RFC 9112 §3). */
function wireForm({ url, headers }: ShownRequest): readonly string[] {
  const { host, pathname, search, protocol } = new URL(url)
  return [
    `# to ${protocol}//${host}, not sent`,
    `GET ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
}
