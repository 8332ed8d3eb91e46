import { err, ok } from '../../../shared/base/result.ts'
import { formatInstant } from '../../../shared/base/time.ts'
import type { Files } from '../../../shared/ports/files.ts'
import type { ClientTime } from './client-time.ts'
import { parseState, salvage, type StateFile } from './codec.ts'
import { STATE_FILE } from '../../decide/file-name.ts'
import { jottedIn } from './last-save.ts'
import { type MemoryProblem, StateUnreadable } from './memory.ts'

export interface StateFilesContext {
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
export async function trustedFolders(
  [configured = '', ...fallbacks]: readonly string[],
  files: Files,
): Promise<readonly string[]> {
  const isPrivate = await Promise.all(fallbacks.map(async (folder) => files.isPrivateFolder(folder)))
  return [configured, ...fallbacks.filter((_, at) => isPrivate[at])]
}

/** The state that was written last; undefined where no folder holds a valid one. */
export async function readLatest(
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
export async function writeToFirst(
  folders: readonly string[],
  text: string,
  files: Files,
): Promise<WriteResult> {
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
export async function removeFiles(folders: readonly string[], files: Files): Promise<void> {
  for (const folder of folders) await files.remove(pathIn(folder)).catch(() => undefined)
}

const pathIn = (folder: string): string => `${folder}/${STATE_FILE}`
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
