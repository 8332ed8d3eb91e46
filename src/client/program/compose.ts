import { formatInstant, formatLocal, instant, seconds } from '../../shared/base/time.ts'
import { type Agent, LOOK_REQUEST, makeInbox, POKE_REQUEST } from '../agent/agent.ts'
import { NEW_STATE, type State } from '../decide/state.ts'
import { type ClientTime, clientTime } from '../agent/memory/client-time.ts'
import { fileMemory, lastSavePaths } from '../agent/memory/file-memory.ts'
import type { Schedule } from '../../shared/ports/clock.ts'
import type { Files } from '../../shared/ports/files.ts'
import type { SystemPorts } from '../../shared/ports/system.ts'
import type {
  AddressDetection,
  DetectionListeners,
  MakeAddressDetection,
} from '../detect/address-detection.ts'
import { dnsSendingOf, tracedHttp } from '../agent/send/dns-sending.ts'
import { jobsOf, userAgentOf } from './jobs.ts'
import { confirmedIn } from './state/confirmed.ts'
import type { ResolvedSettings } from '../settings/settings.ts'
import type { AgentEvent } from '../agent/events.ts'
import { type EventFormat, wordingOf } from '../agent/wording.ts'
import { labelOf } from '../report/account-name.ts'
import { accountKey } from '../settings/client-checks.ts'
import type { Log } from '../../shared/ports/log.ts'
import type { Outcome } from '../report/cause.ts'
import type { Exit } from '../../shared/program/exit-codes.ts'

/** Events that the report at the end of a one-shot command repeats. */
export const REPORTED_AT_END: ReadonlySet<AgentEvent['kind']> = new Set([
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

interface EventOutputs {
  readonly log: Log
  readonly onEvent: (event: AgentEvent) => void
  /** Kinds of events that are not logged. */
  readonly unlogged: ReadonlySet<AgentEvent['kind']>
}

/** Logs each event, and passes it on. */
function eventLog(
  { accounts }: Pick<ResolvedSettings, 'accounts'>,
  time: ClientTime,
  { log, onEvent, unlogged }: EventOutputs,
): (event: AgentEvent) => void {
  const warned = new Set<string>()
  const labels = new Map(
    accounts.map((account) => {
      const key = accountKey(account)
      return [key, labelOf({ account: key, name: account.name })]
    }),
  )
  const format: EventFormat = {
    account: (key) => labels.get(key) ?? key,
    time: (at) => formatLocal(time.wallAt(at)),
  }
  return (event) => {
    // One warning for each account is enough.
    if (event.kind === 'keyInClear' || event.kind === 'movedToHttps') {
      const warning = `${event.kind} ${event.account}`
      if (warned.has(warning)) return
      warned.add(warning)
    }
    const { kind, ...facts } = event
    if (!unlogged.has(kind)) {
      const { level, msg, line } = wordingOf(event)
      log(level, msg, { fields: withWallTimes(facts, time), line: line(event, format) })
    }
    onEvent(event)
  }
}

/** The facts with their moments of client time as RFC 3339 text by the wall clock. */
const withWallTimes = (facts: Readonly<Record<string, unknown>>, time: ClientTime): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([key, value]) =>
      (key === 'until' || key === 'since') && typeof value === 'number'
        ? [key, formatInstant(time.wallAt(instant(value)))]
        : [key, value],
    ),
  )

export interface ComposedClient {
  readonly agent: Agent
  /** Ends the loop after the request under way, and aborts that request after a while. */
  readonly end: () => void
  readonly clientTime: ClientTime
  readonly detection: AddressDetection
}

/** For the request under way at the end. Supervisors wait five seconds or more. */
const END_TIMEOUT = seconds(4)

export interface ClientParts extends EventOutputs {
  readonly system: SystemPorts
  readonly schedule: Schedule
  readonly makeDetection: MakeAddressDetection
  readonly onState?: Agent['onState']
  /** Each answer of an address source. */
  readonly onAnswer?: DetectionListeners['onAnswer']
  /** Called while the loop waits, at least once a minute. */
  readonly onWait?: () => void
  readonly familyTimeout?: Agent['familyTimeout']
  /** See `Agent.mustSave`. */
  readonly mustSave?: boolean
  /** Changes nothing on disk: a broken state file is not set aside either. */
  readonly isDryRun?: boolean
}

/** The client with its ports. */
export function composeClient(settings: ResolvedSettings, parts: ClientParts): ComposedClient {
  const { system, schedule, makeDetection, log, familyTimeout } = parts
  const { onState = () => undefined, onWait = () => undefined } = parts
  const [end, abandon] = [new AbortController(), new AbortController()]
  const time = clientTime(system.clocks)
  const emit = eventLog(settings, time, parts)
  let latest: State = NEW_STATE
  let onLoaded: () => void = () => undefined
  const isLoaded = new Promise<void>((done) => (onLoaded = done))
  const inbox = makeInbox()
  const detection = makeDetection(settings, {
    report: emit,
    ...(parts.onAnswer !== undefined && { onAnswer: parts.onAnswer }),
    userAgent: userAgentOf(settings),
    wake: ({ mayRetry }) => inbox.put(mayRetry ? POKE_REQUEST : LOOK_REQUEST),
    published: (family) => confirmedIn(latest, family),
    remembered: async (family) => isLoaded.then(() => latest.lines?.[family]),
    end: end.signal,
  })
  const agent: Agent = {
    clock: system.clockBy(() => time.now(), onWait),
    random: system.random,
    schedule,
    memory: fileMemory(settings.stateFolders, {
      files: parts.isDryRun === true ? unchanged(system.files) : system.files,
      isOnRequest: parts.isDryRun === true,
      lastSaves: lastSavePaths(settings.runtimeDir, settings.stateDir),
      time,
      report: emit,
    }),
    http: tracedHttp(log, system.http),
    dns: dnsSendingOf(log, system),
    jobs: jobsOf(settings, detection),
    inbox,
    whenStopped: settings.config.whenStopped,
    emit,
    onInterruption: () => detection.hint('wake'),
    lines: () => detection.lines(),
    onState: (loop) => {
      latest = loop.state
      onLoaded()
      onState(loop)
    },
    mustSave: parts.mustSave ?? false,
    ...(familyTimeout !== undefined && { familyTimeout }),
    end: end.signal,
    abandon: abandon.signal,
  }
  const stop = (): void => {
    end.abort()
    system.steady.deadline(END_TIMEOUT).addEventListener('abort', () => abandon.abort())
  }
  return { agent, end: stop, clientTime: time, detection }
}

/** Reads files and changes none. */
const unchanged = (files: Files): Files => ({
  ...files,
  makeFolder: () => Promise.resolve(),
  makePrivateFolder: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  replace: () => Promise.resolve(),
  jot: () => false,
})

export const exitOf = (outcome: Outcome): Exit => (outcome === 'addressUnknown' ? 'unreached' : outcome)
