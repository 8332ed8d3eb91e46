import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { after, formatInstant, type Instant, seconds } from '../../shared/base/time.ts'
import { makeFolder } from '../../shared/platform/files/folder.ts'
import { copyDatabase, DATABASE_FILES, databaseProblems } from '../store/sqlite/files.ts'
import { DATABASE_FILE, SCHEMA_VERSION, schemaVersionIn } from '../store/sqlite/open.ts'
import { findStore, openStore } from './store/open-store.ts'
import { open } from 'node:fs/promises'
import { HASH_KEY_FILE, PREVIOUS_HASH_KEY_FILE } from './store/hash-key.ts'

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
const leadsInto = (path: string, folder: string): boolean =>
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
  if (leadsInto(into, store))
    return err(
      `${into} is the store ${store}, or a folder in it; choose another folder, best on another disk`,
    )
  return newBackup(into, { now, keep }, async (partial) => {
    await copyDatabase(store, join(partial, DATABASE_FILE))
    for (const name of hashKeysIn(store)) copyFileSync(join(store, name), join(partial, name))
    // A store that an older service still uses is copied as it is.
    return found.version < SCHEMA_VERSION ? (await databaseProblems(partial))[0] : problemOf(partial)
  })
}

/** The next time that no backup in `into` has in its name. */
export function freeMoment(into: string, now: Instant): Instant {
  return existsSync(join(into, backupName(now))) ? freeMoment(into, after(now, seconds(1))) : now
}

/** Makes a folder with the name of this time in `into`. `fill` writes its content, and returns why it is not usable. */
export async function newBackup(
  into: string,
  { now, keep }: { readonly now: Instant; readonly keep: number | undefined },
  fill: (partial: string) => Promise<string | undefined>,
): Promise<Result<Backup, string>> {
  const failure = await makeFolder(into).then(
    () => undefined,
    (error: Error) => error.message,
  )
  if (failure !== undefined)
    return err(`the folder for backups ${into} cannot be made (${failure}); choose another folder`)
  const folder = join(into, backupName(now))
  if (existsSync(folder)) return err(`${folder} exists already; try again in a second`)
  const partial = `${folder}.partial`
  removeLeftBehind(into, now)
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { mode: 0o700 })
  try {
    const problem = await fill(partial)
    if (problem !== undefined) return err(`the copy is not usable: ${problem}; nothing was kept`)
    return ok(await completeBackup({ partial, folder, into }, keep))
  } catch (error) {
    return err(
      `the backup in ${into} failed: ${(error as Error).message}; nothing was kept, and the store is unchanged`,
    )
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

interface BackupPaths {
  readonly partial: string
  readonly folder: string
  readonly into: string
}

async function completeBackup(
  { partial, folder, into }: BackupPaths,
  keep: number | undefined,
): Promise<Backup> {
  chmodSync(join(partial, DATABASE_FILE), 0o600)
  for (const name of [DATABASE_FILE, ...hashKeysIn(partial)]) await toDisk(join(partial, name))
  renameSync(partial, folder)
  await toDisk(into)
  const removed = keep === undefined ? [] : olderThan(into, keep)
  for (const name of removed) rmSync(join(into, name), { recursive: true })
  return { folder, size: statSync(join(folder, DATABASE_FILE)).size, removed }
}

const PARTIAL = /^holdfast-\d{4}-\d\d-\d\dT\d{6}Z\.partial$/
/** In milliseconds: no backup takes longer. */
const ABANDONED = 24 * 60 * 60 * 1000

/** What processes that were killed have left. */
function removeLeftBehind(into: string, now: Instant): void {
  for (const name of readdirSync(into).filter((one) => PARTIAL.test(one)))
    if (now - statSync(join(into, name)).mtimeMs > ABANDONED)
      rmSync(join(into, name), { recursive: true, force: true })
}

const olderThan = (into: string, keep: number): readonly string[] =>
  readdirSync(into)
    .filter((name) => BACKUP.test(name))
    .toSorted()
    .slice(0, -keep)

/** The service cannot write a file of another user: a copy by root is one. */
function foreignFiles(store: string): readonly string[] {
  const { uid } = statSync(store)
  return [...hashKeysIn(store), ...DATABASE_FILES]
    .map((name) => join(store, name))
    .filter((path) => existsSync(path) && statSync(path).uid !== uid)
    .map((path) => `${path} belongs to another user than its folder; run: chown --reference=${store} ${path}`)
}

/** What is wrong with a store: with its database, or with its hash key. */
export async function storeProblems(store: string): Promise<readonly string[]> {
  const found = findStore(store)
  if (found.kind === 'none') return [`there is no store in ${store}`]
  if (found.kind === 'half') return [found.message]
  const problems = await databaseProblems(store)
  if (problems.length > 0) return problems
  const opened = await openStore(store)
  if (!opened.ok) return opened.error.messages
  await opened.value.store.close()
  return foreignFiles(store)
}
