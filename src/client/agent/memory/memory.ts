import type { Instant } from '../../../shared/base/time.ts'
import type { State } from '../../decide/state.ts'

/** Keeps the state across restarts. */
export interface Memory {
  load(): Promise<State>
  /**
   * Resolves when the state is on disk, or when no folder could be written. Resolves with a state where another process
   * saved that one: nothing is written until the caller has merged it.
   */
  save(state: State): Promise<State | undefined>
  /** Keeps a stop or a wait over a kill of this process, before it returns; the next save replaces it. */
  jot(state: State): void
  /** The state that another process has saved since the last save, if any. The next save always writes. */
  reread(): Promise<State | undefined>
  /** Whether the last state that had to be written is on disk. */
  isSaved(): boolean
  /** The configured folder first, then the fallback folders in the order in which they are tried. */
  readonly folders: readonly string[]
}

/** What the user must learn about the state file. */
export type MemoryProblem =
  /** With `isSalvaged`, the stops and waits in it hold. */
  | {
      readonly kind: 'stateSetAside'
      readonly as: string
      readonly because: string
      readonly isSalvaged: boolean
    }
  /** There is no state, or an older one, although one was saved at this moment: it was deleted, or a copy was restored. */
  | {
      readonly kind: 'stateOutdated'
      readonly folder: string
      readonly saved: Instant
      readonly isMissing: boolean
    }
  /** A reader that changes nothing left the file in its place. */
  | {
      readonly kind: 'stateUnreadable'
      readonly path: string
      readonly because: string
      readonly isSalvaged: boolean
    }
  /** The configured folder is not writable; a fallback folder is. */
  | {
      readonly kind: 'stateSavedElsewhere'
      readonly folder: string
      readonly instead: string
      readonly because: string
    }
  | { readonly kind: 'stateNotSaved'; readonly because: string }
  /** After `stateNotSaved`, or in the configured folder after `stateSavedElsewhere`. */
  | { readonly kind: 'stateSavedAgain'; readonly folder: string }

/** No folder is writable. A process that ends would forget a stop, so it must not send. */
export class StateNotSaved extends Error {
  constructor(folders: readonly string[]) {
    super(
      `the state cannot be saved in ${folders.join(' or ')}; nothing was sent, ` +
        'because a stop could not be remembered; make one of them writable, free space there, ' +
        'or name another folder with --state-dir',
    )
  }
}

const CONSEQUENCES = {
  update:
    'and is not renamed; it may record a stop, so nothing is sent; correct its permissions, or move it away',
  reader:
    'and may record a stop; this command does not change it; the next update renames it if it can, ' +
    'and a stop that can no longer be read is then lost; if you have a copy, restore it first',
}

/** A state file that cannot be read and may record a stop: an update that cannot rename it sends nothing (decision 0012). */
export class StateUnreadable extends Error {
  constructor(path: string, because: string, who: keyof typeof CONSEQUENCES) {
    super(`${path} cannot be read (${because}) ${CONSEQUENCES[who]}`)
  }
}
