import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_FILE, databaseUrl } from './open.ts'
import { statements } from './transaction.ts'
import { PRAGMAS } from './pragmas.ts'
import { schemaProblems } from './schema-check.ts'
import { isShown } from '../hidden.ts'
import { existing, select, selects } from '../select.ts'
import { sqlWriting } from '../sql/writing.ts'
import type { StoreWrites } from '../store.ts'

/** The database of the store in this folder. */
const databaseOf = (folder: string): string => join(folder, DATABASE_FILE)

/** What a database needs after a crash: the write-ahead log, or the journal of a database that was held. */
export const LOG_FILES = [`${DATABASE_FILE}-wal`, `${DATABASE_FILE}-journal`] as const

/** Which file the path of the database names: another one after it was replaced, undefined after it was removed. */
export const identityOf = (folder: string): string | undefined => fileAt(databaseOf(folder))

/** The same for its write-ahead log: SQLite keeps that file while the database is open. */
export const logIdentityOf = (folder: string): string | undefined => fileAt(join(folder, LOG_FILES[0]))

function fileAt(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found && `${found.dev} ${found.ino}`
}

/** The files that SQLite keeps next to the database while it is open, or after a crash. */
export const DATABASE_FILES = [DATABASE_FILE, ...LOG_FILES, `${DATABASE_FILE}-shm`] as const

/**
 * Copies the database as it is at one moment, while other processes may write it. `to` must not exist. A plain copy of
 * the file would lack what is still in the write-ahead log (SQLite, "VACUUM INTO").
 */
export async function copyDatabase(folder: string, to: string): Promise<void> {
  await withDatabase(databaseOf(folder), async (database) => {
    database.prepare('VACUUM INTO ?').run(to)
  })
}

/** What is wrong with a database; empty if nothing is. */
export async function databaseProblems(folder: string): Promise<readonly string[]> {
  return withDatabase(databaseOf(folder), async (database) => {
    const sql = statements(database)
    const integrity = sql(PRAGMAS.integrity)
      .all()
      .map((row) => row.integrity_check)
      .filter((line) => line !== 'ok')
    const schema = integrity.length > 0 ? [] : schemaProblems(database)
    if (integrity.length + schema.length > 0) return [...integrity, ...schema]
    const foreign = sql(PRAGMAS.foreignKeys).all()
    // Early versions of the schema do not count.
    const hasCounts = sql(FILES.countTable).get() !== undefined
    const wrong = hasCounts ? existing(sql(FILES.miscounted).get()).n : 0
    return [
      ...foreign.map(({ table, parent }) => `a row of ${table} refers to a row of ${parent} that is missing`),
      ...(wrong === 0 ? [] : [`the counts of ${wrong} zones are wrong`]),
    ]
  })
}

export const FILES = selects({
  countTable: select({ found: 'INTEGER' }, `SELECT 1 AS found FROM sqlite_schema WHERE name = 'holding'`),
  /** Zones whose counted names differ from their names. */
  miscounted: select(
    { n: 'INTEGER' },
    `SELECT count(*) AS n FROM zone WHERE ${isShown('name')} AND
      (SELECT count(*) FROM name WHERE zone_id = zone.id) <> (SELECT coalesce(sum(names), 0) FROM holding
        WHERE zone_id = zone.id)`,
  ),
})

/** What can be read and written while the database is held. */
export type HeldStore = Pick<
  StoreWrites,
  | 'fact'
  | 'setFact'
  | 'overview'
  | 'addOperatorChange'
  | 'allTsigKeys'
  | 'resealTsigKey'
  | 'sealedFactors'
  | 'resealFactor'
>

/**
 * Does work while no other process can open the database, in one transaction, which is rolled back if the work throws.
 * Resolves with undefined if a process has the database open. A write-ahead log is merged first and ends: SQLite deletes
 * it by its path when the database is closed, and work may put another database there.
 */
export async function exclusively<T>(
  folder: string,
  work: (held: HeldStore) => Promise<T>,
): Promise<T | undefined> {
  return withDatabase(databaseOf(folder), async (database) => {
    if (!isHeld(database)) return undefined
    try {
      const value = await work(sqlWriting(statements(database)))
      database.exec('COMMIT')
      return value
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  })
}

/** With a write-ahead log, only the last connection gets exclusive access. */
function isHeld(database: DatabaseSync): boolean {
  try {
    // In this order: with the other one, a rollback journal would stay there.
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE')
    database.exec('PRAGMA synchronous = FULL; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (/locked|busy/.test((error as Error).message)) return false
    throw error
  }
}

async function withDatabase<T>(path: string, work: (database: DatabaseSync) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(databaseUrl(path, 'rw'), { timeout: 200 })
  try {
    return await work(database)
  } finally {
    database.close()
  }
}
