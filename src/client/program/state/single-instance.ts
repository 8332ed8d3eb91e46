import { join } from 'node:path'
import {
  type ControlRequest,
  type ControlResponse,
  readControlResponse,
} from '../../report/control-requests.ts'
import { renewalOf } from '../../../shared/platform/process/lock.ts'
import type { LockOutcome, LockOwner, RenewOutcome } from '../../../shared/ports/lock.ts'
import type { Files } from '../../../shared/ports/files.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import type { Failure } from '../../../shared/program/exit-codes.ts'
import { CONTROL_SOCKET } from '../../settings/system-config.ts'
import { pause } from '../../../shared/ports/clock.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'

/** The path of the control socket. In a folder with too long a path (unix(7): 107 bytes), a daemon runs without one. */
export const socketIn = ({ runtimeDir }: ResolvedSettings): string => join(runtimeDir, CONTROL_SOCKET)

/** In milliseconds. Another one-shot command takes seconds; a request is limited by its timeout. */
export const OWNER_TIMEOUT = 60_000
export const OWNER_POLL_INTERVAL = 50

type InstancePorts = Pick<SystemPorts, 'acquireLock' | 'askControl' | 'clocks' | 'files' | 'steady'>

/** Either we hold the lock of the state folder, or the process that holds it has handled the request, or neither. */
type SingleInstance =
  | { readonly kind: 'alone'; readonly release: () => Promise<void> }
  | { readonly kind: 'answered'; readonly answer: ControlResponse }
  | { readonly kind: 'busy'; readonly owner: LockOwner }

/**
 * One process at a time works with a state folder. While a daemon holds its lock, the request goes to the daemon; while
 * another one-shot command holds it, this one waits.
 */
export async function asSingleInstance(
  settings: ResolvedSettings,
  request: ControlRequest,
  system: InstancePorts,
): Promise<SingleInstance> {
  const end = system.clocks().uptime + OWNER_TIMEOUT
  for (;;) {
    const ownership = await ownState(settings, undefined, system)
    if (ownership.kind === 'acquired') return { kind: 'alone', release: ownership.release }
    if (ownership.kind === 'unavailable') return { kind: 'alone', release: () => Promise.resolve() }
    const { owner } = ownership
    const asked =
      owner.socket === undefined ? NO_DAEMON : await system.askControl(owner.socket, request, OWNER_TIMEOUT)
    if (asked.kind === 'answered') return { kind: 'answered', answer: readControlResponse(asked.answer) }
    if (asked.kind === 'timeout' || system.clocks().uptime > end) return { kind: 'busy', owner }
    await pause(system.steady, OWNER_POLL_INTERVAL)
  }
}

/** Locks the first state folder that is writable: the lock is in the folder of the state. */
export async function ownState(
  settings: ResolvedSettings,
  socket: string | undefined,
  { acquireLock, files }: InstancePorts,
): Promise<LockOutcome> {
  const [configured = settings.stateDir, ...others] = settings.stateFolders
  const found = await acquireLock(configured, socket)
  if (found.kind === 'held') return found
  if (found.kind === 'acquired') {
    const holder = await holderOf(others, { acquireLock, files })
    if (holder !== undefined) await found.release()
    return holder ?? found
  }
  for (const folder of others) {
    const isPrivate = await files.makePrivateFolder(folder).then(
      () => true,
      () => false,
    )
    const elsewhere = isPrivate ? await acquireLock(folder, socket) : found
    if (elsewhere.kind === 'acquired')
      return fallbackLock({ ...elsewhere, path: `${elsewhere.path} or ${configured}` }, folder, {
        files,
        ownConfigured: async () => acquireLock(configured, socket),
      })
    if (elsewhere.kind === 'held') return elsewhere
  }
  return found
}

/** A daemon that started while the configured folder could not be written, and has not noticed yet that it can. */
async function holderOf(
  folders: readonly string[],
  { acquireLock, files }: Pick<InstancePorts, 'acquireLock' | 'files'>,
): Promise<LockOutcome | undefined> {
  for (const folder of folders) {
    if (!(await files.isPrivateFolder(folder))) continue
    const lock = await acquireLock(folder, undefined)
    if (lock.kind === 'held') return lock
    if (lock.kind === 'acquired') await lock.release()
  }
  return undefined
}

type Held = Extract<LockOutcome, { kind: 'acquired' }>

/**
 * The lock of a fallback folder. The state moves to the configured folder when that becomes writable, so this lock then
 * takes that folder too. A cleaner of temporary files may delete the fallback folder, and another user may make it again.
 */
function fallbackLock(
  lock: Held,
  folder: string,
  { files, ownConfigured }: { readonly files: Files; readonly ownConfigured: () => Promise<LockOutcome> },
): Held {
  let configured: Held | undefined
  const renew = async (): Promise<RenewOutcome> => {
    if (configured !== undefined) return configured.renew()
    const found = await ownConfigured()
    if (found.kind === 'acquired') configured = found
    if (found.kind !== 'unavailable') return renewalOf(found)
    return files.makePrivateFolder(folder).then(
      async () => lock.renew(),
      () => ({ kind: 'kept' }),
    )
  }
  const release = async (): Promise<void> => {
    await configured?.release()
    if (await files.isPrivateFolder(folder)) await lock.release()
  }
  return { ...lock, renew, release }
}

const NO_DAEMON = { kind: 'unreachable' } as const

/** Locks the state folder for a daemon: waits while a one-shot command holds the lock, and not for another daemon. */
export async function ownAsDaemon(settings: ResolvedSettings, system: InstancePorts): Promise<LockOutcome> {
  const end = system.clocks().uptime + OWNER_TIMEOUT
  for (;;) {
    const ownership = await ownState(settings, socketIn(settings), system)
    const isOneShot = ownership.kind === 'held' && ownership.owner.socket === undefined
    if (!isOneShot || system.clocks().uptime > end) return ownership
    await pause(system.steady, OWNER_POLL_INTERVAL)
  }
}

/** Another process holds the lock of the state folder, and neither answers nor ends. */
export const busyFailure = ({ pid, socket }: LockOwner): Failure => ({
  // A restart cannot help while a daemon holds the lock.
  exit: socket === undefined ? 'unreached' : 'configuration',
  messages: [
    `${pid === undefined ? 'another process' : `process ${pid}`} holds the lock of this state folder and ` +
      `does not answer${socket === undefined ? '' : '; it may still carry out the request later'}; end it, ` +
      'or use another --state-dir',
  ],
})
