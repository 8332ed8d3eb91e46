import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askControl } from '../platform/control.ts'
import { type Owner, type Ownership, own } from '../platform/owner.ts'
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
    const ownership: Ownership = await own(settings.stateDir, undefined)
    if (ownership.kind === 'ours') return { kind: 'alone', release: ownership.release }
    if (ownership.kind === 'unkept') return { kind: 'alone', release: () => Promise.resolve() }
    const { owner } = ownership
    const asked = owner.socket === undefined ? NOBODY : await askControl(owner.socket, request, PATIENCE)
    if (asked.kind === 'answered') return { kind: 'answered', answer: asked.answer as Answer }
    if (asked.kind === 'silent' || performance.now() > end) return { kind: 'busy', owner }
    await sleep(PAUSE)
  }
}

const NOBODY = { kind: 'nobody' } as const

/** A daemon waits for a one-shot to be done; another daemon is there to stay. */
export async function ownForGood(settings: Settings): Promise<Ownership> {
  const end = performance.now() + PATIENCE
  for (;;) {
    const ownership = await own(settings.stateDir, socketIn(settings))
    const isPassing = ownership.kind === 'theirs' && ownership.owner.socket === undefined
    if (!isPassing || performance.now() > end) return ownership
    await sleep(PAUSE)
  }
}
