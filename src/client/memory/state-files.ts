import { err, ok } from '../../base/result.ts'
import { formatInstant } from '../../base/time.ts'
import type { Files } from '../../ports/files.ts'
import type { ClientTime } from './client-time.ts'
import { parseState, type StateFile } from './codec.ts'
import { STATE_FILE } from './file-name.ts'
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
}

interface SavedFile {
  readonly file: StateFile
  readonly folder: string
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
    if (file !== undefined) saved.push({ file, folder })
  }
  return saved.toSorted((a, b) => (b.file.anchor?.at ?? 0) - (a.file.anchor?.at ?? 0))[0]
}

/** Undefined where there is no file, or where it is invalid: set aside, or reported by a reader. */
async function readOrSetAside(
  folder: string,
  { files, time, report, isOnRequest = false }: StateFilesContext,
): Promise<StateFile | undefined> {
  const path = pathIn(folder)
  const setAside = async (because: string): Promise<undefined> => {
    if (isOnRequest) {
      report({ kind: 'stateUnreadable', path, because })
      return undefined
    }
    const as = `${path}.broken-${formatInstant(time.wallAt(time.now())).replaceAll(':', '')}`
    await files.rename(path, as).catch(() => {
      throw new StateUnreadable(path, because, 'update')
    })
    report({ kind: 'stateSetAside', as, because })
    return undefined
  }
  const text = await files.read(path).then(ok, (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EFTYPE')
      throw new StateUnreadable(path, messageOf(error), 'update')
    return err(messageOf(error))
  })
  if (!text.ok) return setAside(text.error)
  if (text.value === undefined) return undefined
  const file = parseState(text.value)
  return file.ok ? file.value : setAside(file.error)
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
