import { LEVELS, type Level } from '../base/level.ts'
import { instant } from '../base/time.ts'
import { type Agent, type Rest, once, run } from '../client/agent/run.ts'
import type { Observation } from '../client/decide/observation.ts'
import { worst } from '../client/report/outcome.ts'
import { type AccountReport, collector, reportOn, sayReport } from '../client/report/report.ts'
import { StateUnreadable } from '../client/memory/memory.ts'
import type { HttpRequest } from '../ports/http.ts'
import { readQuery } from '../protocol/request.ts'
import { type Composed, SAID_BY_REPORT, composeClient } from './client.ts'
import { EXITS, type Exit, exitOf } from './exit-codes.ts'
import type { Flags } from './main.ts'
import { fail, logTo, print, printJson } from './output.ts'
import { readSettings } from './settings.ts'
import { onSignals } from './signals.ts'

/** Nobody looks again in a one-shot run. */
const NEVER = { nextAfter: () => instant(8_640_000_000_000_000) }

/** `holdfast update`: the same loop as the daemon's, with as much as can be done now as its notion of enough. */
export async function updateCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const { logLevel } = settings.value.config
  const log = logTo(logLevel, asJson)
  for (const warning of settings.value.warnings) log('warn', warning)
  const heard = collector()
  const { agent, end, time } = composeClient(
    settings.value,
    {
      log,
      hear: heard.hear,
      unlogged: isPlain(logLevel) ? SAID_BY_REPORT : new Set(),
      isRehearsal: flags['dry-run'] === true,
    },
    NEVER,
  )
  const release = onSignals(end)
  try {
    if (flags['dry-run'] === true) return await rehearse({ agent, time }, flags, asJson)
    const rest = await run(agent, openingOf(flags), once)
    return conclude({ agent, time }, rest, heard, asJson)
  } catch (error) {
    if (error instanceof StateUnreadable)
      return fail({ exit: 'configuration', says: [error.message] }, asJson)
    throw error
  } finally {
    release()
  }
}

/** The report at the end says what was done; who asks for more than the usual wants to see it happen. */
const isPlain = (level: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf('info')

type Running = Pick<Composed, 'agent' | 'time'>

/** A person who runs the command wants it tried now: the short retries are the daemon's patience, not the service's. */
const openingOf = (flags: Flags): readonly Observation[] => [
  { kind: 'started' },
  { kind: 'networkChanged' },
  ...(flags['force'] === true ? [{ kind: 'forced' } as const] : []),
]

function conclude(
  { agent, time }: Running,
  rest: Rest,
  heard: ReturnType<typeof collector>,
  asJson: boolean,
): Exit {
  const now = agent.clock.now()
  const reports = agent.charges.map(({ plan }) =>
    reportOn(plan, rest, heard, { now, wallAt: (at) => time.wallAt(at) }),
  )
  const exit = exitOf(worst(reports.map(({ outcome }) => outcome)))
  if (asJson) printJson(asResult(exit, reports))
  else print(...reports.flatMap(sayReport))
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
  const memory = { ...agent.memory, save: () => Promise.resolve() }
  const rest = await run({ ...agent, http, memory, tell: () => undefined }, openingOf(flags), once)
  if (forms.length === 0) return conclude({ agent, time }, rest, collector(), asJson)
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
