import { type Result, err, ok } from '../../base/result.ts'
import { type Duration, between, formatInstant, minutes } from '../../base/time.ts'
import type { Files } from '../../ports/files.ts'
import { NEW_STATE, type State } from '../decide/state.ts'
import { formatState, parseState } from './codec.ts'
import type { Anchor, Timeline } from './timeline.ts'

export interface Memory {
  load(): Promise<State>
  /** Resolves when the state is on disk, or when it is known that the disk does not take it. */
  save(state: State): Promise<void>
}

/** What the operator should hear about the state file. */
export type MemoryTrouble =
  | { readonly kind: 'stateSetAside'; readonly as: string; readonly because: string }
  | { readonly kind: 'stateNotKept'; readonly because: string }

/** There is a state that we can neither read nor set aside: it may hold a stop, so that nothing must be sent. */
export class StateUnreadable extends Error {
  constructor(path: string, because: string) {
    super(`${path} cannot be read (${because}) nor set aside; it may hold a stop, so nothing is sent`)
  }
}

/** What makes a file worth writing: a changed state, or a wall clock that was set since. */
const essence = (state: State, skew: number): string => `${skew} ${formatState(state)}`

/** How far the wall clock is from our own time, in whole quarters of an hour, so that drift writes nothing. */
const skewOf = ({ at, wall }: Anchor): number => Math.round(between(at, wall) / QUARTER)
const QUARTER: Duration = minutes(15)

/** One file in the state folder, written only when something changed. */
export function fileMemory(
  files: Files,
  folder: string,
  time: Timeline,
  report: (trouble: MemoryTrouble) => void,
): Memory {
  const path = `${folder}/state.json`
  let kept: string | undefined
  let isKeeping = true

  const setAside = async (because: string): Promise<State> => {
    const as = `${path}.broken-${formatInstant(time.wallAt(time.now())).replaceAll(':', '')}`
    await files.rename(path, as).catch(() => {
      // It is there, we cannot tell what it says, and it stays: it may hold a stop.
      throw new StateUnreadable(path, because)
    })
    report({ kind: 'stateSetAside', as, because })
    return NEW_STATE
  }
  const readText = async (): Promise<Result<string | undefined, string>> =>
    files.read(path).then(ok, (error: unknown) => err(error instanceof Error ? error.message : String(error)))

  return {
    async load() {
      const text = await readText()
      if (!text.ok) return setAside(text.error)
      if (text.value === undefined) return NEW_STATE
      const file = parseState(text.value)
      if (!file.ok) return setAside(file.error)
      time.resume(file.value.anchor)
      kept = essence(file.value.state, skewOf(file.value.anchor ?? time.anchor()))
      return file.value.state
    },
    async save(state) {
      const anchor = time.anchor()
      const news = essence(state, skewOf(anchor))
      if (news === kept) return
      try {
        await files.makeFolder(folder)
        await files.replace(path, formatState(state, anchor))
        kept = news
        isKeeping = true
      } catch (error) {
        if (isKeeping) report({ kind: 'stateNotKept', because: String(error) })
        isKeeping = false
      }
    },
  }
}
