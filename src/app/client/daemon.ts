import type { Result } from '../../base/result.ts'
import { type Duration, milliseconds } from '../../base/time.ts'
import type { Agent } from '../../client/agent/agent.ts'
import type { AgentEvent } from '../../client/agent/events.ts'
import type { LoopRequest } from '../../client/agent/inbox.ts'
import type { AccountJob, LoopState } from '../../client/agent/loop-state.ts'
import { forever, once, run } from '../../client/agent/run.ts'
import { listHostnames } from '../../client/agent/wording.ts'
import { accountOf, hostOf } from '../../client/decide/state.ts'
import { labelOf, listAccounts } from '../../client/report/account-name.ts'
import { type AccountReport, type ClockView, reportAccounts } from '../../client/report/report.ts'
import { ExchangeLog, type ExchangeView } from '../../client/report/exchange-log.ts'
import { notifier } from '../../platform/notify.ts'
import type { Schedule } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { onCrash } from '../crash.ts'
import type { Failure } from '../failure.ts'
import { type ComposedClient, composeClient } from './compose.ts'
import { openControlSocket } from './control-socket.ts'
import type { DaemonLocks } from './daemon-locks.ts'
import { addressDetection } from './detection.ts'
import { withGuardedMemory } from './guarded-memory.ts'
import { jobsOf } from './jobs.ts'
import { scheduleOf } from './client-schedule.ts'
import type { ResolvedSettings } from './settings.ts'

/** How long an address that is known waits for the one of the other family. */
const FAMILY_TIMEOUT: Duration = milliseconds(50)

export interface DaemonOptions {
  readonly settings: ResolvedSettings
  readonly schedule: Schedule
  readonly log: Log
  readonly locks: DaemonLocks
  /** Reads the settings again, for a reload. */
  readonly reread: () => Promise<Result<ResolvedSettings, Failure>>
  readonly signals: DaemonSignals
}

/** What a signal asks of the daemon. Each call registers a listener and gives what removes it. */
export interface DaemonSignals {
  readonly onStop: (stop: () => void) => () => void
  readonly onPoke: (poke: () => void) => () => void
  readonly onReload: (reload: () => void) => () => void
}

/** Where the daemon came to its end. */
export interface DaemonEnd {
  readonly reports: readonly AccountReport[]
  /** A signal asked for it, or another daemon holds the folders; undefined where every account is stopped. */
  readonly cause: 'asked' | 'lost' | undefined
}

/** The loop that never has enough, with its control socket, supervisor and signals; resolves when it has ended. */
export async function runDaemon(options: DaemonOptions): Promise<DaemonEnd> {
  const { settings, schedule, log, locks, signals } = options
  const exchanges = new ExchangeLog()
  const supervisor = notifier(process.env, () => performance.now())
  let latest: LoopState | undefined
  const show = (loop: LoopState): void => {
    // Not before the state is read: a daemon that could not start was never ready.
    if (latest === undefined) supervisor.ready()
    latest = loop
    supervisor.status(inShort(loop))
  }
  const outputs = {
    log,
    hear: (event: AgentEvent) => exchanges.record(event),
    unlogged: new Set<never>(),
    show,
  }
  const beat = (): void => supervisor.beat()
  const composed = composeClient(
    settings,
    { ...outputs, beat, familyTimeout: FAMILY_TIMEOUT },
    schedule,
    addressDetection,
  )
  const control = await openControlSocket(composed, settings, {
    log,
    ...reportingOf(composed, exchanges),
    loopState: () => latest,
  })
  const stop = (): void => {
    supervisor.stopping()
    composed.end()
  }
  const agent = withGuardedMemory(composed.agent, locks, async (lost) => {
    if (lost === undefined) return control.renew()
    log('error', lost)
    stop()
  })
  onCrash({ log, save: async () => latest && agent.memory.save(latest.state) })
  const release = [
    signals.onStop(stop),
    signals.onPoke(() => composed.detection.hint('poke')),
    signals.onReload(() => void reload(composed, options).finally(() => supervisor.reloaded())),
  ]
  if (settings.config.watch) composed.detection.watch(agent.end)
  try {
    const loop = await live(agent, settings, { log, hasLost: locks.hasLost })
    const cause = locks.hasLost() ? 'lost' : agent.end.aborted ? 'asked' : undefined
    return { reports: reportsOf(composed, loop, exchanges), cause }
  } finally {
    for (const one of release) one()
    composed.end() // a loop that ended in an error has watchers that go on
    await control.close()
  }
}

const reportingOf = (composed: ComposedClient, exchanges: ExchangeLog) => ({
  report: (loop: LoopState) => reportsOf(composed, loop, exchanges),
  reportFromNow: () => {
    const fresh = exchanges.fromNow()
    return (loop: LoopState) => reportsOf(composed, loop, fresh)
  },
  clock: () => whenOf(composed),
})

/** One line for a supervisor's status. */
function inShort({ state, jobs, action }: LoopState): string {
  const names = jobs.flatMap(({ desired }) =>
    desired.hostnames.map((name) => hostOf(accountOf(state, desired.account), name)),
  )
  const confirmed = names.filter(({ touched }) => touched !== undefined).length
  const held = jobs.filter(({ desired }) => accountOf(state, desired.account).status.kind !== 'ready').length
  const accounts = held === 0 ? '' : `; ${held} of ${jobs.length} accounts waiting or stopped`
  return action.kind === 'halt'
    ? 'stopped until you act; see holdfast explain'
    : `${confirmed} of ${names.length} hostnames confirmed${accounts}`
}

/** The loop itself, and a last word to the service when it is asked to end and the user wants that. */
async function live(
  agent: Agent,
  settings: ResolvedSettings,
  { log, hasLost }: { readonly log: Log } & Pick<DaemonLocks, 'hasLost'>,
): Promise<LoopState> {
  for (const { desired } of agent.jobs)
    log('info', 'keeping hostnames current', {
      fields: { account: desired.account, hostnames: desired.hostnames },
      line: `${labelOf(desired)}: keeping ${listHostnames(desired.hostnames)} current`,
    })
  // Who starts a daemon may have mended what was wrong: the retries begin anew, waits and stops stay.
  const rest = await run(agent, [{ kind: 'started' }, { kind: 'networkChanged' }], forever)
  if (!settings.config.offlineOnStop || !agent.end.aborted || hasLost()) return rest
  const jobs = rest.jobs
    .filter(({ desired }) => accountOf(rest.state, desired.account).offlineRefused === undefined)
    .map((job) => ({ ...job, desired: { ...job.desired, isOffline: true } }))
  const stillOpen = new AbortController().signal
  const memory = { ...agent.memory, load: () => Promise.resolve(rest.state) }
  await run(
    { ...agent, memory, jobs: jobs, end: stillOpen, whenStopped: 'exit' },
    [{ kind: 'started' }],
    once,
  )
  return rest
}

const whenOf = ({ agent, clientTime }: ComposedClient): ClockView => ({
  now: agent.clock.now(),
  wallAt: (at) => clientTime.wallAt(at),
})

const reportsOf = (
  composed: ComposedClient,
  loop: LoopState,
  exchanges: ExchangeView,
): readonly AccountReport[] => reportAccounts(loop, { exchanges, clock: whenOf(composed) })

/** SIGHUP: reads the settings again. A file with a mistake keeps the old ones, and says why. */
async function reload(
  { agent, detection }: ComposedClient,
  { reread, log }: Pick<DaemonOptions, 'reread' | 'log'>,
): Promise<void> {
  const settings = await reread()
  const schedule = settings.ok ? await scheduleOf(settings.value) : settings
  if (!settings.ok || !schedule.ok) {
    for (const line of schedule.ok ? [] : schedule.error.messages)
      log('error', KEPT, { fields: { because: line }, line: `${KEPT}: ${line}` })
    return
  }
  detection.adopt(settings.value)
  const jobs: readonly AccountJob[] = jobsOf(settings.value, detection)
  const request: LoopRequest = {
    observations: [{ kind: 'networkChanged' }],
    reload: { jobs, schedule: schedule.value },
  }
  agent.inbox.put(request)
  const accounts = jobs.map(({ desired }) => desired)
  log('info', 'the settings are read again', {
    fields: { accounts: accounts.map(({ account }) => account) },
    line: `the settings are read again, for ${listAccounts(accounts)}`,
  })
}

const KEPT = 'the settings are kept as they were'
