import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askControl } from '../platform/control.ts'
import { systemFiles } from '../platform/files.ts'
import { type Owner, type Ownership, own } from '../platform/owner.ts'
import { stateFoldersOf } from './client.ts'
import type { Answer, Request } from './orders.ts'
import type { Settings } from './settings.ts'

/** Sockets have short paths (unix(7): 107 bytes); a folder too deep for one has its daemon without. */
export const socketIn = ({ runtimeDir }: Settings): string => join(runtimeDir, 'control.sock')

/** Another one-shot is done in seconds; a request takes no longer than its patience. */
const PATIENCE = 60_000
const PAUSE = 50

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
    if (elsewhere.kind === 'ours') return whileOurs(folder, elsewhere)
    if (elsewhere.kind === 'theirs') return elsewhere
  }
  return found
}

/** A cleaner of temporary files may delete the folder meanwhile, and another user make it. */
const whileOurs = (folder: string, lock: Extract<Ownership, { kind: 'ours' }>): Ownership => ({
  ...lock,
  renew: async () =>
    systemFiles.makePrivateFolder(folder).then(
      async () => lock.renew(),
      () => undefined,
    ),
  release: async () => {
    if (await systemFiles.isPrivateFolder(folder)) await lock.release()
  },
})

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
