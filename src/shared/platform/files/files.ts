import { randomBytes } from 'node:crypto'
import { closeSync, constants, fchownSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Files } from '../../ports/files.ts'
import { denial, isDenial, makeFolder } from './folder.ts'
import { readOwnFile } from './named-file.ts'
import {
  chmod,
  closeFile,
  fchown,
  fsync,
  lstat,
  mkdir,
  openFile,
  rename,
  rm,
  stat,
  writeFile,
} from './promises.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

export const systemFiles: Files = {
  async read(path) {
    return readOwnFile(path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw await withOwner(path, error)
    })
  },
  async replace(path, text) {
    const temporary = `${path}.${randomBytes(6).toString('hex')}.new`
    try {
      await writeDurably(temporary, text)
      await rename(temporary, path)
      await syncFolder(dirname(path))
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined)
      throw await withOwner(path, error as NodeJS.ErrnoException)
    }
  },
  jot,
  rename: (from, to) => rename(from, to),
  async makeFolder(path) {
    await makeFolder(path).catch(async (error: NodeJS.ErrnoException) => {
      throw await withOwner(path, error)
    })
  },
  async makePrivateFolder(path) {
    await rejectUnsafeParent(dirname(dirname(path)))
    for (const folder of [dirname(path), path]) {
      await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
      await rejectForeign(folder)
    }
  },
  async isPrivateFolder(path) {
    try {
      await rejectUnsafeParent(dirname(dirname(path)))
      for (const folder of [dirname(path), path]) await rejectForeign(folder)
      return true
    } catch {
      return false
    }
  },
  remove: (path) => rm(path, { force: true }),
}

function jot(path: string, text: string): boolean {
  try {
    rmSync(path, { force: true })
    const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      writeSync(file, text)
      giveAtOnce(file, dirname(path))
    } finally {
      closeSync(file)
    }
    return true
  } catch {
    return false
  }
}

function giveAtOnce(file: number, folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  if (uid !== 0) fchownSync(file, uid, gid)
}

async function withOwner(path: string, error: NodeJS.ErrnoException): Promise<Error> {
  const owner = isDenial(error) ? await denial(path) : undefined
  return owner === undefined ? error : Object.assign(error, { message: `${error.code}: ${owner}` })
}

/** Replaces a file that other users may read, such as the metrics for another program. */
export async function writeReadable(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`
  try {
    await writeDurably(temporary, text)
    await chmod(temporary, 0o644)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Matches the temporary files of `replace`. */
export const TEMPORARY = /\.[0-9a-f]{12}\.new$/

/** Where other users can rename entries of a folder, a check of an entry does not hold. */
async function rejectUnsafeParent(path: string): Promise<void> {
  const { uid, mode } = await stat(path)
  const isOwn = uid === process.getuid?.() && ((mode & 0o022) === 0 || (mode & STICKY) !== 0)
  const isShared = uid === 0 && (mode & STICKY) !== 0
  if (!isOwn && !isShared) throw new Error(`other users can rename entries of the folder ${path}`)
}
const STICKY = 0o1000

/** A folder that another user created first would let that user read or replace its files. */
async function rejectForeign(path: string): Promise<void> {
  const stats = await lstat(path)
  const isPrivate = stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0
  if (!isPrivate) throw new Error(`${path} is not a folder that only this user can open`)
}

/** O_EXCL and O_NOFOLLOW: in a folder that others can write, the path must not lead to a file of theirs. */
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await writeFile(file, text, 'utf8')
    await giveToOwner(file, dirname(path))
    await fsync(file)
  } finally {
    await closeFile(file)
  }
}

/** Gives a file that root writes into the folder of another user to that user, so that its daemon can read it. */
export async function giveToOwner(file: number, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  if (uid !== 0) await fchown(file, uid, gid)
}

/** A rename is durable only after an fsync of the folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await openFile(path, 'r')
  try {
    await fsync(folder)
  } finally {
    await closeFile(folder)
  }
}
