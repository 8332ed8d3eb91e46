import { release, type } from 'node:os'
import { type Result, err, ok } from '../base/result.ts'
import { formatInstant, formatLocal, instant } from '../base/time.ts'
import { accountKey } from '../config/read-client.ts'
import type { AgentEvent } from '../client/agent/events.ts'
import { type Show, wordingOf } from '../client/agent/wording.ts'
import { LOOK, POKE, makeInbox } from '../client/agent/inbox.ts'
import type { Agent, Charge } from '../client/agent/run.ts'
import { fingerprint } from '../client/decide/lift.ts'
import type { Plan } from '../client/decide/plan.ts'
import { NEW_STATE, type State } from '../client/decide/state.ts'
import { type Memory, fileMemory } from '../client/memory/memory.ts'
import { type Timeline, timeline } from '../client/memory/timeline.ts'
import type { Line } from '../client/send/exchange.ts'
import { clockBy, everyInterval, systemClocks, systemDice } from '../platform/clock.ts'
import { fallbackFolders } from '../platform/fallback-folders.ts'
import { systemFiles } from '../platform/files.ts'
import { serviceHttp } from '../platform/service-http.ts'
import type { HttpOutcome } from '../ports/http.ts'
import type { Log } from '../ports/log.ts'
import type { Schedule } from '../ports/clock.ts'
import type { Address, Family } from '../net/address.ts'
import { agentToken, formatUserAgent } from '../protocol/user-agent.ts'
import { ABOUT } from './about.ts'
import type { Lookout, MakeLookout } from './lookout.ts'
import type { Account, Failure, Settings } from './settings.ts'

export interface Composed {
  readonly agent: Agent
  /** Ask the loop to end: it finishes the request under way, and gives even that up after a while. */
  readonly end: () => void
  readonly time: Timeline
  readonly lookout: Lookout
}

/** Time for the request under way when we are asked to end. Supervisors wait five seconds and more. */
const GRACE = 4000

/** Events that a report at the end says better. */
export const SAID_BY_REPORT: ReadonlySet<AgentEvent['kind']> = new Set([
  'waiting',
  'stopped',
  'offlineRefused',
  'unreached',
  'retrying',
  'paced',
  'addressUnknown',
  'notUnderstood',
  'settled',
])

export interface Audience {
  readonly log: Log
  readonly hear: (event: AgentEvent) => void
  /** Kinds that are heard but not logged. */
  readonly unlogged: ReadonlySet<AgentEvent['kind']>
  readonly show?: Agent['show']
  /** Called while the loop waits, at least once a minute. */
  readonly beat?: () => void
  readonly settleWithin?: Agent['settleWithin']
  /** Nothing is sent that could not be remembered. */
  readonly mustRemember?: boolean
  /** Nothing on disk is touched, not even to set a broken file aside. */
  readonly isRehearsal?: boolean
}

export function composeClient(
  settings: Settings,
  {
    log,
    hear,
    unlogged,
    show: showRest = () => undefined,
    beat = () => undefined,
    isRehearsal = false,
    mustRemember = false,
    settleWithin,
  }: Audience,
  schedule: Schedule,
  makeLookout: MakeLookout,
): Composed {
  const [end, abandon] = [new AbortController(), new AbortController()]
  const time = timeline(systemClocks())
  const tell = teller(settings, time, { log, hear, unlogged })
  let latest: State = NEW_STATE
  const inbox = makeInbox()
  const lookout = makeLookout(settings, {
    tell,
    agent: userAgentOf(settings),
    ring: (isNewWay) => inbox.put(isNewWay ? POKE : LOOK),
    published: (family) => confirmedIn(latest, family),
    end: end.signal,
  })
  const agent: Agent = {
    clock: clockBy(() => time.now(), beat),
    dice: systemDice,
    schedule,
    memory: memoryOf(settings, time, tell, isRehearsal),
    http: tracing(log),
    charges: chargesOf(settings, lookout),
    inbox,
    whenStopped: settings.config.whenStopped,
    tell,
    show: (rest) => {
      latest = rest.state
      showRest(rest)
    },
    mustRemember,
    ...(settleWithin !== undefined && { settleWithin }),
    end: end.signal,
    abandon: abandon.signal,
  }
  const stop = (): void => {
    end.abort()
    setTimeout(() => abandon.abort(), GRACE).unref()
  }
  return { agent, end: stop, time, lookout }
}

function memoryOf(
  settings: Settings,
  time: Timeline,
  tell: (event: AgentEvent) => void,
  isRehearsal: boolean,
): Memory {
  const untouched = {
    rename: () => Promise.resolve(),
    makeFolder: () => Promise.resolve(),
    makePrivateFolder: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    replace: () => Promise.resolve(),
  }
  const files = isRehearsal ? { ...systemFiles, ...untouched } : systemFiles
  return fileMemory(files, stateFoldersOf(settings), time, tell)
}

/** Each event to who listens, and in words to the log. */
function teller(
  settings: Settings,
  time: Timeline,
  { log, hear, unlogged }: Pick<Audience, 'log' | 'hear' | 'unlogged'>,
): (event: AgentEvent) => void {
  const clear = new Set<string>()
  const show: Show = {
    account: (key) => labelOf(settings, key),
    time: (at) => formatLocal(time.wallAt(at)),
  }
  return (event) => {
    if (event.kind === 'keyInClear' && clear.has(event.account)) return
    if (event.kind === 'keyInClear') clear.add(event.account)
    const { kind, ...facts } = event
    if (!unlogged.has(kind)) {
      const { level, says, line } = wordingOf(event)
      log(level, says, shown(facts, time), line(event, show))
    }
    hear(event)
  }
}

/** Every address of the family that any hostname was confirmed at last. */
const confirmedIn = ({ accounts }: State, family: Family): readonly Address[] =>
  Object.values(accounts).flatMap(({ hosts }) =>
    Object.values(hosts).flatMap(({ confirmed }) => confirmed[family] ?? []),
  )

/** The configured folder, and those that stand in where it cannot be written. */
export const stateFoldersOf = ({ stateDir }: Pick<Settings, 'stateDir'>): readonly string[] => [
  stateDir,
  ...fallbackFolders(stateDir, process.env),
]

/** What the user calls an account, with what it is; without a name, only that. */
const labelOf = ({ accounts }: Settings, key: string): string => {
  const name = accounts.find((account) => accountKey(account) === key)?.name
  return name === undefined ? key : `${name} (${key})`
}

/** The wire at trace level, without what must not be seen: of headers only names, of a body its length, for it may mirror us. */
const tracing =
  (log: Log): Agent['http'] =>
  async (request, signal) => {
    log('trace', 'http request', { url: request.url, headers: Object.keys(request.headers) })
    const outcome = await serviceHttp(request, signal)
    log('trace', 'http outcome', shownOf(outcome))
    return outcome
  }

function shownOf(outcome: HttpOutcome): Record<string, unknown> {
  const answer = outcome.kind === 'answered' ? outcome : outcome.partial
  const heard = answer && { status: answer.status, length: answer.body.length }
  return outcome.kind === 'answered'
    ? { ...heard }
    : { stage: outcome.stage, because: outcome.because, ...heard }
}

/** Moments by the wall clock, as people read them; the rest of the facts as they are. */
const shown = (facts: Readonly<Record<string, unknown>>, time: Timeline): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) =>
      (key === 'until' || key === 'since') && typeof value === 'number'
        ? [key, formatInstant(time.wallAt(instant(value)))]
        : [key, value],
    ),
  )

export const userAgentOf = ({ config }: Settings): string =>
  config.userAgent ??
  formatUserAgent({
    company: 'Holdfast',
    product: 'holdfast',
    version: `${agentToken(type())}-${agentToken(release())}-${ABOUT.version}`,
    ...(config.contact !== undefined && { contact: config.contact }),
  })

/** The accounts as the loop wants them; `lookout` knows their addresses. */
export const chargesOf = (settings: Settings, lookout: Lookout): readonly Charge[] =>
  settings.accounts.map((account) => ({
    plan: planOf(account, settings),
    line: lineOf(account, settings),
    source: lookout.sourceOf(account),
    sources: Object.fromEntries(account.hosts.map((host) => [host.name, lookout.sourceOf(account, host)])),
  }))

/** What is wanted of each account, for who does not look at addresses. */
export const plansOf = (settings: Settings): readonly Plan[] =>
  settings.accounts.map((account) => planOf(account, settings))

function planOf(account: Account, { config }: Settings): Plan {
  const key = accountKey(account)
  return {
    account: key,
    ...(account.name !== undefined && { name: account.name }),
    hostnames: account.hostnames,
    families: [...(account.ipv4 ? (['v4'] as const) : []), ...(account.ipv6 ? (['v6'] as const) : [])],
    reliesOnConnection: account.myip === 'connection',
    isOffline: account.offline,
    nohostStops: account.nohostStops,
    refreshAfter: account.refresh,
    endpoints: endpointsOf(account).length,
    ipv6In: account.ipv6Parameter,
    pace: account.pace,
    ...(account.batch !== undefined && { batch: account.batch }),
    fingerprints: fingerprintsOf(account, key, config),
  }
}

function lineOf(account: Account, settings: Settings): Line {
  const { connectWithin, answerWithin } = settings.config
  const { username, password, authorities, ipv6Parameter: ipv6In } = account
  return {
    account: accountKey(account),
    endpoints: endpointsOf(account),
    credentials: { username, password },
    agent: userAgentOf(settings),
    ipv6In,
    connectWithin,
    answerWithin,
    ...(authorities !== undefined && { authorities }),
  }
}

/** The kernel's release is in the User-Agent too, and no reason to speak again after a badagent: only our own part counts. */
function fingerprintsOf(account: Account, key: string, config: Settings['config']): Plan['fingerprints'] {
  const credentials = fingerprint(key, account.password.reveal())
  const { offline, hostnames, ipv6Parameter } = account
  return {
    credentials,
    agent: fingerprint(key, ABOUT.version, config.userAgent ?? '', config.contact ?? ''),
    settings: fingerprint(credentials, JSON.stringify([offline, hostnames, ipv6Parameter])),
  }
}

/** Ports 80 and 8245 are for networks that block https, and only where the user accepts that the key travels in clear. */
function endpointsOf({ server, httpFallback }: Account): readonly string[] {
  if (!httpFallback) return [server]
  const host = new URL(server).hostname
  return [server, `http://${host}`, `http://${host}:8245`]
}

/** The schedule that the settings ask for. A cron expression brings its reader with it, so that only its users load that. */
export async function scheduleOf({ config }: Settings): Promise<Result<Schedule, Failure>> {
  if (config.schedule === undefined) return ok(everyInterval(config.interval))
  const { cronSchedule } = await import('../platform/schedule.ts')
  const schedule = cronSchedule(config.schedule)
  return schedule.ok ? schedule : err({ exit: 'configuration', says: [`schedule ${schedule.error}`] })
}
