import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ControlRequest,
  type ControlResponse,
  readControlResponse,
} from '../../../client/control/control-requests.ts'
import { askControl } from '../../../platform/sockets/control.ts'
import { systemFiles } from '../../../platform/files/files.ts'
import {
  type LockOwner,
  type LockOutcome,
  acquireLock,
  type RenewOutcome,
  renewalOf,
} from '../../../platform/process/lock.ts'
import type { Failure } from '../../failure.ts'
import { CONTROL_SOCKET } from '../settings/file-names.ts'
import type { ResolvedSettings } from '../settings/settings.ts'
import { stateFoldersOf } from '../settings/state-folders.ts'

/** The path of the control socket. In a folder with too long a path (unix(7): 107 bytes), a daemon runs without one. */
export const socketIn = ({ runtimeDir }: ResolvedSettings): string => join(runtimeDir, CONTROL_SOCKET)

/** In milliseconds. Another one-shot command takes seconds; a request is limited by its timeout. */
export const OWNER_TIMEOUT = 60_000
export const OWNER_POLL_INTERVAL = 50

/** In milliseconds. `performance` is loaded at its first use; a one-shot does without. */
const uptime = (): number => process.uptime() * 1000

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
): Promise<SingleInstance> {
  const end = uptime() + OWNER_TIMEOUT
  for (;;) {
    const ownership = await ownState(settings, undefined)
    if (ownership.kind === 'acquired') return { kind: 'alone', release: ownership.release }
    if (ownership.kind === 'unavailable') return { kind: 'alone', release: () => Promise.resolve() }
    const { owner } = ownership
    const asked =
      owner.socket === undefined ? NO_DAEMON : await askControl(owner.socket, request, OWNER_TIMEOUT)
    if (asked.kind === 'answered') return { kind: 'answered', answer: readControlResponse(asked.answer) }
    if (asked.kind === 'timeout' || uptime() > end) return { kind: 'busy', owner }
    await sleep(OWNER_POLL_INTERVAL)
  }
}

/** Locks the first state folder that is writable: the lock is in the folder of the state. */
async function ownState(settings: ResolvedSettings, socket: string | undefined): Promise<LockOutcome> {
  const [configured = settings.stateDir, ...others] = stateFoldersOf(settings)
  const found = await acquireLock(configured, socket)
  if (found.kind !== 'unavailable') return found
  for (const folder of others) {
    const isPrivate = await systemFiles.makePrivateFolder(folder).then(
      () => true,
      () => false,
    )
    const elsewhere = isPrivate ? await acquireLock(folder, socket) : found
    if (elsewhere.kind === 'acquired')
      return fallbackLock(elsewhere, folder, async () => acquireLock(configured, socket))
    if (elsewhere.kind === 'held') return elsewhere
  }
  return found
}

type Held = Extract<LockOutcome, { kind: 'acquired' }>

/**
 * The lock of a fallback folder. The state moves to the configured folder when that becomes writable, so this lock then
 * takes that folder too. A cleaner of temporary files may delete the fallback folder, and another user may make it again.
 */
function fallbackLock(lock: Held, folder: string, ownConfigured: () => Promise<LockOutcome>): Held {
  let configured: Held | undefined
  const renew = async (): Promise<RenewOutcome> => {
    if (configured !== undefined) return configured.renew()
    const found = await ownConfigured()
    if (found.kind === 'acquired') configured = found
    if (found.kind !== 'unavailable') return renewalOf(found)
    return systemFiles.makePrivateFolder(folder).then(
      async () => lock.renew(),
      () => ({ kind: 'kept' }),
    )
  }
  const release = async (): Promise<void> => {
    await configured?.release()
    if (await systemFiles.isPrivateFolder(folder)) await lock.release()
  }
  return { ...lock, renew, release }
}

const NO_DAEMON = { kind: 'unreachable' } as const

/** Locks the state folder for a daemon: waits while a one-shot command holds the lock, and not for another daemon. */
export async function ownAsDaemon(settings: ResolvedSettings): Promise<LockOutcome> {
  const end = uptime() + OWNER_TIMEOUT
  for (;;) {
    const ownership = await ownState(settings, socketIn(settings))
    const isOneShot = ownership.kind === 'held' && ownership.owner.socket === undefined
    if (!isOneShot || uptime() > end) return ownership
    await sleep(OWNER_POLL_INTERVAL)
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
