import { setTimeout as sleep } from 'node:timers/promises'
import { err, ok, type Result } from '../../base/result.ts'
import { type LockOwner, type LockOutcome, acquireLock, type RenewOutcome } from '../../platform/lock.ts'
import type { Failure } from '../failure.ts'
import type { ResolvedSettings } from './settings.ts'
import { busy, OWNER_POLL, OWNER_TIMEOUT, ownAsDaemon, socketIn } from './single-instance.ts'

/** What a daemon has for itself as long as it runs: its state folder, and the control socket. */
export interface DaemonLocks {
  /** Takes again what was deleted meanwhile, when a one-shot that has it is done. */
  readonly renew: () => Promise<LockRenewal>
  readonly hasLost: () => boolean
  readonly release: () => Promise<void>
}

export interface LockRenewal {
  /** Where another daemon has it by now, the sentence to end with. */
  readonly lost: string | undefined
  /** Another process may have kept a state there. */
  readonly isTaken: boolean
}

/** In the runtime folder: daemons with different state folders may be given the same one. */
const CONTROL_LOCK = 'control.lock'

/** Makes this process the only daemon with its folders, or says which other one is. */
export async function takeDaemonLocks(settings: ResolvedSettings): Promise<Result<DaemonLocks, Failure>> {
  const { stateDir, runtimeDir } = settings
  const state = await ownAsDaemon(settings)
  if (state.kind === 'held') return err(alreadyRunning(state.owner, `in the state folder ${stateDir}`))
  const socket = socketIn(settings)
  const control = await acquireLock(runtimeDir, socket, CONTROL_LOCK)
  const held = [state, control].filter((one) => one.kind === 'acquired')
  // The state folder last: the next daemon waits for it, and asks for the socket when it has it.
  const release = async (): Promise<void> => {
    for (const one of held.toReversed()) await one.release()
  }
  if (control.kind !== 'held') return ok({ ...renewing(held), release })
  await release()
  return err(
    alreadyRunning(control.owner, `with the control socket ${socket}; give this one another --runtime-dir`),
  )
}

/** A daemon names its socket in its locks; a one-shot that holds the folder does not. */
const alreadyRunning = (owner: LockOwner, where: string): Failure =>
  owner.socket === undefined
    ? busy(owner)
    : { exit: 'configuration', messages: [`a daemon is already running ${named(owner)} ${where}`] }

const named = ({ pid }: LockOwner): string => (pid === undefined ? '' : `(process ${pid})`)

type Held = Extract<LockOutcome, { kind: 'acquired' }>

function renewing(held: readonly Held[]): Pick<DaemonLocks, 'renew' | 'hasLost'> {
  let lost: string | undefined
  const renewOne = afterPassing()
  const renew = async (): Promise<LockRenewal> => {
    let isTaken = false
    for (const one of held) {
      const found = lost === undefined ? await renewOne(one) : KEPT
      isTaken ||= found.kind !== 'kept'
      if (found.kind === 'held' && found.owner.socket !== undefined)
        lost = `another daemon ${named(found.owner)} has taken ${one.path} after it was deleted; this one ends`
    }
    return { lost, isTaken }
  }
  return { renew, hasLost: () => lost !== undefined }
}

const KEPT = { kind: 'kept' } as const

/** A one-shot passes, and the lock is taken when it is done. One that does not pass is waited for once. */
function afterPassing(): (one: Held) => Promise<RenewOutcome> {
  let stuck: number | undefined
  return async (one) => {
    const end = performance.now() + OWNER_TIMEOUT
    for (;;) {
      const found = await one.renew()
      if (found.kind !== 'held' || found.owner.socket !== undefined || found.owner.pid === stuck) return found
      if (performance.now() > end) stuck = found.owner.pid
      else await sleep(OWNER_POLL)
    }
  }
}
