import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Files } from '../ports/files.ts'
import { makeFolder } from './folder.ts'
import { readOwnFile } from './named-file.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

export const systemFiles: Files = {
  async read(path) {
    return readOwnFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw error
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
      throw error
    }
  },
  rename: (from, to) => rename(from, to),
  makeFolder: (path) => makeFolder(path),
  async makePrivateFolder(path) {
    await refuseUnsafePlace(dirname(dirname(path)))
    for (const folder of [dirname(path), path]) {
      await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
      await refuseForeign(folder)
    }
  },
  async isPrivateFolder(path) {
    try {
      await refuseUnsafePlace(dirname(dirname(path)))
      for (const folder of [dirname(path), path]) await refuseForeign(folder)
      return true
    } catch {
      return false
    }
  },
  remove: (path) => rm(path, { force: true }),
}

/** What `replace` writes before it renames it. */
export const TEMPORARY = /\.[0-9a-f]{12}\.new$/

/** Where another user may rename what is in a folder, nothing in it stays what it was when it was checked. */
async function refuseUnsafePlace(path: string): Promise<void> {
  const { uid, mode } = await stat(path)
  const isOurs = uid === process.getuid?.() && ((mode & 0o022) === 0 || (mode & STICKY) !== 0)
  const isShared = uid === 0 && (mode & STICKY) !== 0
  if (!isOurs && !isShared) throw new Error(`${path} is a folder in which others may rename what is there`)
}
const STICKY = 0o1000

/** A user who made our folder first could read what is kept in it, or put something else there. */
async function refuseForeign(path: string): Promise<void> {
  const found = await lstat(path)
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
  if (!isOurs) throw new Error(`${path} is not a folder that only this user may open`)
}

/** O_EXCL and O_NOFOLLOW: in a folder that others may write, nobody chooses our file for us. */
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await file.writeFile(text, 'utf8')
    await giveToOwner(file, dirname(path))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** What root writes into another user's folder is that user's: a daemon must be able to read it when it starts again. */
export async function giveToOwner(file: FileHandle, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  if (uid !== 0) await file.chown(uid, gid)
}

/** A rename is on disk only when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
