import { err, ok, type Result } from '../../../shared/base/result.ts'
import { renewalOf } from '../../../shared/platform/process/lock.ts'
import { type Clock, pause } from '../../../shared/ports/clock.ts'
import type { LockOutcome, LockOwner, RenewOutcome } from '../../../shared/ports/lock.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import type { Failure } from '../../../shared/program/exit-codes.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'
import {
  busyFailure,
  ownAsDaemon,
  OWNER_POLL_INTERVAL,
  OWNER_TIMEOUT,
  ownState,
  socketIn,
} from '../state/single-instance.ts'

/** The locks of a running daemon: on its state folder and on its control socket. */
export interface DaemonLocks {
  /** Makes deleted locks again, after a one-shot command that holds them. */
  readonly renew: () => Promise<LockRenewal>
  readonly hasLost: () => boolean
  readonly release: () => Promise<void>
}

interface LockRenewal {
  /** If another daemon holds a lock now: the message for the log. */
  readonly lost: string | undefined
  /** A lock was missing, so another process may have saved a state. */
  readonly wasMissing: boolean
}

/** In the runtime folder, which daemons with different state folders can share. */
const CONTROL_LOCK = 'control.lock'

/** Takes both locks, or fails with the process that holds one of them. */
export async function takeDaemonLocks(
  settings: ResolvedSettings,
  system: SystemPorts,
): Promise<Result<DaemonLocks, Failure>> {
  const { stateDir, runtimeDir } = settings
  const state = await ownAsDaemon(settings, system)
  if (state.kind === 'held') return err(alreadyRunning(state.owner, `in the state folder ${stateDir}`))
  const socket = socketIn(settings)
  const acquireControl = async (): Promise<LockOutcome> =>
    system.acquireLock(runtimeDir, socket, CONTROL_LOCK)
  const control = await acquireControl()
  const held = [
    state.kind === 'acquired' ? state : lateLock(stateDir, async () => ownState(settings, socket, system)),
    control.kind === 'acquired' ? control : lateLock(runtimeDir, acquireControl),
  ]
  // The state folder last: the next daemon waits for it first, and then needs the socket.
  const release = async (): Promise<void> => {
    for (const one of held.toReversed()) await one.release()
  }
  if (control.kind !== 'held') return ok({ ...renewing(held, system.steady), release })
  await release()
  return err(
    alreadyRunning(control.owner, `with the control socket ${socket}; give this one another --runtime-dir`),
  )
}

/** The lock of a daemon names its socket; that of a one-shot command does not. */
const alreadyRunning = (owner: LockOwner, where: string): Failure =>
  owner.socket === undefined
    ? busyFailure(owner)
    : {
        exit: 'configuration',
        messages: [
          `a daemon is already running ${formatPid(owner)} ${where}; holdfast status shows what it does`,
        ],
      }

const formatPid = ({ pid }: LockOwner): string => (pid === undefined ? '' : `(process ${pid})`)

type Held = Omit<Extract<LockOutcome, { kind: 'acquired' }>, 'kind'>

/** The lock of a folder that is not writable yet: each renewal tries to take it, before another daemon does. */
function lateLock(path: string, acquire: () => Promise<LockOutcome>): Held {
  let acquired: Held | undefined
  return {
    path,
    renew: async () => {
      if (acquired !== undefined) return acquired.renew()
      const found = await acquire()
      if (found.kind === 'acquired') acquired = found
      return found.kind === 'unavailable' ? { kind: 'kept' } : renewalOf(found)
    },
    release: async () => acquired?.release(),
  }
}

function renewing(held: readonly Held[], clock: Clock): Pick<DaemonLocks, 'renew' | 'hasLost'> {
  let lost: string | undefined
  const renewOne = afterOneShots(clock)
  const renew = async (): Promise<LockRenewal> => {
    let wasMissing = false
    for (const one of held) {
      const found = lost === undefined ? await renewOne(one) : KEPT
      wasMissing ||= found.kind !== 'kept'
      if (found.kind === 'held' && found.owner.socket !== undefined)
        lost = `another daemon ${formatPid(found.owner)} has taken ${one.path}; this one ends`
    }
    return { lost, wasMissing }
  }
  return { renew, hasLost: () => lost !== undefined }
}

const KEPT = { kind: 'kept' } as const

/** Waits while a one-shot command holds the lock. For a command that does not end it waits once. */
function afterOneShots(clock: Clock): (one: Held) => Promise<RenewOutcome> {
  let stuck: number | undefined
  return async (one) => {
    const end = clock.now() + OWNER_TIMEOUT
    for (;;) {
      const found = await one.renew()
      if (found.kind !== 'held' || found.owner.socket !== undefined || found.owner.pid === stuck) return found
      if (clock.now() > end) stuck = found.owner.pid
      else await pause(clock, OWNER_POLL_INTERVAL)
    }
  }
}
