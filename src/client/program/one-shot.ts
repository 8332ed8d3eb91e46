import { isAtLeast } from '../../shared/base/level.ts'
import { LAST_INSTANT } from '../../shared/base/time.ts'
import type { Agent, LoopState } from '../agent/agent.ts'
import { once, run } from '../agent/run.ts'
import type { Observation } from '../decide/observation.ts'
import { answeredAll } from '../services/protocols/answers.ts'
import {
  type DnsStep,
  isStep,
  type ServiceAnswer,
  type UpdateProtocol,
} from '../services/protocols/protocol.ts'
import {
  type AccountReport,
  clockView,
  ExchangeLog,
  type ExchangeView,
  reportAccounts,
} from '../report/report.ts'
import type { Schedule } from '../../shared/ports/clock.ts'
import type { OutgoingRequest } from '../../shared/ports/http.ts'
import type { Log } from '../../shared/ports/log.ts'
import type { SystemPorts } from '../../shared/ports/system.ts'
import { nameServerUrl } from '../agent/send/dns-exchange.ts'
import { MEANINGS } from '../../shared/protocol/reply.ts'
import { type MakeAddressDetection, NO_DETECTION } from '../detect/address-detection.ts'
import { type ClientParts, composeClient, type ComposedClient, REPORTED_AT_END } from './compose.ts'
import { Notifications } from '../notify/notifications.ts'
import type { ResolvedSettings } from '../settings/settings.ts'

/** A one-shot run looks once. */
const NO_SCHEDULE: Schedule = { nextAfter: () => LAST_INSTANT }

export interface OneShotOptions {
  readonly system: SystemPorts
  readonly log: Log
  readonly isForced: boolean
  /** Registers a listener for signals that ask to stop, and returns what removes it. */
  readonly onStop: (stop: () => void) => () => void
}

/** The loop of the daemon, until nothing is left to do now. */
export async function updateOnce(settings: ResolvedSettings, options: OneShotOptions): Promise<Update> {
  const exchanges = new ExchangeLog()
  const notifications = new Notifications(options.log, options.system)
  await notifications.adopt(settings)
  const composed = await compose(settings, options, {
    onEvent: (event) => {
      exchanges.record(event)
      notifications.record(event)
    },
    onState: (loop) => notifications.take(() => reportsOf(composed, loop, exchanges)),
    mustSave: true,
  })
  return untilEnd(composed, options, async () => {
    const loop = await run({ ...composed.agent, whenStopped: 'exit' }, openingOf(options), once)
    const reports = reportsOf(composed, loop, exchanges)
    notifications.take(() => reports)
    return { reports, notified: async (signal) => notifications.finish(NOTIFICATION_TIMEOUT, signal) }
  })
}

/** In milliseconds, for all programs and requests that tell what a one-shot did. */
const NOTIFICATION_TIMEOUT = 30_000

interface Update {
  readonly reports: readonly AccountReport[]
  /** Waits until everyone is told, or until the signal. */
  readonly notified: (signal: AbortSignal) => Promise<void>
}

/** The requests that an update would send; without any, the reports say why. */
interface DryRun {
  readonly requests: readonly MaskedRequest[]
  readonly reports: readonly AccountReport[]
}

/** An HTTP request with «secret» in the place of each secret. */
export interface MaskedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer that a service gave before. */
export type SavedReply = Pick<ServiceAnswer, 'status' | 'headers' | 'body'>

/** Each request succeeds with any answer; without `isAll`, only messages of DNS, which have no saved answer. */
const succeeding = (
  { begin }: UpdateProtocol,
  { isAll, onDns }: { readonly isAll: boolean; readonly onDns: (step: DnsStep) => void },
): UpdateProtocol => ({
  begin: (update) => {
    const step = begin(update)
    const read = () => answeredAll(update.request, MEANINGS.changed)
    if (isStep(step)) return isAll ? { request: step.request, read } : step
    const compose: DnsStep['compose'] = () => {
      onDns(step)
      return { messages: [], read }
    }
    return { ...step, compose }
  },
})

/**
 * Runs as if every request succeeded, or had this answer. Sends nothing to the service and changes nothing on disk.
 */
export async function dryRun(
  settings: ResolvedSettings,
  options: OneShotOptions,
  reply?: SavedReply,
): Promise<DryRun> {
  const composed = await compose(settings, options, { onEvent: () => undefined, isDryRun: true })
  const requests: MaskedRequest[] = []
  const http: Agent['http'] = (request) => {
    requests.push(shown(request))
    return Promise.resolve({ kind: 'answered', ...(reply ?? { status: 200, headers: {}, body: '' }) })
  }
  const onDns = (step: DnsStep): unknown =>
    requests.push({ method: 'DNS', url: nameServerUrl(step), headers: {}, body: step.shown.join('\n') })
  const jobs = composed.agent.jobs.map((job) => ({
    ...job,
    endpoint: {
      ...job.endpoint,
      protocol: succeeding(job.endpoint.protocol, { isAll: reply === undefined, onDns }),
    },
  }))
  const dns: Agent['dns'] = { ...composed.agent.dns, ask: async () => Promise.resolve([]) }
  const memory = { ...composed.agent.memory, save: () => Promise.resolve(undefined) }
  const agent: Agent = {
    ...composed.agent,
    jobs,
    http,
    dns,
    memory,
    emit: () => undefined,
    whenStopped: 'exit',
  }
  return untilEnd(composed, options, async () => {
    const loop = await run(agent, openingOf(options), once)
    return { requests, reports: reportsOf(composed, loop, new ExchangeLog()) }
  })
}

const compose = async (
  settings: ResolvedSettings,
  { log, system }: OneShotOptions,
  parts: Pick<ClientParts, 'onEvent' | 'onState' | 'isDryRun' | 'mustSave'>,
): Promise<ComposedClient> =>
  composeClient(settings, {
    system,
    log,
    schedule: NO_SCHEDULE,
    makeDetection: await detectionFor(settings, system),
    // With a more detailed log level the user wants to see each event when it happens.
    unlogged: isAtLeast(settings.config.logLevel, 'info') ? REPORTED_AT_END : new Set<never>(),
    ...parts,
  })

async function untilEnd<T>(
  { end }: ComposedClient,
  { onStop }: OneShotOptions,
  work: () => Promise<T>,
): Promise<T> {
  const release = onStop(end)
  try {
    return await work()
  } finally {
    release()
    // Timers of the address detection must not hold the process open.
    end()
  }
}

/** The user who runs the command wants an attempt now: only the daemon waits for the retry schedule. */
const openingOf = ({ isForced }: OneShotOptions): readonly Observation[] => [
  { kind: 'started' },
  { kind: 'networkChanged' },
  ...(isForced ? [{ kind: 'forced' } as const] : []),
]

const reportsOf = (
  { agent, clientTime }: ComposedClient,
  loop: LoopState,
  exchanges: ExchangeView,
): readonly AccountReport[] =>
  reportAccounts({ ...loop, jobs: agent.jobs }, { exchanges, clock: clockView(clientTime) })

const shown = ({ method = 'GET', url, headers, body }: OutgoingRequest): MaskedRequest => ({
  method,
  url: String(url),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  ...(body !== undefined && { body: String(body) }),
})

/** With given addresses, the modules that detect addresses are not loaded. */
async function detectionFor(
  { accounts }: ResolvedSettings,
  system: SystemPorts,
): Promise<MakeAddressDetection> {
  if (accounts.every(({ myip }) => myip !== undefined)) return () => NO_DETECTION
  return (await import('../detect/detection.ts')).detectionBy(system)
}
