import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askControl } from '../platform/control.ts'
import { systemFiles } from '../platform/files.ts'
import { type Owner, type Ownership, type Renewal, own, renewalOf } from '../platform/owner.ts'
import { stateFoldersOf } from './client.ts'
import type { Answer, Request } from './orders.ts'
import type { Settings } from './settings.ts'

/** Sockets have short paths (unix(7): 107 bytes); a folder too deep for one has its daemon without. */
export const socketIn = ({ runtimeDir }: Settings): string => join(runtimeDir, 'control.sock')

/** Another one-shot is done in seconds; a request takes no longer than its patience. */
export const PATIENCE = 60_000
export const PAUSE = 50

/** Either the folder is ours to work in, or its owner has answered in our stead. */
export type Beside =
  | { readonly kind: 'alone'; readonly release: () => Promise<void> }
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'busy'; readonly owner: Owner }

/**
 * One process at a time works with a state folder. Beside a daemon, the request goes to it; beside another one-shot, we
 * wait until it is done.
 */
export async function beside(settings: Settings, request: Request): Promise<Beside> {
  const end = performance.now() + PATIENCE
  for (;;) {
    const ownership = await ownState(settings, undefined)
    if (ownership.kind === 'ours') return { kind: 'alone', release: ownership.release }
    if (ownership.kind === 'unkept') return { kind: 'alone', release: () => Promise.resolve() }
    const { owner } = ownership
    const asked = owner.socket === undefined ? NOBODY : await askControl(owner.socket, request, PATIENCE)
    if (asked.kind === 'answered') return { kind: 'answered', answer: asked.answer as Answer }
    if (asked.kind === 'silent' || performance.now() > end) return { kind: 'busy', owner }
    await sleep(PAUSE)
  }
}

/** In the first of the state's folders that takes a file: where the state is kept elsewhere, its lock is there too. */
async function ownState(settings: Settings, socket: string | undefined): Promise<Ownership> {
  const [configured = settings.stateDir, ...others] = stateFoldersOf(settings)
  const found = await own(configured, socket)
  if (found.kind !== 'unkept') return found
  for (const folder of others) {
    const isOurs = await systemFiles.makePrivateFolder(folder).then(
      () => true,
      () => false,
    )
    const elsewhere = isOurs ? await own(folder, socket) : found
    if (elsewhere.kind === 'ours') return away(elsewhere, folder, async () => own(configured, socket))
    if (elsewhere.kind === 'theirs') return elsewhere
  }
  return found
}

type Held = Extract<Ownership, { kind: 'ours' }>

/**
 * A lock elsewhere: the state goes home as soon as it can, and so its owner must have that folder too. A cleaner of
 * temporary files may delete the other one meanwhile, and another user make it.
 */
function away(lock: Held, folder: string, ownHome: () => Promise<Ownership>): Held {
  let home: Held | undefined
  const renew = async (): Promise<Renewal> => {
    if (home !== undefined) return home.renew()
    const found = await ownHome()
    if (found.kind === 'ours') home = found
    if (found.kind !== 'unkept') return renewalOf(found)
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

const NOBODY = { kind: 'nobody' } as const

/** A daemon waits for a one-shot to be done; another daemon is there to stay. */
export async function ownForGood(settings: Settings): Promise<Ownership> {
  const end = performance.now() + PATIENCE
  for (;;) {
    const ownership = await ownState(settings, socketIn(settings))
    const isPassing = ownership.kind === 'theirs' && ownership.owner.socket === undefined
    if (!isPassing || performance.now() > end) return ownership
    await sleep(PAUSE)
  }
}
