import { isAtLeast } from '../../base/level.ts'
import { type Instant, LAST_INSTANT } from '../../base/time.ts'
import type { Agent } from '../../client/agent/agent.ts'
import type { LoopState } from '../../client/agent/loop-state.ts'
import { once, run } from '../../client/agent/run.ts'
import type { Observation } from '../../client/decide/observation.ts'
import { ExchangeLog, type ExchangeView } from '../../client/report/exchange-log.ts'
import { type AccountReport, reportAccounts } from '../../client/report/report.ts'
import type { Schedule } from '../../ports/clock.ts'
import type { HttpRequest } from '../../ports/http.ts'
import type { Log } from '../../ports/log.ts'
import { readQuery } from '../../protocol/request.ts'
import { type MakeAddressDetection, NO_DETECTION } from './address-detection.ts'
import { type ComposedClient, composeClient, IN_REPORT } from './compose.ts'
import type { ResolvedSettings } from './settings.ts'

/** A one-shot run looks once. */
const NO_SCHEDULE: Schedule = { nextAfter: () => LAST_INSTANT }

export interface OneShotOptions {
  readonly log: Log
  readonly isForced: boolean
  /** Registers what is called for a signal that asks to stop; gives what removes it. */
  readonly onStop: (stop: () => void) => () => void
}

/** The same loop as the daemon's, until nothing is left that can be done now. */
export async function updateOnce(
  settings: ResolvedSettings,
  options: OneShotOptions,
): Promise<readonly AccountReport[]> {
  const exchanges = new ExchangeLog()
  const composed = await compose(settings, options, {
    hear: (event) => exchanges.record(event),
    mustRemember: true,
  })
  return ending(composed, options, async () => {
    // A one-shot has nothing to wait for when everything is stopped.
    const loop = await run({ ...composed.agent, whenStopped: 'exit' }, openingOf(options), once)
    return reportsOf(composed, loop, exchanges)
  })
}

/** What would be sent: the exact requests, the secret masked; or, where nothing would be, how things stand. */
export interface Rehearsal {
  readonly requests: readonly ShownRequest[]
  readonly reports: readonly AccountReport[]
}

export interface ShownRequest {
  readonly method: 'GET'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Runs as if every request were answered with success. Nothing is sent to the service and nothing is written or moved on
 * disk, so that running it changes nothing.
 */
export async function rehearse(settings: ResolvedSettings, options: OneShotOptions): Promise<Rehearsal> {
  const composed = await compose(settings, options, { hear: () => undefined, isRehearsal: true })
  const requests: ShownRequest[] = []
  const http: Agent['http'] = (request) => {
    requests.push(masked(request))
    const count = readQuery(new URL(request.url).search.slice(1)).hostnames?.length ?? 0
    return Promise.resolve({ kind: 'answered', status: 200, headers: {}, body: 'good\n'.repeat(count) })
  }
  const memory = { ...composed.agent.memory, save: () => Promise.resolve(undefined) }
  const agent: Agent = { ...composed.agent, http, memory, emit: () => undefined, whenStopped: 'exit' }
  return ending(composed, options, async () => {
    const loop = await run(agent, openingOf(options), once)
    return { requests, reports: reportsOf(composed, loop, new ExchangeLog()) }
  })
}

const compose = async (
  settings: ResolvedSettings,
  { log }: OneShotOptions,
  more: Pick<Parameters<typeof composeClient>[1], 'hear' | 'isRehearsal' | 'mustRemember'>,
): Promise<ComposedClient> => {
  // The report at the end says what was done; a user who asks for more than the usual log sees it happen.
  const unlogged = isAtLeast(settings.config.logLevel, 'info') ? IN_REPORT : new Set<never>()
  return composeClient(settings, { log, unlogged, ...more }, NO_SCHEDULE, await addressDetectionFor(settings))
}

async function ending<T>(
  { end }: ComposedClient,
  { onStop }: OneShotOptions,
  work: () => Promise<T>,
): Promise<T> {
  const release = onStop(end)
  try {
    return await work()
  } finally {
    release()
    end() // no pause of the detection keeps the process
  }
}

/** A person who runs the command wants it tried now: the retry schedule is the daemon's, not the service's. */
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
  reportAccounts(
    { ...loop, jobs: agent.jobs },
    { exchanges, clock: { now: agent.clock.now(), wallAt: (at: Instant) => clientTime.wallAt(at) } },
  )

const masked = ({ url, headers }: HttpRequest): ShownRequest => ({
  method: 'GET',
  url,
  headers: { ...headers, authorization: 'Basic «secret»' },
})

/** Where every address is given, nothing that could find one out is loaded. */
async function addressDetectionFor({ accounts }: ResolvedSettings): Promise<MakeAddressDetection> {
  if (accounts.every(({ myip }) => myip !== undefined)) return () => NO_DETECTION
  return (await import('./detection.ts')).addressDetection
}
