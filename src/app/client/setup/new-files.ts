import { systemEntropy } from '../../../platform/clock/clock.ts'
import { constants } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
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
import { err, ok, type Result } from '../../../base/result.ts'
import { syncFolder } from '../../../platform/files/files.ts'

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

/** Writes all of the files or none: each is complete before it is renamed to its name. The error names the file. */
export async function writeNewFiles(files: readonly NewFile[]): Promise<Result<undefined, string>> {
  const done: NewFile[] = []
  for (const file of files) {
    const problem = await writeNewFile(file)
    if (problem === undefined) {
      done.push(file)
      continue
    }
    for (const { path, mayReplace } of done.toReversed()) await takeBack(path, mayReplace === true)
    return err(`${file.path}: ${problem}; nothing is written`)
  }
  for (const { path, isSecret } of files) if (isSecret === true) await forgetBackup(path)
  return ok(undefined)
}

const backupOf = (path: string): string => `${path}.bak`

const forgetBackup = async (path: string): Promise<void> =>
  realpath(path)
    .then(async (real) => rm(backupOf(real), { force: true }))
    .catch(() => undefined)

async function takeBack(path: string, wasReplaced: boolean): Promise<void> {
  const isRestored =
    wasReplaced &&
    (await rename(backupOf(path), path).then(
      () => true,
      () => false,
    ))
  if (!isRestored) await rm(path, { force: true }).catch(() => undefined)
}

/** Replaces a file, also one that a link leads to, with its rights and its owner. */
async function replaceFile({ path: named, text, replaces }: NewFile): Promise<string | undefined> {
  const path = await realpath(named)
  const lock = `${path}.lock`
  const held = await open(lock, 'wx', 0o600).catch(() => undefined)
  if (held === undefined) return `another program changes it; if none does, remove ${lock}`
  const temporary = temporaryOf(path)
  try {
    if (replaces !== undefined && (await readFile(path, 'utf8')) !== replaces)
      return 'it was changed meanwhile; run the command again'
    const { mode, uid, gid } = await stat(path)
    await writeDurably(temporary, text, mode & 0o7777)
    if (process.getuid?.() === 0) await chown(temporary, uid, gid)
    await copyFile(path, backupOf(path))
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return undefined
  } finally {
    await held.close()
    await rm(temporary, { force: true }).catch(() => undefined)
    await rm(lock, { force: true }).catch(() => undefined)
  }
}

const temporaryOf = (path: string): string => `${path}.${Buffer.from(systemEntropy(6)).toString('hex')}.new`

async function writeNewFile(file: NewFile): Promise<string | undefined> {
  const { path, text, mode, folderMode, mayReplace } = file
  const temporary = temporaryOf(path)
  try {
    if (mayReplace === true && (await isThere(path))) return await replaceFile(file)
    const made = await mkdir(dirname(path), { recursive: true, mode: folderMode })
    // Whatever the umask is.
    if (made !== undefined) await chmod(dirname(path), folderMode)
    await writeDurably(temporary, text, mode)
    await link(temporary, path)
    await syncFolder(dirname(path))
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'EEXIST' ? 'exists already' : message
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
