import { systemEntropy } from '../../shared/platform/clock/clock.ts'
import { constants } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { syncFolder } from '../../shared/platform/files/files.ts'

/** A file that is about to be written. */
export interface NewFile {
  readonly path: string
  readonly text: string
  /** Rights of the file, such as 0o600. */
  readonly mode: number
  /** Rights of its folder, where that is made. */
  readonly folderMode: number
  /** Replace a file that exists; it is saved with the ending .bak first. */
  readonly mayReplace?: boolean
  /** What it must contain until it is replaced. */
  readonly replaces?: string
  /** An old password is not saved once all is written. */
  readonly isSecret?: boolean
}

/** The text of a file; undefined where there is none. */
export async function textAt(path: string): Promise<Result<string | undefined, string>> {
  try {
    return ok(await readFile(path, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? ok(undefined) : err(`${path}: ${message}`)
  }
}

export const isThere = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** What was written of a file, and how to take it back. */
interface Written {
  /** The earlier text, where there was one. */
  readonly backup?: string
  readonly undo: () => Promise<void>
}

/**
 * Writes all of the files or none: each is complete before it is renamed to its name. The error names the file, and each one
 * that cannot be taken back.
 */
export async function writeNewFiles(files: readonly NewFile[]): Promise<Result<undefined, string>> {
  const done: (NewFile & Written)[] = []
  for (const file of files) {
    const written = await writeNewFile(file)
    if (written.ok) {
      done.push({ ...file, ...written.value })
      continue
    }
    const left = await takenBack(done.toReversed())
    return err(
      `${file.path}: ${written.error}; ${left.length === 0 ? 'nothing is written' : left.join('; ')}`,
    )
  }
  for (const { isSecret, backup } of done)
    if (isSecret === true && backup !== undefined) await rm(backup, { force: true }).catch(() => undefined)
  return ok(undefined)
}

/** The error of each file that could not be taken back. */
async function takenBack(done: readonly (NewFile & Written)[]): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { path, backup, undo } of done)
    await undo().catch(({ message }: Error) => {
      const earlier = backup === undefined ? '' : `; ${backup} has its earlier text`
      problems.push(`${path} is written and cannot be taken back (${message})${earlier}`)
    })
  return problems
}

/** Replaces a file, also one that a link leads to, with its rights and its owner. */
async function replaceFile({
  path: named,
  text,
  replaces,
  isSecret,
}: NewFile): Promise<Result<Written, string>> {
  const path = await realpath(named)
  const lock = `${path}.lock`
  const held = await lockAt(lock)
  if (!held.ok) return held
  const temporary = nameBeside(path, 'new')
  // A password is saved under a name of its own, because that is removed afterwards.
  const backup = isSecret === true ? nameBeside(path, 'old') : `${path}.bak`
  try {
    if (replaces !== undefined && (await readFile(path, 'utf8')) !== replaces)
      return err('it was changed meanwhile; run the command again')
    const { mode, uid, gid } = await stat(path)
    await writeDurably(temporary, text, mode & 0o7777)
    if (process.getuid?.() === 0) await chown(temporary, uid, gid)
    await copyFile(path, backup)
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return ok({ backup, undo: async () => rename(backup, path) })
  } finally {
    await held.value.close()
    await rm(temporary, { force: true }).catch(() => undefined)
    await rm(lock, { force: true }).catch(() => undefined)
  }
}

const lockAt = async (lock: string): Promise<Result<FileHandle, string>> =>
  open(lock, 'wx', 0o600).then(ok, ({ code, message }: NodeJS.ErrnoException) =>
    err(code === 'EEXIST' ? `another program is changing it; if none is, remove ${lock}` : message),
  )

const nameBeside = (path: string, ending: string): string =>
  `${path}.${Buffer.from(systemEntropy(6)).toString('hex')}.${ending}`

async function writeNewFile(file: NewFile): Promise<Result<Written, string>> {
  const { path, text, mode, folderMode, mayReplace } = file
  const temporary = nameBeside(path, 'new')
  try {
    if (mayReplace === true && (await isThere(path))) return await replaceFile(file)
    const made = await mkdir(dirname(path), { recursive: true, mode: folderMode })
    // Whatever the umask is.
    if (made !== undefined) await chmod(dirname(path), folderMode)
    await writeDurably(temporary, text, mode)
    await link(temporary, path)
    await syncFolder(dirname(path))
    return ok({ undo: async () => rm(path) })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return err(code === 'EEXIST' ? 'exists already' : message)
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined)
  }
}

async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = await open(path, flags, 0o600)
  try {
    await file.writeFile(text, 'utf8')
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** What a setup writes. */
export interface SetupPlan {
  readonly config: string
  readonly files: readonly NewFile[]
  /** The change of a configuration that exists; empty where it is new. */
  readonly diff: readonly string[]
  /** Settings that the configuration has with another value. */
  readonly remarks: readonly string[]
  /** The names of the new or changed accounts in the file. */
  readonly accounts: readonly string[]
}
