import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { formatInstant, type Instant } from '../../shared/base/time.ts'
import { makeFolder } from '../../shared/platform/files/folder.ts'
import { DATABASE_FILES, exclusively, LOG_FILES } from '../store/sqlite/files.ts'
import { claimDatabase, DATABASE_FILE } from '../store/sqlite/open.ts'
import { giveToFolderOwner, hashKeysIn, problemOf, realPathOf, toDisk } from './backup.ts'
import { HASH_KEY_FILE } from './store/hash-key.ts'
import { refuseIfOpen } from './store/modes.ts'
import { STOP_ADVICE } from './stop-advice.ts'

interface Restored {
  /** Where the files of the replaced store are; undefined if there was none. */
  readonly replaced: string | undefined
}

interface Restoring {
  readonly store: string
  readonly from: string
  /** Where the files are checked: in the folder of the store, because a rename needs the same file system. */
  readonly incoming: string
  readonly now: Instant
}

/** One per process, so that two restores at the same time do not mix their files. */
const INCOMING = /^restore\.partial(?:-(\d+))?$/

/**
 * Puts a backup in the place of the store. The files of the present store are moved aside, not deleted. If this is
 * interrupted, the store is refused as incomplete, and the same call completes it.
 */
export async function restore(store: string, from: string, now: Instant): Promise<Result<Restored, string>> {
  if (realPathOf(store) === realPathOf(from)) return err('the backup is the store itself')
  const fault = faultOf(from)
  if (fault !== undefined) return err(fault)
  const isNew = !existsSync(store)
  await makeFolder(store)
  refuseIfOpen(store)
  const incoming = incomingIn(store)
  const done = await putInPlace({ store, from, incoming, now }).finally(() =>
    rmSync(incoming, { recursive: true, force: true }),
  )
  if (!done.ok && isNew) rmdirSync(store)
  return done
}

/** Why the folder is no backup; undefined if it has the files of one. */
export function faultOf(from: string): string | undefined {
  for (const name of [DATABASE_FILE, HASH_KEY_FILE]) {
    const path = join(from, name)
    if (!existsSync(path)) return `${from} is no backup: it contains no ${name}`
    if (!statSync(path).isFile()) return `${from} is no backup: its ${name} is not a file`
  }
  return undefined
}

/** A new folder for files that are checked before they are used. What processes that were killed have left there goes. */
export function incomingIn(folder: string): string {
  removeLeftovers(folder)
  const incoming = join(folder, `restore.partial-${process.pid}`)
  mkdirSync(incoming, { mode: 0o700 })
  return incoming
}

function removeLeftovers(store: string): void {
  for (const name of readdirSync(store)) {
    const found = INCOMING.exec(name)
    if (found !== null && !isOtherProcess(Number(found[1])))
      rmSync(join(store, name), { recursive: true, force: true })
  }
}

/** Signal 0 only asks whether there is such a process (kill(2)). */
function isOtherProcess(pid: number): boolean {
  if (Number.isNaN(pid) || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function putInPlace(restoring: Restoring): Promise<Result<Restored, string>> {
  const { store, from, incoming } = restoring
  const names = [...hashKeysIn(from), DATABASE_FILE]
  // Opening the copy merges the write-ahead logs of a copied store.
  const copied = [...names, ...LOG_FILES.filter((name) => existsSync(join(from, name)))]
  try {
    for (const name of copied) copyFileSync(join(from, name), join(incoming, name))
  } catch (error) {
    return err(`${from} cannot be copied into ${store}: ${(error as Error).message}; the store is unchanged`)
  }
  const problem = await problemOf(incoming).catch((error: Error) => error.message)
  if (problem !== undefined) return err(`${from} is not usable: ${problem}; the store is unchanged`)
  for (const name of names) {
    giveToFolderOwner(join(incoming, name), store)
    await toDisk(join(incoming, name))
  }
  const replaced = await whileHeld(store, async () => exchange(restoring, names))
  return replaced ?? err(`a process has the store open; ${STOP_ADVICE}, then restore`)
}

/** Nothing else opens or restores the store during the work. Undefined if a process has it open. */
async function whileHeld<T>(store: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    if (!existsSync(join(store, DATABASE_FILE))) claimDatabase(store)
    return await exclusively(store, work)
  } catch (error) {
    // What is no database cannot be held, and no service runs on it.
    if (/not a database|malformed/.test((error as Error).message)) return work()
    throw error
  }
}

async function exchange(
  { store, incoming, now }: Restoring,
  names: readonly string[],
): Promise<Result<Restored, string>> {
  const replaced = await moveAside(store, now)
  for (const name of names) renameSync(join(incoming, name), join(store, name))
  await toDisk(store)
  return ok({ replaced })
}

/** The database goes first: without it, the rest is refused and not taken for a store. */
async function moveAside(store: string, now: Instant): Promise<string | undefined> {
  const database = join(store, DATABASE_FILE)
  if (statSync(database).size === 0) rmSync(database)
  const present = [...DATABASE_FILES, ...hashKeysIn(store)].filter((name) => existsSync(join(store, name)))
  if (present.length === 0) return undefined
  const aside = join(store, `replaced-${formatInstant(now).replaceAll(':', '')}`)
  mkdirSync(aside, { mode: 0o700 })
  giveToFolderOwner(aside, store)
  for (const name of present) renameSync(join(store, name), join(aside, name))
  await toDisk(store)
  return aside
}
