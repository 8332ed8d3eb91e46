import { formatInstant, formatLocal, instant } from '../../base/time.ts'
import type { Agent } from '../../client/agent/agent.ts'
import type { AgentEvent } from '../../client/agent/events.ts'
import { LOOK, makeInbox, POKE } from '../../client/agent/inbox.ts'
import { type EventFormat, wordingOf } from '../../client/agent/wording.ts'
import { NEW_STATE, type State } from '../../client/decide/state.ts'
import { type ClientTime, clientTime } from '../../client/memory/client-time.ts'
import { fileMemory } from '../../client/memory/file-memory.ts'
import type { Memory } from '../../client/memory/memory.ts'
import { accountKey } from '../../config/client-checks.ts'
import type { Address, Family } from '../../net/address.ts'
import { clockBy, systemClocks, systemRandom } from '../../platform/clock.ts'
import { fallbackFolders } from '../../platform/fallback-folders.ts'
import { systemFiles } from '../../platform/files.ts'
import { serviceHttp } from '../../platform/service-http.ts'
import type { Schedule } from '../../ports/clock.ts'
import type { HttpOutcome } from '../../ports/http.ts'
import type { Log } from '../../ports/log.ts'
import type { AddressDetection, MakeAddressDetection } from './address-detection.ts'
import { jobsOf, userAgentOf } from './jobs.ts'
import type { ResolvedSettings } from './settings.ts'

export interface ComposedClient {
  readonly agent: Agent
  /** Ask the loop to end: it finishes the request under way, and gives even that up after a while. */
  readonly end: () => void
  readonly clientTime: ClientTime
  readonly detection: AddressDetection
}

/** Time for the request under way when we are asked to end. Supervisors wait five seconds and more. */
const GRACE = 4000

/** Events that a report at the end says better. */
export const IN_REPORT: ReadonlySet<AgentEvent['kind']> = new Set([
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

export interface ClientOutputs {
  readonly log: Log
  readonly hear: (event: AgentEvent) => void
  /** Kinds that are heard but not logged. */
  readonly unlogged: ReadonlySet<AgentEvent['kind']>
  readonly show?: Agent['onState']
  /** Called while the loop waits, at least once a minute. */
  readonly beat?: () => void
  readonly familyTimeout?: Agent['familyTimeout']
  /** Nothing is sent that could not be remembered. */
  readonly mustRemember?: boolean
  /** Nothing on disk is touched, not even to set a broken file aside. */
  readonly isRehearsal?: boolean
}

export function composeClient(
  settings: ResolvedSettings,
  {
    log,
    hear,
    unlogged,
    show: showRest = () => undefined,
    beat = () => undefined,
    isRehearsal = false,
    mustRemember = false,
    familyTimeout,
  }: ClientOutputs,
  schedule: Schedule,
  makeLookout: MakeAddressDetection,
): ComposedClient {
  const [end, abandon] = [new AbortController(), new AbortController()]
  const time = clientTime(systemClocks())
  const tell = teller(settings, time, { log, hear, unlogged })
  let latest: State = NEW_STATE
  const inbox = makeInbox()
  const detection = makeLookout(settings, {
    tell,
    userAgent: userAgentOf(settings),
    wake: (isNewWay) => inbox.put(isNewWay ? POKE : LOOK),
    published: (family) => confirmedIn(latest, family),
    end: end.signal,
  })
  const agent: Agent = {
    clock: clockBy(() => time.now(), beat),
    random: systemRandom,
    schedule,
    memory: memoryOf(settings, time, tell, isRehearsal),
    http: tracing(log),
    jobs: jobsOf(settings, detection),
    inbox,
    whenStopped: settings.config.whenStopped,
    emit: tell,
    onState: (rest) => {
      latest = rest.state
      showRest(rest)
    },
    mustSave: mustRemember,
    ...(familyTimeout !== undefined && { familyTimeout: familyTimeout }),
    end: end.signal,
    abandon: abandon.signal,
  }
  const stop = (): void => {
    end.abort()
    setTimeout(() => abandon.abort(), GRACE).unref()
  }
  return { agent, end: stop, clientTime: time, detection: detection }
}

function memoryOf(
  settings: ResolvedSettings,
  time: ClientTime,
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
  return fileMemory(stateFoldersOf(settings), { files, time, report: tell })
}

/** Each event to who listens, and in words to the log. */
function teller(
  settings: ResolvedSettings,
  time: ClientTime,
  { log, hear, unlogged }: Pick<ClientOutputs, 'log' | 'hear' | 'unlogged'>,
): (event: AgentEvent) => void {
  const clear = new Set<string>()
  const show: EventFormat = {
    account: (key) => labelOf(settings, key),
    time: (at) => formatLocal(time.wallAt(at)),
  }
  return (event) => {
    if (event.kind === 'keyInClear' && clear.has(event.account)) return
    if (event.kind === 'keyInClear') clear.add(event.account)
    const { kind, ...facts } = event
    if (!unlogged.has(kind)) {
      const { level, msg, line } = wordingOf(event)
      log(level, msg, { fields: shown(facts, time), line: line(event, show) })
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
export const stateFoldersOf = ({ stateDir }: Pick<ResolvedSettings, 'stateDir'>): readonly string[] => [
  stateDir,
  ...fallbackFolders(stateDir, process.env),
]

/** What the user calls an account, with what it is; without a name, only that. */
const labelOf = ({ accounts }: ResolvedSettings, key: string): string => {
  const name = accounts.find((account) => accountKey(account) === key)?.name
  return name === undefined ? key : `${name} (${key})`
}

/** The wire at trace level, without what must not be seen: of headers only names, of a body its length, for it may mirror us. */
const tracing =
  (log: Log): Agent['http'] =>
  async (request, signal) => {
    log('trace', 'http request', { fields: { url: request.url, headers: Object.keys(request.headers) } })
    const outcome = await serviceHttp(request, signal)
    log('trace', 'http outcome', { fields: shownOf(outcome) })
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
const shown = (facts: Readonly<Record<string, unknown>>, time: ClientTime): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) =>
      (key === 'until' || key === 'since') && typeof value === 'number'
        ? [key, formatInstant(time.wallAt(instant(value)))]
        : [key, value],
    ),
  )
