import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_FILE } from './sqlite-open.ts'

/** The database of the store in this folder. */
const databaseOf = (folder: string): string => join(folder, DATABASE_FILE)

/** The files that SQLite keeps next to the database while it is open, or after a crash. */
export const DATABASE_FILES = [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`] as const

/**
 * Copies the database as it is at one moment, while other processes may write it. `to` must not exist. A plain copy of the file
 * would lack what is still in the write-ahead log (SQLite, "VACUUM INTO").
 */
export function copyDatabase(folder: string, to: string): void {
  withDatabase(databaseOf(folder), (database) => database.prepare('VACUUM INTO ?').run(to))
}

/** What is wrong with a database; empty if nothing is. */
export function databaseProblems(folder: string): readonly string[] {
  return withDatabase(databaseOf(folder), (database) => {
    const integrity = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => String(row['integrity_check']))
    const foreign = database.prepare('PRAGMA foreign_key_check').all()
    const counted = database.prepare(MISCOUNTED).get()?.['n']
    return [
      ...integrity.filter((line) => line !== 'ok'),
      ...foreign.map(
        (row) =>
          `a row of ${String(row['table'])} refers to a row of ${String(row['parent'])} that is missing`,
      ),
      ...(counted === 0 ? [] : [`the counts of ${String(counted)} zones are wrong`]),
    ]
  })
}

/** Zones whose counted names differ from their names. */
const MISCOUNTED = `SELECT count(*) AS n FROM zone WHERE
  (SELECT count(*) FROM name WHERE zone_id = zone.id) <> (SELECT coalesce(sum(names), 0) FROM holding WHERE zone_id = zone.id)`

/** Whether another process has the database open: with WAL, only the last connection gets it for itself. */
export function isDatabaseInUse(folder: string): boolean {
  return withDatabase(databaseOf(folder), (database) => {
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK')
      return false
    } catch (error) {
      if (/locked|busy/.test((error as Error).message)) return true
      throw error
    }
  })
}

function withDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { timeout: 200 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}
