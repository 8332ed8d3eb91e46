import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlRequest, ControlResponse } from '../../client/control/control-requests.ts'
import { askControl } from '../../platform/control.ts'
import { systemFiles } from '../../platform/files.ts'
import {
  type LockOwner,
  type LockOutcome,
  acquireLock,
  type RenewOutcome,
  renewalOf,
} from '../../platform/lock.ts'
import type { Failure } from '../failure.ts'
import { stateFoldersOf } from './compose.ts'
import type { ResolvedSettings } from './settings.ts'

/** Sockets have short paths (unix(7): 107 bytes); a folder too deep for one has its daemon without. */
export const socketIn = ({ runtimeDir }: ResolvedSettings): string => join(runtimeDir, 'control.sock')

/** Another one-shot is done in seconds; a request takes no longer than its patience. */
export const OWNER_TIMEOUT = 60_000
export const OWNER_POLL = 50

/** In milliseconds. `performance` is loaded at its first use; a one-shot does without. */
const uptime = (): number => process.uptime() * 1000

/** Either the folder is ours to work in, or its owner has answered in our stead. */
export type SingleInstance =
  | { readonly kind: 'alone'; readonly release: () => Promise<void> }
  | { readonly kind: 'answered'; readonly answer: ControlResponse }
  | { readonly kind: 'busy'; readonly owner: LockOwner }

/**
 * One process at a time works with a state folder. Beside a daemon, the request goes to it; beside another one-shot, we
 * wait until it is done.
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
      owner.socket === undefined ? UNREACHABLE : await askControl(owner.socket, request, OWNER_TIMEOUT)
    if (asked.kind === 'answered') return { kind: 'answered', answer: asked.answer as ControlResponse }
    if (asked.kind === 'timeout' || uptime() > end) return { kind: 'busy', owner }
    await sleep(OWNER_POLL)
  }
}

/** In the first of the state's folders that takes a file: where the state is kept elsewhere, its lock is there too. */
async function ownState(settings: ResolvedSettings, socket: string | undefined): Promise<LockOutcome> {
  const [configured = settings.stateDir, ...others] = stateFoldersOf(settings)
  const found = await acquireLock(configured, socket)
  if (found.kind !== 'unavailable') return found
  for (const folder of others) {
    const isOurs = await systemFiles.makePrivateFolder(folder).then(
      () => true,
      () => false,
    )
    const elsewhere = isOurs ? await acquireLock(folder, socket) : found
    if (elsewhere.kind === 'acquired')
      return lockElsewhere(elsewhere, folder, async () => acquireLock(configured, socket))
    if (elsewhere.kind === 'held') return elsewhere
  }
  return found
}

type Held = Extract<LockOutcome, { kind: 'acquired' }>

/**
 * A lock elsewhere: the state goes home as soon as it can, and so its owner must have that folder too. A cleaner of
 * temporary files may delete the other one meanwhile, and another user make it.
 */
function lockElsewhere(lock: Held, folder: string, ownHome: () => Promise<LockOutcome>): Held {
  let home: Held | undefined
  const renew = async (): Promise<RenewOutcome> => {
    if (home !== undefined) return home.renew()
    const found = await ownHome()
    if (found.kind === 'acquired') home = found
    if (found.kind !== 'unavailable') return renewalOf(found)
    return systemFiles.makePrivateFolder(folder).then(
      async () => lock.renew(),
      () => ({ kind: 'kept' }),
    )
  }
  const release = async (): Promise<void> => {
    await home?.release()
    if (await systemFiles.isPrivateFolder(folder)) await lock.release()
  }
  return { ...lock, renew, release }
}

const UNREACHABLE = { kind: 'unreachable' } as const

/** A daemon waits for a one-shot to be done; another daemon is there to stay. */
export async function ownAsDaemon(settings: ResolvedSettings): Promise<LockOutcome> {
  const end = uptime() + OWNER_TIMEOUT
  for (;;) {
    const ownership = await ownState(settings, socketIn(settings))
    const isPassing = ownership.kind === 'held' && ownership.owner.socket === undefined
    if (!isPassing || uptime() > end) return ownership
    await sleep(OWNER_POLL)
  }
}

/** Another process holds the state folder, and neither answers nor ends. */
export const busy = ({ pid, socket }: LockOwner): Failure => ({
  // Where one daemon stays, starting a second one again cannot help.
  exit: socket === undefined ? 'unreached' : 'configuration',
  messages: [
    `${pid === undefined ? 'another process' : `process ${pid}`} keeps this state folder and does not answer; end it, or use another --state-dir`,
  ],
})
