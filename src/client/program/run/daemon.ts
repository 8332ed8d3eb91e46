import { join } from 'node:path'
import { type Duration, milliseconds } from '../../../shared/base/time.ts'
import type { Agent, LoopState } from '../../agent/agent.ts'
import { forever, once, run } from '../../agent/run.ts'
import { listHostnames } from '../../agent/wording.ts'
import { accountOf, type State } from '../../decide/state.ts'
import { STATE_FILE } from '../../decide/file-name.ts'
import { labelOf } from '../../report/account-name.ts'
import type { AccountReport } from '../../report/report.ts'
import type { Schedule } from '../../../shared/ports/clock.ts'
import { onCrash } from '../../../shared/program/crash.ts'
import { composeClient } from '../compose.ts'
import { openControlSocket } from './control-socket.ts'
import type { DaemonLocks } from './locks.ts'
import { DaemonObservers, type ObserverParts } from './observers.ts'
import { detectionBy } from '../../detect/detection.ts'
import { reload, type ReloadOptions } from './reload.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'
import { mergeStates } from '../../decide/merge.ts'

/**
 * The agent with a memory that checks the locks before each save, and so before each request. It must not overwrite the
 * state of another daemon, or one that a one-shot command saved after the folder was deleted.
 */
function withGuardedMemory(
  agent: Agent,
  locks: DaemonLocks,
  onChecked: (lost: string | undefined) => Promise<void> | void,
): Agent {
  const { memory } = agent
  let mustReread = false
  const save = async (state: State): Promise<State | undefined> => {
    if (locks.hasLost()) return undefined
    const { lost, wasMissing } = await locks.renew()
    mustReread ||= wasMissing
    await onChecked(lost)
    if (locks.hasLost()) return undefined
    const other = mustReread ? await memory.reread() : undefined
    mustReread = false
    return other === undefined || mergeStates(state, other) === state ? memory.save(state) : other
  }
  return { ...agent, memory: { ...memory, save } }
}

/** How long a new address waits for the address of the other family. */
const FAMILY_TIMEOUT: Duration = milliseconds(50)

interface DaemonOptions extends ReloadOptions, ObserverParts {
  readonly settings: ResolvedSettings
  readonly schedule: Schedule
  readonly locks: DaemonLocks
  readonly signals: DaemonSignals
}

/** Each function registers a listener, and returns what removes it. */
export interface DaemonSignals {
  readonly onStop: (stop: () => void) => () => void
  readonly onPoke: (poke: () => void) => () => void
  readonly onReload: (reload: () => void) => () => void
}

export interface DaemonEnd {
  readonly reports: readonly AccountReport[]
  /** `asked`: by a signal. `lost`: another daemon has taken the folders. Undefined: every account is stopped. */
  readonly cause: 'asked' | 'lost' | undefined
}

/** Runs the loop with its control socket, supervisor and signals; resolves when the loop has ended. */
export async function runDaemon(options: DaemonOptions): Promise<DaemonEnd> {
  const { settings, schedule, system, log, locks, signals } = options
  const observers = new DaemonObservers(options)
  const { onEvent, onAnswer, onWait, onState, exchanges, reports, supervisor } = observers
  const composed = composeClient(settings, {
    system,
    log,
    schedule,
    makeDetection: await detectionBy(system),
    familyTimeout: FAMILY_TIMEOUT,
    unlogged: new Set<never>(),
    onEvent,
    onAnswer,
    onWait,
    onState,
  })
  const reread = async (): Promise<readonly string[]> => reload({ ...composed, observers }, options)
  await observers.connect(composed, settings, reread)
  const control = await openControlSocket(composed, settings, {
    log,
    system,
    loopState: () => observers.latest,
    reread,
    report: reports,
    troubles: observers.troubles,
    recovered: observers.recovered,
    reportFromNow: () => {
      const fromNow = exchanges.fromNow()
      return (loop) => reports(loop, fromNow)
    },
  })
  const stop = (): void => {
    observers.stopping()
    composed.end()
  }
  const agent = withGuardedMemory(composed.agent, locks, async (lost) => {
    if (lost === undefined) return control.renew()
    log('error', lost)
    stop()
  })
  onCrash({ log, save: async () => observers.latest && agent.memory.save(observers.latest.state) })
  const release = [
    signals.onStop(stop),
    signals.onPoke(() => composed.detection.hint('poke')),
    signals.onReload(() => void reread().finally(() => supervisor.reloaded())),
  ]
  if (settings.config.watch) composed.detection.watch(agent.end)
  try {
    const loop = await runUntilEnd(agent, options)
    if (!locks.hasLost()) await saveAgain(agent, loop, options)
    const cause = locks.hasLost() ? 'lost' : agent.end.aborted ? 'asked' : undefined
    return { reports: reports(loop), cause }
  } finally {
    const by = agent.end.aborted ? 'asked' : 'own'
    // If the loop has failed, its watchers are still running.
    composed.end()
    await control.close()
    await observers.end(by)
    for (const removeListener of release) removeListener()
  }
}

async function runUntilEnd(
  agent: Agent,
  { settings, log, locks }: Pick<DaemonOptions, 'settings' | 'log' | 'locks'>,
): Promise<LoopState> {
  for (const { desired } of agent.jobs) {
    const { account, hostnames } = desired
    const line = `${labelOf(desired)}: keeping ${listHostnames(hostnames)} current`
    log('info', 'keeping hostnames current', { fields: { account, hostnames }, line })
  }
  // The user who restarts the daemon may have corrected the cause of a failure: the retry schedule begins again.
  const loop = await run(agent, [{ kind: 'started' }, { kind: 'networkChanged' }], forever)
  const { offlineOnStop } = settings.config
  if (offlineOnStop && agent.end.aborted && !locks.hasLost()) await goOffline(agent, loop)
  return loop
}

/** A state that was deleted meanwhile is not saved without a change, and would take a stop with it. */
async function saveAgain({ memory }: Agent, { state }: LoopState, { system }: DaemonOptions): Promise<void> {
  const isHeld = Object.values(state.accounts).some(
    ({ status, hosts }) =>
      status.kind !== 'ready' || Object.values(hosts).some(({ stopped }) => stopped !== undefined),
  )
  if (!isHeld) return
  const found = await Promise.all(
    memory.folders.map(async (folder) => system.files.read(join(folder, STATE_FILE)).catch(() => '')),
  )
  if (found.some((text) => text !== undefined)) return
  await memory.reread()
  await memory.save(state)
}

/** Sets the hostnames offline, in one further run without the signal that has ended the first. */
async function goOffline(agent: Agent, { jobs, state }: LoopState): Promise<void> {
  const offlineJobs = jobs
    .filter(({ desired }) => accountOf(state, desired.account).offlineRefused === undefined)
    .map((job) => ({ ...job, desired: { ...job.desired, isOffline: true } }))
  const memory = { ...agent.memory, load: () => Promise.resolve(state) }
  const end = new AbortController().signal
  await run({ ...agent, memory, jobs: offlineJobs, end, whenStopped: 'exit' }, [{ kind: 'started' }], once)
}
