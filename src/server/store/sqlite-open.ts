import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS } from './migrations.ts'

const FILE = 'holdfast.db'

/** Pages of 4 KiB in the log before they are put in their places: the longer, the more changes of a page are one. */
const WAL_PAGES = 4000
/** KiB of pages that the writer keeps at hand. */
const CACHE = 16_000

/** The data is of a kind that this program must not touch. The message is for the operator. */
export class StoreRefused extends Error {}

export interface Connections {
  readonly writer: DatabaseSync
  readonly reader: DatabaseSync
}

/** One connection that writes and one that reads: WAL lets the second see only what is committed. */
export function openConnections(folder: string): Connections {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, FILE)
  const writer = new DatabaseSync(path, { timeout: 5000 })
  try {
    // FULL: a commit is on disk before it is answered. WAL without it may forget the last commits in a power cut.
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    writer.exec(`PRAGMA wal_autocheckpoint = ${WAL_PAGES}; PRAGMA cache_size = -${CACHE}`)
    migrate(writer, path)
    const reader = new DatabaseSync(path, { timeout: 5000, readOnly: true })
    return { writer, reader }
  } catch (error) {
    writer.close()
    throw error
  }
}

/** A store that is gone with the process: for tests, and for nothing else. One connection is all that such data has. */
export function openMemory(): Connections {
  const database = new DatabaseSync(':memory:')
  database.exec('PRAGMA foreign_keys = ON')
  migrate(database, 'memory')
  return { writer: database, reader: database }
}

/** Each script and its version number in one transaction: a crash leaves the version before or the one after. */
export function migrate(database: DatabaseSync, path: string, scripts: readonly string[] = MIGRATIONS): void {
  const found = versionOf(database)
  if (found > scripts.length)
    throw new StoreRefused(
      `${path} was written by a newer Holdfast (schema ${found}, this one knows ${scripts.length}); update the program`,
    )
  scripts.slice(found).forEach((script, at) => {
    database.exec(`BEGIN IMMEDIATE; ${script}; PRAGMA user_version = ${found + at + 1}; COMMIT`)
  })
}

function versionOf(database: DatabaseSync): number {
  const row = database.prepare('PRAGMA user_version').get()
  return Number(row?.['user_version'] ?? 0)
}
