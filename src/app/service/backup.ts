import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { err, ok, type Result } from '../../base/result.ts'
import { formatInstant, type Instant } from '../../base/time.ts'
import { makeFolder } from '../../platform/folder.ts'
import {
  copyDatabase,
  DATABASE_FILES,
  databaseProblems,
  isDatabaseInUse,
} from '../../server/store/sqlite-files.ts'
import { DATABASE_FILE, SCHEMA_VERSION, schemaVersionIn } from '../../server/store/sqlite-open.ts'
import { HASH_KEY_FILE, PREVIOUS_HASH_KEY_FILE } from './hash-key.ts'
import { findStore, openStore } from './open-store.ts'

/** The folder of one backup, made at this time. */
const backupName = (now: Instant): string =>
  `holdfast-${formatInstant(now).replaceAll(':', '').slice(0, 17)}Z`
const BACKUP = /^holdfast-\d{4}-\d\d-\d\dT\d{6}Z$/

export interface Backup {
  readonly folder: string
  /** In bytes. */
  readonly size: number
  /** Older backups that were removed. */
  readonly removed: readonly string[]
}

/**
 * Copies database and hash key into a new folder in `into`, while the service may run, and checks the copy. A folder of that
 * name is a whole backup: it gets its name at the end. Keeps the newest `keep` backups.
 */
export async function backUp(
  store: string,
  into: string,
  { now, keep }: { readonly now: Instant; readonly keep: number | undefined },
): Promise<Result<Backup, string>> {
  const found = findStore(store)
  if (found.kind !== 'whole')
    return err(found.kind === 'half' ? found.message : `there is no store in ${store}`)
  await makeFolder(into)
  const folder = join(into, backupName(now))
  if (existsSync(folder)) return err(`${folder} exists already; try again in a second`)
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { mode: 0o700 })
  try {
    return await completeBackup(
      { store, partial, folder, into },
      { isOld: found.version < SCHEMA_VERSION, keep },
    )
  } catch (error) {
    return err(
      `the backup in ${into} failed: ${(error as Error).message}; nothing was kept, and the store is unchanged`,
    )
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

interface BackupPaths {
  readonly store: string
  readonly partial: string
  readonly folder: string
  readonly into: string
}

async function completeBackup(
  { store, partial, folder, into }: BackupPaths,
  { isOld, keep }: { readonly isOld: boolean; readonly keep: number | undefined },
): Promise<Result<Backup, string>> {
  copyDatabase(store, join(partial, DATABASE_FILE))
  chmodSync(join(partial, DATABASE_FILE), 0o600)
  for (const name of hashKeysIn(store)) copyFileSync(join(store, name), join(partial, name))
  // A store that an older service still uses is copied as it is.
  const problem = isOld ? databaseProblems(partial)[0] : await problemOf(partial)
  if (problem !== undefined) return err(`the copy of ${store} is not usable: ${problem}; nothing was kept`)
  for (const name of [DATABASE_FILE, ...hashKeysIn(partial)]) await toDisk(join(partial, name))
  renameSync(partial, folder)
  await toDisk(into)
  const removed = keep === undefined ? [] : olderThan(into, keep)
  for (const name of removed) rmSync(join(into, name), { recursive: true })
  return ok({ folder, size: statSync(join(folder, DATABASE_FILE)).size, removed })
}

/** The hash key, and the one before a rotation if it is still in use. */
const hashKeysIn = (folder: string): readonly string[] =>
  [HASH_KEY_FILE, PREVIOUS_HASH_KEY_FILE].filter((name) => existsSync(join(folder, name)))

const olderThan = (into: string, keep: number): readonly string[] =>
  readdirSync(into)
    .filter((name) => BACKUP.test(name))
    .toSorted()
    .slice(0, -keep)

/** Why a folder is no usable backup; undefined if it is. Leaves only the two files of a backup. */
async function problemOf(folder: string): Promise<string | undefined> {
  if (schemaVersionIn(folder) === undefined) return `${folder} contains no ${DATABASE_FILE}`
  const [first] = databaseProblems(folder)
  if (first !== undefined) return first
  const opened = await openStore(folder, { mayUpgrade: true })
  if (!opened.ok) return opened.error.messages.join('; ')
  await opened.value.store.close()
  return undefined
}

export interface Restored {
  /** Where the files of the replaced store are; undefined if there was none. */
  readonly replaced: string | undefined
}

/**
 * Puts a backup in the place of the store. The files of the present store are moved aside, not deleted. If this is interrupted,
 * the store is refused as incomplete, and the same call completes it.
 */
export async function restore(store: string, from: string, now: Instant): Promise<Result<Restored, string>> {
  if (resolve(store) === resolve(from)) return err('the backup is the store itself')
  await makeFolder(store)
  const incoming = join(store, 'restore.partial')
  rmSync(incoming, { recursive: true, force: true })
  mkdirSync(incoming, { mode: 0o700 })
  for (const name of [DATABASE_FILE, HASH_KEY_FILE])
    if (!existsSync(join(from, name))) return err(`${from} is no backup: it contains no ${name}`)
  const names = [...hashKeysIn(from), DATABASE_FILE]
  for (const name of names) copyFileSync(join(from, name), join(incoming, name))
  const problem = await problemOf(incoming).catch((error: Error) => error.message)
  if (problem !== undefined) return err(`${from} is not usable: ${problem}; the store is unchanged`)
  for (const name of names) {
    giveToOwner(join(incoming, name), store)
    await toDisk(join(incoming, name))
  }
  if (existsSync(join(store, DATABASE_FILE)) && isDatabaseInUse(store))
    return err('a process has the store open; stop the service first, then restore')
  const replaced = await moveAside(store, now)
  for (const name of names) renameSync(join(incoming, name), join(store, name))
  await toDisk(store)
  rmSync(incoming, { recursive: true, force: true })
  return ok({ replaced })
}

/** The database goes first: without it, the rest is refused and not taken for a store. */
async function moveAside(store: string, now: Instant): Promise<string | undefined> {
  const present = [...DATABASE_FILES, ...hashKeysIn(store)].filter((name) => existsSync(join(store, name)))
  if (present.length === 0) return undefined
  const aside = join(store, `replaced-${formatInstant(now).replaceAll(':', '')}`)
  mkdirSync(aside, { mode: 0o700 })
  giveToOwner(aside, store)
  for (const name of present) renameSync(join(store, name), join(aside, name))
  await toDisk(store)
  return aside
}

/** What root writes into the store of another user belongs to that user, so that the service can use it. */
function giveToOwner(path: string, folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  chownSync(path, uid, gid)
}

/** fsync of a file or a folder. */
async function toDisk(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** What is wrong with a store: with its database, or with its hash key. */
export async function storeProblems(store: string): Promise<readonly string[]> {
  const found = findStore(store)
  if (found.kind === 'none') return [`there is no store in ${store}`]
  if (found.kind === 'half') return [found.message]
  const problems = databaseProblems(store)
  if (problems.length > 0) return problems
  const opened = await openStore(store)
  if (!opened.ok) return opened.error.messages
  await opened.value.store.close()
  return []
}
