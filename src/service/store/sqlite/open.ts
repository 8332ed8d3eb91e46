import {
  accessSync,
  constants,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { MIGRATIONS } from './migrations.ts'
import { StoreRefused } from '../errors.ts'
import { existing } from '../select.ts'
import { PRAGMAS } from './pragmas.ts'
import { statements } from './transaction.ts'

/** The file of the database in the folder of the store. */
export const DATABASE_FILE = 'holdfast.db'

/** WAL size in pages of 4 KiB before a checkpoint: with a longer WAL, more changes of one page are one write. */
const WAL_CHECKPOINT_PAGES = 4000
/** Page cache of the writer. */
const CACHE_KIB = 16_000

/** In milliseconds, before anything is served: another program may write. */
const START_WAIT = 5000
/** In milliseconds. With WAL a reader waits for no writer, but for one that removes the log at its end. */
export const READ_WAIT = 50

export interface Connections {
  readonly writer: DatabaseSync
  readonly reader: DatabaseSync
  /** Undefined for data in memory. */
  readonly path: string | undefined
  /** One more connection to read, for a transaction that takes long; undefined for data in memory. */
  readonly openReader: (() => DatabaseSync) | undefined
}

/** The version of the schema that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** The version of the schema in this folder; 0 for an empty database, undefined without one. Changes nothing. */
export function schemaVersionIn(folder: string): number | undefined {
  const path = join(folder, DATABASE_FILE)
  // In a folder that this user may not enter there may be a store: accessSync throws EACCES.
  if (existsSync(folder)) accessSync(folder, constants.R_OK | constants.X_OK)
  if (!existsSync(path)) return undefined
  if (statSync(path).size === 0) return 0
  const database = new DatabaseSync(path, { timeout: START_WAIT })
  try {
    return versionOf(database)
  } finally {
    database.close()
  }
}

/**
 * Makes an empty file that only the owner of the folder can read; SQLite gives its other files the same mode and owner.
 * Throws EEXIST if there is one.
 */
export function claimDatabase(folder: string): void {
  const path = join(folder, DATABASE_FILE)
  closeSync(openSync(path, 'wx', 0o600))
  const { uid, gid } = statSync(folder)
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
}

/** Makes the tables of a new database. */
export function makeDatabase(folder: string): void {
  const { writer, reader } = openConnections(folder, 'rw')
  reader.close()
  writer.close()
}

/** Whether a database that is missing is made. The names are those of SQLite ("Uniform Resource Identifiers"). */
export type OpenMode = 'rw' | 'rwc'

/** The path with a mode. While a restore exchanges the files, a new database would get in its way. */
export function databaseUrl(path: string, mode: OpenMode): URL {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', mode)
  return url
}

/** One connection to write and one to read: with WAL the second sees only committed data. */
export function openConnections(folder: string, mode: OpenMode = 'rwc'): Connections {
  if (mode === 'rwc') mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, DATABASE_FILE)
  const writer = new DatabaseSync(databaseUrl(path, mode), { timeout: START_WAIT })
  try {
    // FULL: a commit is on disk when it returns. WAL without it may lose the last commits in a power cut.
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    writer.exec(`PRAGMA wal_autocheckpoint = ${WAL_CHECKPOINT_PAGES}; PRAGMA cache_size = -${CACHE_KIB}`)
    copyBeforeUpgrade(writer, path)
    migrate(writer, path)
    // From now on the group commit waits, and the event loop does not.
    writer.exec('PRAGMA busy_timeout = 0')
    const openReader = (): DatabaseSync => new DatabaseSync(path, { timeout: READ_WAIT, readOnly: true })
    return { writer, reader: openReader(), path, openReader }
  } catch (error) {
    writer.close()
    throw error
  }
}

/**
 * An older Holdfast does not read the schema of a newer one: without a copy there would be no way back. Only the owner can
 * read it, as the database.
 */
function copyBeforeUpgrade(database: DatabaseSync, path: string): void {
  const version = versionOf(database)
  if (version === 0 || version >= SCHEMA_VERSION) return
  const copy = upgradeCopyAt(path, version)
  const partial = `${copy}.partial`
  rmSync(partial, { force: true })
  const { uid, gid } = statSync(path)
  closeSync(openSync(partial, 'wx', 0o600))
  if (process.getuid?.() === 0) chownSync(partial, uid, gid)
  database.prepare('VACUUM INTO ?').run(partial)
  renameSync(partial, copy)
}

/** Where the next copy of a database of this version goes; one that is there stays. */
export function upgradeCopyAt(path: string, version: number): string {
  const first = `${path}.schema-${version}`
  for (let number = 1; ; number++) {
    const copy = number === 1 ? first : `${first}.${number}`
    if (!existsSync(copy)) return copy
  }
}

/** For tests. Data in memory belongs to one connection. */
export function openMemory(): Connections {
  const database = new DatabaseSync(':memory:')
  database.exec('PRAGMA foreign_keys = ON')
  migrate(database, 'memory')
  return { writer: database, reader: database, path: undefined, openReader: undefined }
}

/**
 * Applies each script with its version number in one transaction: after a crash the schema is of one version or the
 * other.
 */
export function migrate(database: DatabaseSync, path: string, scripts: readonly string[] = MIGRATIONS): void {
  const version = versionOf(database)
  if (version > scripts.length)
    throw new StoreRefused(
      `${path} was written by a newer Holdfast ` +
        `(schema ${version}; this version supports ${scripts.length}): upgrade Holdfast`,
    )
  scripts.slice(version).forEach((script, at) => {
    database.exec(`BEGIN IMMEDIATE; ${script}; PRAGMA user_version = ${version + at + 1}; COMMIT`)
  })
}

/** The number of the scripts that were applied. */
export function versionOf(database: DatabaseSync): number {
  return existing(statements(database)(PRAGMAS.userVersion).get()).user_version
}
