import { type Level, isHeard } from '../base/level.ts'
import { type Instant, instant } from '../base/time.ts'
import { type Agent, type Rest, once, run } from '../client/agent/run.ts'
import type { Observation } from '../client/decide/observation.ts'
import { worst } from '../client/report/outcome.ts'
import { type AccountReport, collector, viewOf } from '../client/report/report.ts'
import { sayReport } from '../client/report/say-report.ts'
import { StateNotKept, StateUnreadable } from '../client/memory/memory.ts'
import type { HttpRequest } from '../ports/http.ts'
import { readQuery } from '../protocol/request.ts'
import type { Addresses } from '../net/address.ts'
import type { Log } from '../ports/log.ts'
import { beside } from './beside.ts'
import { type Composed, SAID_BY_REPORT, composeClient, plansOf } from './client.ts'
import { lookoutFor } from './lookout.ts'
import { type Answer, wishOf } from './orders.ts'
import { EXITS, type Exit, exitOf } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { busy, fail, logTo, print, printJson } from './output.ts'
import { type Account, type Settings, readSettings } from './settings.ts'
import { onSignals } from './signals.ts'
import { writeError } from './streams.ts'

/** Nobody looks again in a one-shot run. */
const NEVER = { nextAfter: () => instant(8_640_000_000_000_000) }

/** `holdfast update`: the same loop as the daemon's, with as much as can be done now as its notion of enough. */
export async function updateCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const log = await logTo(settings.value.config.logLevel, asJson)
  for (const warning of settings.value.warnings) log('warn', warning)
  if (flags['dry-run'] === true) return updateAlone(flags, settings.value, log)
  const wishes = plansOf(settings.value).map((plan, at) => wishOf(plan, givenTo(settings.value.accounts[at])))
  const found = await beside(settings.value, { do: 'update', wishes, force: flags['force'] === true })
  if (found.kind === 'answered') return relay(found.answer, flags)
  if (found.kind === 'busy') return fail(busy(found.owner), asJson)
  try {
    return await updateAlone(flags, settings.value, log)
  } finally {
    await found.release()
  }
}

const givenTo = (account: Account | undefined): Addresses | undefined =>
  typeof account?.myip === 'object' ? account.myip : undefined

/** What the daemon did for us. */
const relay = ({ error, reports = [] }: Answer, flags: Flags): Exit =>
  error === undefined
    ? say(reports, flags)
    : fail({ exit: 'configuration', says: [error] }, flags['json'] === true)

async function updateAlone(flags: Flags, settings: Settings, log: Log): Promise<Exit> {
  const asJson = flags['json'] === true
  const heard = collector()
  const unlogged = isPlain(settings.config.logLevel) ? SAID_BY_REPORT : new Set<never>()
  const isRehearsal = flags['dry-run'] === true
  const { agent, end, time } = composeClient(
    settings,
    { log, hear: heard.hear, unlogged, isRehearsal, mustRemember: !isRehearsal },
    NEVER,
    await lookoutFor(settings),
  )
  const release = onSignals(end)
  try {
    if (isRehearsal) return await rehearse({ agent, time }, flags, asJson)
    // A one-shot has nothing to wait for when everything is stopped.
    const rest = await run({ ...agent, whenStopped: 'exit' }, openingOf(flags), once)
    return conclude({ agent, time }, rest, { heard, flags })
  } catch (error) {
    if (error instanceof StateUnreadable || error instanceof StateNotKept)
      return fail({ exit: 'configuration', says: [error.message] }, asJson)
    throw error
  } finally {
    release()
    end() // no pause of the detection keeps the process
  }
}

/** The report at the end says what was done; who asks for more than the usual wants to see it happen. */
const isPlain = (level: Level): boolean => isHeard(level, 'info')

type Running = Pick<Composed, 'agent' | 'time'>

/** A person who runs the command wants it tried now: the retries are the daemon's patience, not the service's. */
const openingOf = (flags: Flags): readonly Observation[] => [
  { kind: 'started' },
  { kind: 'networkChanged' },
  ...(flags['force'] === true ? [{ kind: 'forced' } as const] : []),
]

function conclude(
  { agent, time }: Running,
  rest: Rest,
  { heard, flags }: { readonly heard: ReturnType<typeof collector>; readonly flags: Flags },
): Exit {
  const when = { now: agent.clock.now(), wallAt: (at: Instant) => time.wallAt(at) }
  return say(viewOf({ ...rest, charges: agent.charges }, heard, when), flags)
}

/** What was done on standard output; what went wrong, with what to do, on standard error, so that cron hears of it. */
function say(reports: readonly AccountReport[], flags: Flags): Exit {
  const exit = exitOf(worst(reports.map(({ outcome }) => outcome)))
  if (flags['json'] === true) {
    printJson(asResult(exit, reports))
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

const asResult = (exit: Exit, accounts: readonly AccountReport[]): unknown => ({
  exit: { code: EXITS[exit].code, reason: exit, means: EXITS[exit].means },
  accounts,
})

/**
 * Shows what would be sent, all of it, as if every request were answered with success. Nothing is sent to the service
 * and nothing is remembered or moved on disk, so that running it changes nothing.
 */
async function rehearse({ agent, time }: Running, flags: Flags, asJson: boolean): Promise<Exit> {
  const forms: Shown[] = []
  const http: Agent['http'] = (request) => {
    forms.push(masked(request))
    const count = readQuery(new URL(request.url).search.slice(1)).hostnames?.length ?? 0
    return Promise.resolve({ kind: 'answered', status: 200, headers: {}, body: 'good\n'.repeat(count) })
  }
  const memory = { ...agent.memory, save: () => Promise.resolve(undefined) }
  const rest = await run(
    { ...agent, http, memory, tell: () => undefined, whenStopped: 'exit' },
    openingOf(flags),
    once,
  )
  if (forms.length === 0) return conclude({ agent, time }, rest, { heard: collector(), flags })
  if (asJson) printJson({ exit: { code: 0, reason: 'settled', means: 'nothing was sent' }, wouldSend: forms })
  else print(...forms.flatMap(wireForm))
  return 'settled'
}

interface Shown {
  readonly method: 'GET'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const masked = ({ url, headers }: HttpRequest): Shown => ({
  method: 'GET',
  url,
  headers: { ...headers, authorization: 'Basic «secret»' },
})

/** As it would stand on the wire (RFC 9112 §3). */
function wireForm({ url, headers }: Shown): readonly string[] {
  const { host, pathname, search, protocol } = new URL(url)
  return [
    `# to ${protocol}//${host}, not sent`,
    `GET ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
}
