import { chownSync, existsSync, realpathSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { databaseProblems } from '../store/sqlite/files.ts'
import { DATABASE_FILE, schemaVersionIn } from '../store/sqlite/open.ts'
import { HASH_KEY_FILE, PREVIOUS_HASH_KEY_FILE } from './store/hash-key.ts'
import { openStore } from './store/open-store.ts'

/** The hash key, and the one before a rotation if it is still in use. */
export const hashKeysIn = (folder: string): readonly string[] =>
  [HASH_KEY_FILE, PREVIOUS_HASH_KEY_FILE].filter((name) => existsSync(join(folder, name)))

/** Why a folder is no usable backup; undefined if it is. Leaves only the two files of a backup. */
export async function problemOf(folder: string): Promise<string | undefined> {
  if (schemaVersionIn(folder) === undefined) return `${folder} contains no ${DATABASE_FILE}`
  const [first] = await databaseProblems(folder)
  if (first !== undefined) return first
  const opened = await openStore(folder, { mayUpgrade: true })
  if (!opened.ok) return opened.error.messages.join('; ')
  await opened.value.store.close()
  return undefined
}

/** Without symbolic links. The last part of the path need not exist yet. */
export function realPathOf(path: string): string {
  const absolute = resolve(path)
  if (existsSync(absolute)) return realpathSync(absolute)
  return absolute === dirname(absolute) ? absolute : join(realPathOf(dirname(absolute)), basename(absolute))
}

/** Whether a path leads to the folder or to something in it. */
export const leadsInto = (path: string, folder: string): boolean =>
  !/^\.\.(?:\/|$)/.test(relative(realPathOf(folder), realPathOf(path)))

/** What root writes into the store of another user belongs to that user, so that the service can use it. */
export function giveToFolderOwner(path: string, folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  chownSync(path, uid, gid)
}

/** fsync of a file or a folder. */
export async function toDisk(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
