import { err, ok } from '../../base/result.ts'
import { between, type Duration, formatInstant, minutes } from '../../base/time.ts'
import type { Files } from '../../ports/files.ts'
import { NEW_STATE, type State } from '../decide/state.ts'
import type { Anchor, ClientTime } from './client-time.ts'
import { formatState, parseState, type StateFile } from './codec.ts'

export interface Memory {
  load(): Promise<State>
  /**
   * Resolves when the state is on disk, or when it is known that no folder takes it. With a state, when another process
   * kept that one meanwhile: nothing is written until it is taken in.
   */
  save(state: State): Promise<State | undefined>
  /** What another process kept since where this one kept it last. The next save writes, whatever that was. */
  reread(): Promise<State | undefined>
  /** Whether the last state that had to be written is on disk. */
  isKept(): boolean
  /** Where it is tried, in this order. */
  readonly folders: readonly string[]
}

/** What the operator should hear about the state file. */
export type MemoryTrouble =
  | { readonly kind: 'stateSetAside'; readonly as: string; readonly because: string }
  /** The configured folder does not take it, another one does. */
  | {
      readonly kind: 'stateKeptElsewhere'
      readonly folder: string
      readonly instead: string
      readonly because: string
    }
  | { readonly kind: 'stateNotKept'; readonly because: string }

/** No folder takes the state: a stop would be forgotten, so that a process that ends must not ask. */
export class StateNotKept extends Error {
  constructor(folders: readonly string[]) {
    super(
      `the state can be kept neither in ${folders.join(' nor in ')}; nothing was sent, because a stop could not be remembered; name a folder that can be written with --state-dir`,
    )
  }
}

/** There is a state that we cannot read, nor set aside where it is a file: it may hold a stop, so that nothing must be sent. */
export class StateUnreadable extends Error {
  constructor(path: string, because: string, wasTried = false) {
    super(
      `${path} cannot be read (${because})${wasTried ? ' nor set aside; it may hold a stop, so nothing is sent' : '; remove it; nothing is sent, because a stop could not be remembered'}`,
    )
  }
}

/** What makes a file worth writing: a changed state, or a wall clock that was set since. */
const essence = (state: State, skew: number): string => `${skew} ${formatState(state)}`

/** How far the wall clock is from our own time, in whole quarters of an hour, so that drift writes nothing. */
const skewOf = ({ at, wall }: Anchor): number => Math.round(between(at, wall) / QUARTER)
const QUARTER: Duration = minutes(15)

/**
 * One file in the state folder, written only when something changed. Where that folder cannot be written, in the first of the
 * others that can, until it can be written again; what was written last is what counts.
 */
export function fileMemory(
  files: Files,
  folders: readonly string[],
  time: ClientTime,
  report: (trouble: MemoryTrouble) => void,
): Memory {
  const [configured = '', ...others] = folders
  let kept: string | undefined
  let keptIn: string | undefined = configured

  const tell = (folder: string | undefined, because: string): void => {
    if (folder === keptIn || folder === configured) return
    if (folder === undefined) report({ kind: 'stateNotKept', because })
    else report({ kind: 'stateKeptElsewhere', folder: configured, instead: folder, because })
  }

  return {
    folders,
    isKept: () => keptIn !== undefined,
    async load() {
      const latest = latestOf(await readAll(await trusted(folders, files), { files, time, report }))
      if (latest === undefined) return NEW_STATE
      const { file, folder } = latest
      keptIn = folder
      time.resume(file.anchor)
      kept = essence(file.state, skewOf(file.anchor ?? time.anchor()))
      return file.state
    },
    async save(state) {
      const anchor = time.anchor()
      const news = essence(state, skewOf(anchor))
      const isKept = news === kept && keptIn !== undefined
      if (isKept && keptIn === configured) return undefined
      // What is kept elsewhere already goes home as soon as it can, and is not written there again until then.
      const targets = isKept ? [configured] : folders
      const { folder, because } = await writeInFirst(targets, formatState(state, anchor), files)
      if (isKept && folder === undefined) return undefined
      tell(folder, because)
      // What another process would take for newer than this.
      if (folder === configured && keptIn !== configured)
        for (const other of (await trusted(folders, files)).slice(1))
          await files.remove(pathIn(other)).catch(() => undefined)
      keptIn = folder
      if (folder !== undefined) kept = news
      return undefined
    },
    async reread() {
      const before = kept
      kept = undefined
      const here = await trusted([configured, ...others.filter((one) => one === keptIn)], files)
      const latest = latestOf(await readAll(here, { files, time, report }))
      if (latest === undefined) return undefined
      const { state, anchor } = latest.file
      return essence(state, skewOf(anchor ?? time.anchor())) === before ? undefined : state
    },
  }
}

/** The configured folder is the user's word. The others stand where anybody could have made them. */
async function trusted(
  [configured = '', ...others]: readonly string[],
  files: Files,
): Promise<readonly string[]> {
  const isOurs = await Promise.all(others.map(async (folder) => files.isPrivateFolder(folder)))
  return [configured, ...others.filter((_, at) => isOurs[at])]
}

interface Reading {
  readonly files: Files
  readonly time: ClientTime
  readonly report: (trouble: MemoryTrouble) => void
}

async function readAll(folders: readonly string[], reading: Reading): Promise<readonly Found[]> {
  const found: Found[] = []
  for (const folder of folders) {
    const file = await readIn(folder, reading)
    if (file !== undefined) found.push({ file, folder })
  }
  return found
}

/** What is kept there; undefined where there is nothing, or where it is unreadable and set aside. */
async function readIn(folder: string, { files, time, report }: Reading): Promise<StateFile | undefined> {
  const path = pathIn(folder)
  const setAside = async (because: string): Promise<undefined> => {
    const as = `${path}.broken-${formatInstant(time.wallAt(time.now())).replaceAll(':', '')}`
    await files.rename(path, as).catch(() => {
      // It is there, we cannot tell what it says, and it stays: it may hold a stop.
      throw new StateUnreadable(path, because, true)
    })
    report({ kind: 'stateSetAside', as, because })
    return undefined
  }
  const text = await files.read(path).then(ok, (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EFTYPE') throw new StateUnreadable(path, messageOf(error))
    return err(messageOf(error))
  })
  if (!text.ok) return setAside(text.error)
  if (text.value === undefined) return undefined
  const file = parseState(text.value)
  return file.ok ? file.value : setAside(file.error)
}

interface Written {
  /** Undefined where none takes it. */
  readonly folder: string | undefined
  /** Why the first does not. */
  readonly because: string
}

async function writeInFirst(folders: readonly string[], text: string, files: Files): Promise<Written> {
  let because = ''
  for (const [at, folder] of folders.entries()) {
    try {
      await (at === 0 ? files.makeFolder(folder) : files.makePrivateFolder(folder))
      await files.replace(pathIn(folder), text)
      return { folder, because }
    } catch (error) {
      if (at === 0) because = messageOf(error)
    }
  }
  return { folder: undefined, because }
}

const pathIn = (folder: string): string => `${folder}/state.json`
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface Found {
  readonly file: StateFile
  readonly folder: string
}

const latestOf = (found: readonly Found[]): Found | undefined =>
  found.toSorted((a, b) => (b.file.anchor?.at ?? 0) - (a.file.anchor?.at ?? 0))[0]
