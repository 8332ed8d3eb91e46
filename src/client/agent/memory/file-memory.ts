import {
  between,
  type Duration,
  formatInstant,
  type Instant,
  latest,
  minutes,
  parseInstant,
} from '../../../shared/base/time.ts'
import { NEW_STATE, type State } from '../../decide/state.ts'
import type { Anchor, ClientTime } from './client-time.ts'
import { formatState, parseState, salvage, type StateFile } from './codec.ts'
import { type Memory, type MemoryProblem, StateUnreadable } from './memory.ts'
import { err, ok } from '../../../shared/base/result.ts'
import type { Files } from '../../../shared/ports/files.ts'
import { JOTTED_FILE, STATE_FILE } from '../../decide/file-name.ts'
import { createHash } from 'node:crypto'

/**
 * Where it is written when a state was saved last: the first of these that can be written (decision 0070). In the runtime
 * folder it does not go with a state that is deleted, or replaced by a copy of yesterday; the state folder does where there
 * is no other.
 */
export function lastSavePaths(runtimeDir: string, stateDir: string): readonly string[] {
  const state = createHash('sha256').update(stateDir).digest('hex').slice(0, 12)
  return [`${runtimeDir}/state-${state}.saved`, `${stateDir}/state-${state}.saved`]
}

/** Files that accompany the state: a state that is not yet saved, and the moment of the last save. */
function secondFiles(files: Files, paths: readonly string[]) {
  let isJotted = false
  return {
    jot(folder: string, text: string): void {
      isJotted = files.jot(jottedIn(folder), text) || isJotted
    },
    /** One of a process before this one. */
    found: (): void => void (isJotted = true),
    async saved(folder: string, at: Instant): Promise<void> {
      paths.some((path) => files.jot(path, `${formatInstant(at)}\n`))
      if (isJotted) await files.remove(jottedIn(folder)).catch(() => undefined)
      isJotted = false
    },
  }
}

/** The last moment; undefined where none was written, or where it cannot be read. */
async function readLastSave(paths: readonly string[], files: Files): Promise<Instant | undefined> {
  const texts = await Promise.all(paths.map(async (path) => files.read(path).catch(() => undefined)))
  const [first, ...others] = texts.flatMap((text) => parseInstant(text?.trim() ?? '') ?? [])
  return first === undefined ? undefined : latest(first, ...others)
}

const jottedIn = (folder: string): string => `${folder}/${JOTTED_FILE}`

interface StateFilesContext {
  readonly files: Files
  readonly time: ClientTime
  readonly report: (problem: MemoryProblem) => void
  /**
   * For a command that shows the state or changes it on request: a file that cannot be read is reported, not renamed, and
   * a change is not saved in another folder, where the daemon of another user does not look.
   */
  readonly isOnRequest?: boolean
  /** The paths of `lastSavePaths`; without them, a deleted state is not detected. */
  readonly lastSaves?: readonly string[]
}

interface SavedFile {
  readonly file: StateFile
  readonly folder: string
  /** The file is damaged: only stops and waits were read, and it is set aside. */
  readonly isSalvaged: boolean
  /** It was not saved yet. */
  readonly isJotted?: true
}

/** The folders that may be used: the configured one always, a fallback only if it is private to this user. */
async function trustedFolders(
  [configured = '', ...fallbacks]: readonly string[],
  files: Files,
): Promise<readonly string[]> {
  const isPrivate = await Promise.all(fallbacks.map(async (folder) => files.isPrivateFolder(folder)))
  return [configured, ...fallbacks.filter((_, at) => isPrivate[at])]
}

/** The state that was written last; undefined where no folder holds a valid one. */
async function readLatest(
  folders: readonly string[],
  context: StateFilesContext,
): Promise<SavedFile | undefined> {
  const saved: SavedFile[] = []
  for (const folder of folders) {
    const file = await readOrSetAside(folder, context)
    if (file !== undefined) saved.push({ ...file, folder })
    const jotted = await readJotted(folder, context)
    if (jotted !== undefined) saved.push({ file: jotted, folder, isSalvaged: false, isJotted: true })
  }
  return saved.toSorted((a, b) => (b.file.anchor?.at ?? 0) - (a.file.anchor?.at ?? 0))[0]
}

/** What a process that was killed had not saved yet; undefined without one, and where it was killed while it wrote. */
async function readJotted(folder: string, { files }: StateFilesContext): Promise<StateFile | undefined> {
  const text = await files.read(jottedIn(folder)).catch(() => undefined)
  const file = text === undefined ? undefined : parseState(text)
  return file?.ok === true ? file.value : undefined
}

/**
 * Undefined where there is no file. A file that is invalid is set aside, or reported by a reader; the stops and waits that
 * can still be read in it hold.
 */
async function readOrSetAside(
  folder: string,
  context: StateFilesContext,
): Promise<Omit<SavedFile, 'folder'> | undefined> {
  const path = pathIn(folder)
  const text = await context.files.read(path).then(ok, (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EFTYPE')
      throw new StateUnreadable(path, messageOf(error), 'update')
    return err(messageOf(error))
  })
  if (text.ok && text.value === undefined) return undefined
  const file = text.ok ? parseState(text.value ?? '') : text
  if (file.ok) return { file: file.value, isSalvaged: false }
  const damaged = text.ok ? (text.value ?? '') : ''
  const salvaged = salvage(damaged)
  const copy = salvaged === undefined ? undefined : damaged
  await setAside(path, { because: file.error, copy }, context)
  return salvaged === undefined ? undefined : { file: salvaged, isSalvaged: true }
}

interface Damage {
  readonly because: string
  /** The text of a file with stops, which stays until the next save replaces it: a process may end before. */
  readonly copy: string | undefined
}

async function setAside(
  path: string,
  { because, copy }: Damage,
  { files, time, report, isOnRequest = false }: StateFilesContext,
): Promise<void> {
  const isSalvaged = copy !== undefined
  if (isOnRequest) return report({ kind: 'stateUnreadable', path, because, isSalvaged })
  const as = `${path}.broken-${formatInstant(time.wallAt(time.now())).replaceAll(':', '')}`
  await (copy === undefined ? files.rename(path, as) : files.replace(as, copy)).catch(() => {
    // A full disk takes no copy, and no next save either.
    if (!isSalvaged) throw new StateUnreadable(path, because, 'update')
  })
  report({ kind: 'stateSetAside', as, because, isSalvaged })
}

interface WriteResult {
  /** Undefined where no folder is writable. */
  readonly folder: string | undefined
  /** Why the first folder is not writable. */
  readonly because: string
}

/** Writes the text into the first folder that is writable. */
async function writeToFirst(folders: readonly string[], text: string, files: Files): Promise<WriteResult> {
  const [configured = '', ...fallbacks] = folders
  const failure = await failureOf(async () => {
    await files.makeFolder(configured)
    await files.replace(pathIn(configured), text)
  })
  if (failure === undefined) return { folder: configured, because: '' }
  for (const folder of fallbacks) {
    const fallbackFailure = await failureOf(async () => {
      await files.makePrivateFolder(folder)
      await files.replace(pathIn(folder), text)
    })
    if (fallbackFailure === undefined) return { folder, because: failure }
  }
  return { folder: undefined, because: failure }
}

const failureOf = async (work: () => Promise<void>): Promise<string | undefined> =>
  work().then(() => undefined, messageOf)

/** Removes the state files of the folders; a file that cannot be removed stays. */
async function removeFiles(folders: readonly string[], files: Files): Promise<void> {
  for (const folder of folders) await files.remove(pathIn(folder)).catch(() => undefined)
}

const pathIn = (folder: string): string => `${folder}/${STATE_FILE}`
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface LastSave {
  /** Undefined where the next save must write. */
  readonly content: string | undefined
  /** Undefined where no folder was writable. */
  readonly folder: string | undefined
}

/**
 * One file in the state folder, written only when its content changed. While the configured folder is not writable, the
 * first writable fallback folder holds it; the file that was written last is the valid one.
 */
export function fileMemory(folders: readonly string[], context: StateFilesContext): Memory {
  const { files, time, report, isOnRequest = false, lastSaves = [] } = context
  const [configured = '', ...fallbacks] = folders
  let last: LastSave = { content: undefined, folder: configured }
  const second = secondFiles(files, lastSaves)
  const known = knownFolder(configured, report)
  const contentOf = contentMaker()
  const latestIn = async (some: readonly string[]) => readLatest(await trustedFolders(some, files), context)

  const save = async (state: State): Promise<undefined> => {
    const anchor = time.anchor()
    const content = contentOf(state, anchor)
    const isUnchanged = content === last.content && last.folder !== undefined
    if (isUnchanged && last.folder === configured) return undefined
    // An unchanged state in a fallback folder moves to the configured folder as soon as that is writable.
    const isFixed = isUnchanged || (isOnRequest && last.folder === configured)
    const targets = isFixed ? [configured] : folders
    const { folder, because } = await writeToFirst(targets, formatState(state, anchor), files)
    if (isUnchanged && folder === undefined) {
      // Another process has moved it there.
      known.tell(last.folder, because)
      return undefined
    }
    known.tell(folder, because)
    // Another process could take a file left in a fallback folder for the newer one.
    if (folder === configured && folder !== last.folder)
      await removeFiles((await trustedFolders(folders, files)).slice(1), files)
    last = { content: folder === undefined ? last.content : content, folder }
    if (folder !== undefined) await second.saved(folder, anchor.at)
    return undefined
  }

  return {
    folders,
    jot: (state) => second.jot(last.folder ?? configured, formatState(state, time.anchor())),
    isSaved: () => last.folder !== undefined,
    async load() {
      const seen = isOnRequest ? undefined : await readLastSave(lastSaves, files)
      const latest = await latestIn(folders)
      const lost = lossOf(latest?.file.anchor?.at, seen)
      if (lost !== undefined) report({ kind: 'stateOutdated', folder: configured, ...lost })
      if (latest === undefined) return NEW_STATE
      const { file, folder, isSalvaged, isJotted: mustSave = false } = latest
      if (mustSave) second.found()
      time.resume(file.anchor)
      const content = contentOf(file.state, file.anchor ?? time.anchor())
      last = { content: isSalvaged || mustSave ? undefined : content, folder }
      // A command on request changes the state where it is.
      if (isOnRequest) known.set(folder)
      // Without a file, the next process would know of no stop.
      if (isSalvaged && !isOnRequest) await save(file.state)
      return file.state
    },
    save,
    async reread() {
      const { content, folder } = last
      last = { content: undefined, folder }
      const latest = await latestIn([configured, ...fallbacks.filter((one) => one === folder)])
      // This process remembers more than a damaged file.
      if (latest === undefined || latest.isSalvaged) return undefined
      const { state, anchor } = latest.file
      return contentOf(state, anchor ?? time.anchor()) === content ? undefined : state
    },
  }
}

/** The folder that the user knows of; undefined where none was writable. */
function knownFolder(configured: string, report: StateFilesContext['report']) {
  let told: string | undefined = configured
  return {
    set: (folder: string): void => void (told = folder),
    tell(folder: string | undefined, because: string): void {
      if (folder === told) return
      if (folder === undefined) report({ kind: 'stateNotSaved', because })
      else if (folder === configured || told === undefined) report({ kind: 'stateSavedAgain', folder })
      if (folder !== undefined && folder !== configured)
        report({ kind: 'stateSavedElsewhere', folder: configured, instead: folder, because })
      told = folder
    },
  }
}

/** Undefined where the state is the one that was saved last. */
const lossOf = (
  at: Instant | undefined,
  saved: Instant | undefined,
): { readonly saved: Instant; readonly isMissing: boolean } | undefined =>
  saved === undefined || (at !== undefined && at >= saved)
    ? undefined
    : { saved, isMissing: at === undefined }

/**
 * Equal for two files where the second need not be written: the same state, and a wall clock that was not set between
 * them. Each minute and after each look it is mostly the same object: its text is made once.
 */
function contentMaker(): (state: State, anchor: Anchor) => string {
  let last: { readonly state: State; readonly text: string } | undefined
  return (state, anchor) => {
    if (last?.state !== state) last = { state, text: JSON.stringify(state) }
    return `${clockOffset(anchor)} ${last.text}`
  }
}

/** How far the wall clock is from client time, in whole quarters of an hour, so that drift causes no write. */
const clockOffset = ({ at, wall }: Anchor): number => Math.round(between(at, wall) / QUARTER)
const QUARTER: Duration = minutes(15)
