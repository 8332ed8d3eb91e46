import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import type { Instant } from '../../shared/base/time.ts'
import { systemFiles } from '../../shared/platform/files/files.ts'
import { makeFolder } from '../../shared/platform/files/folder.ts'
import { codeOf, type PostgresPlace } from '../store/postgres/connection.ts'
import { migratePostgres } from '../store/postgres/migrations.ts'
import {
  type BeforeCommit,
  NotDirect,
  postgresRows,
  refuseInUse,
  replacedPostgresRows,
  StoreInUse,
} from '../store/postgres/copy-rows.ts'
import { contentProblems, hasContent } from '../store/postgres/content.ts'
import { exclusively } from '../store/sqlite/files.ts'
import { DATABASE_FILE } from '../store/sqlite/open.ts'
import { newSqliteRows, sqliteRows, tableColumns } from '../store/sqlite/copy-rows.ts'
import { copyRows, RowRefused, type RowSink, type RowSource } from '../store/copy-rows.ts'
import { configurationFailure, type Failure } from '../../shared/program/exit-codes.ts'
import {
  type Backup,
  freeMoment,
  giveToFolderOwner,
  hashKeysIn,
  newBackup,
  problemOf,
  toDisk,
} from './backup.ts'
import { hashKeyPath, PREVIOUS_HASH_KEY_FILE } from './store/hash-key.ts'
import { offerHashKey, takeOfferedHashKey } from './store/offered-hash-key.ts'
import { databaseFailure, databaseOf, openPostgres } from './store/open-postgres.ts'
import { findStore, openStore } from './store/open-store.ts'
import { operatorChange } from './operator-changes.ts'
import { faultOf, incomingIn } from './restore.ts'
import { refuseIfOpen } from './store/modes.ts'
import { placeName, type SharedPlace } from './store/place.ts'
import { STOP_ADVICE } from './stop-advice.ts'

type Done<T> = Promise<Result<T, Failure>>

/** Copies the store in a folder into the database, which must have none. Resolves with the number of rows. */
export async function copyFromFolder(place: SharedPlace, folder: string, now: Instant): Done<number> {
  const whole = await openStore(folder)
  if (!whole.ok) return whole
  await whole.value.store.close()
  const fault = rotationFault(folder)
  if (fault !== undefined) return configurationFailure(fault)
  // Changes that a service makes after the copy has begun would be missing.
  if ((await exclusively(folder, async () => true)) === undefined)
    return configurationFailure(`a process has the store in ${folder} open: ${STOP_ADVICE}`)
  return withDatabase(place, async (at) => {
    if (await hasContent(at))
      return configurationFailure(
        `there is a store in ${placeName(place)} already; it is unchanged: use another database`,
      )
    const key = await hashKeyText(folder)
    const present = await systemFiles.read(place.hashKeyFile)
    if (present !== undefined && present.trim() !== key.trim())
      return configurationFailure(
        `${place.hashKeyFile} is another hash key than that of ${folder}: name another file as hash_key_file`,
      )
    if (present === undefined) await systemFiles.replace(place.hashKeyFile, key)
    return replaceRows(at, folder, noted({ now, operation: 'store copy', from: folder }))
  })
}

/** Copies the store in the database into a folder, which must have none. Resolves with the number of rows. */
export async function copyToFolder(place: SharedPlace, folder: string, now: Instant): Done<number> {
  if (findStore(folder).kind !== 'none')
    return configurationFailure(`there is a store in ${folder} already; it is unchanged`)
  return withStoreIn(place, async (at) => {
    await refuseInUse(at)
    await makeFolder(folder)
    refuseIfOpen(folder)
    const incoming = join(folder, 'copy.partial')
    rmSync(incoming, { recursive: true, force: true })
    try {
      const copied = await copyRowsTo(incoming, place, at)
      const problem = await problemOf(incoming)
      if (problem !== undefined)
        return configurationFailure(`the copy is not usable: ${problem}; nothing was kept`)
      await putInto(folder, incoming)
      return await complete(folder, copied, { now, operation: 'store copy', from: placeName(place) })
    } finally {
      rmSync(incoming, { recursive: true, force: true })
    }
  })
}

/** A backup of the database in the form of that of a folder: each can be restored in the place of the other. */
export async function backUpDatabase(
  place: SharedPlace,
  into: string,
  options: { readonly now: Instant; readonly keep: number | undefined },
): Done<Backup> {
  return withStoreIn(place, async (at) => {
    const made = await newBackup(into, options, async (partial) => {
      await copyRowsTo(partial, place, at)
      return problemOf(partial)
    })
    return made.ok ? made : configurationFailure(made.error)
  })
}

interface RestoredDatabase {
  /** The backup of what was replaced; undefined if there was nothing. */
  readonly replaced: string | undefined
  /** Whether every node needs the hash key file again. */
  readonly isKeyChanged: boolean
}

/** Replaces the content of the database by a backup; a backup of the content is made first. No node may run. */
export async function restoreDatabase(
  place: SharedPlace,
  from: string,
  now: Instant,
): Done<RestoredDatabase> {
  const fault = faultOf(from)
  if (fault !== undefined) return configurationFailure(fault)
  const checked = checkedIn(dirname(resolve(from)))
  try {
    // An older version is upgraded in the copy.
    for (const name of [...hashKeysIn(from), DATABASE_FILE])
      copyFileSync(join(from, name), join(checked, name))
    const problem = await problemOf(checked).catch((error: Error) => error.message)
    if (problem !== undefined)
      return configurationFailure(`${from} is not usable: ${problem}; the store is unchanged`)
    const rotation = rotationFault(checked)
    if (rotation !== undefined) return configurationFailure(rotation.replace(checked, from))
    return await withDatabase(place, async (at) => restoreChecked(place, { at, from, checked, now }))
  } finally {
    rmSync(checked, { recursive: true, force: true })
  }
}

/**
 * In the folder of the backup, because its disk has room for another one;
 * the folder for temporary files may be in memory.
 */
function checkedIn(beside: string): string {
  try {
    return incomingIn(beside)
  } catch {
    return mkdtempSync(join(tmpdir(), 'holdfast-restore-'))
  }
}

interface Restoring {
  readonly at: PostgresPlace
  readonly from: string
  readonly checked: string
  readonly now: Instant
}

async function restoreChecked(
  place: SharedPlace,
  { at, from, checked, now }: Restoring,
): Done<RestoredDatabase> {
  const beside = dirname(resolve(from))
  const saved = (await hasContent(at))
    ? await backUpDatabase(place, beside, { now: freeMoment(beside, now), keep: undefined })
    : ok(undefined)
  if (!saved.ok) return saved
  const note = noted({ now, operation: 'restore', from })
  let isKeyChanged = false
  const copied = await replaceRows(at, checked, async (w) => {
    await note(w)
    // Before the rows: without their hash key they are useless.
    isKeyChanged = await offerHashKey(place.hashKeyFile, await hashKeyText(checked))
  })
  if (copied.ok && isKeyChanged) await takeOfferedHashKey(place.hashKeyFile, now)
  return copied.ok ? ok({ replaced: saved.value?.folder, isKeyChanged }) : copied
}

const hashKeyText = async (folder: string): Promise<string> => readFile(hashKeyPath(folder), 'utf8')

/** What is wrong with the store in the database; empty if nothing is. */
export async function databaseProblemsOf(place: SharedPlace): Done<readonly string[]> {
  const opened = await openPostgres(place, { mayLack: true })
  if (!opened.ok) return opened
  await opened.value.store.close()
  return withDatabase(place, async (at) => ok(await contentProblems(at, tableColumns())))
}

/** All nodes have one hash key. */
const rotationFault = (folder: string): string | undefined =>
  hashKeysIn(folder).includes(PREVIOUS_HASH_KEY_FILE)
    ? `the hash key of ${folder} is being rotated: finish that first, ` +
      'with holdfast admin rotate-hash-key drop-old on a store in a folder'
    : undefined

/** The schema is made, or brought to this version. */
async function withDatabase<T>(place: SharedPlace, work: (at: PostgresPlace) => Done<T>): Done<T> {
  const at = await databaseOf(place)
  if (!at.ok) return configurationFailure(at.error)
  try {
    await migratePostgres(at.value)
    return await work(at.value)
  } catch (error) {
    if (error instanceof RowRefused) return configurationFailure(error.message)
    if (error instanceof NotDirect)
      return configurationFailure(
        `${placeName(place)} is not the server itself, but a pooler or a proxy, ` +
          'which hides whether a service is connected: for this command, ' +
          'set store to the address of the server',
      )
    if (error instanceof StoreInUse)
      return configurationFailure(
        `a service is connected to ${placeName(place)}: ` +
          'stop it on every node first (systemctl stop holdfast-service.socket holdfast-service.service)',
      )
    // Of SQLite, or of the system.
    if (codeOf(error).startsWith('ERR_SQLITE') || (error as NodeJS.ErrnoException).path !== undefined)
      return configurationFailure(`the copy failed: ${(error as Error).message}; nothing was kept`)
    return err(databaseFailure(place, error))
  }
}

/** The database must have a store of this version, with its hash key. */
async function withStoreIn<T>(place: SharedPlace, work: (at: PostgresPlace) => Done<T>): Done<T> {
  const opened = await openPostgres(place, {})
  if (!opened.ok) return opened
  await opened.value.store.close()
  return withDatabase(place, work)
}

/** The rows of the database, and the hash key, as a store in this folder. */
async function copyRowsTo(folder: string, place: SharedPlace, at: PostgresPlace): Promise<number> {
  const copied = await copyAll(await postgresRows(at), async () => newSqliteRows(folder))
  await systemFiles.replace(hashKeyPath(folder), (await systemFiles.read(place.hashKeyFile)) ?? '')
  return copied
}

async function replaceRows(at: PostgresPlace, from: string, beforeCommit: BeforeCommit): Done<number> {
  return ok(await copyAll(sqliteRows(from), async () => replacedPostgresRows(at, beforeCommit)))
}

async function copyAll(source: RowSource, open: () => Promise<RowSink>): Promise<number> {
  try {
    const sink = await open()
    try {
      return await copyRows(source, sink, tableColumns())
    } finally {
      await sink.close()
    }
  } finally {
    await source.close()
  }
}

/** The database last: without it, the folder is refused as half a store. */
async function putInto(folder: string, incoming: string): Promise<void> {
  for (const name of [...hashKeysIn(incoming), DATABASE_FILE]) {
    giveToFolderOwner(join(incoming, name), folder)
    await toDisk(join(incoming, name))
    renameSync(join(incoming, name), join(folder, name))
  }
  await toDisk(folder)
}

interface Completion {
  readonly now: Instant
  readonly operation: string
  readonly from: string
}

/** Name servers may have newer serials than the copy, and would not fetch what is older. */
const noted =
  ({ now, operation, from }: Completion): BeforeCommit =>
  async (w) => {
    await w.raiseSerialsAfter(now)
    await w.addOperatorChange(operatorChange(operation, [from], now))
  }

async function complete(folder: string, copied: number, completion: Completion): Done<number> {
  const opened = await openStore(folder)
  if (!opened.ok) return opened
  const { store } = opened.value
  try {
    await store.write(noted(completion))
    return ok(copied)
  } finally {
    await store.close()
  }
}
