import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  type Connections,
  DATABASE_FILE,
  openMemory,
  SCHEMA_VERSION,
} from '../../src/service/store/sqlite/open.ts'

interface NewDatabase {
  readonly tables: string
  readonly rows: readonly (readonly [insert: string, values: readonly SQLInputValue[]])[]
  /** Indexes and triggers. */
  readonly rest: string
}

let made: NewDatabase | undefined

/** What the migrations make. Running them takes ten times as long as running their result, so they run once in a process. */
const newDatabase = (): NewDatabase => (made ??= result())

function result(): NewDatabase {
  const { writer } = openMemory()
  const parts = writer
    .prepare(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all()
  const tables = parts.filter(({ type }) => type === 'table')
  const rows = tables.flatMap(({ name }) =>
    writer
      .prepare(`SELECT * FROM "${String(name)}"`)
      .all()
      .map((row): NewDatabase['rows'][number] => [
        `INSERT INTO "${String(name)}" VALUES (${Object.keys(row).fill('?').join(', ')})`,
        Object.values(row),
      ]),
  )
  writer.close()
  const scriptOf = (list: typeof parts): string => list.map(({ sql }) => String(sql)).join(';\n')
  return { tables: scriptOf(tables), rows, rest: scriptOf(parts.filter(({ type }) => type !== 'table')) }
}

/** An empty database becomes a new one, as by the migrations. */
export function fillNew(database: DatabaseSync): void {
  const { tables, rows, rest } = newDatabase()
  database.exec(`BEGIN; ${tables}`)
  for (const [insert, values] of rows) database.prepare(insert).run(...values)
  // The first serial of the catalog is the time at which the database is made.
  database.exec(
    `UPDATE dns_zone SET serial = unixepoch(); ${rest}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`,
  )
}

/** As `openMemory`. */
export function newMemory(): Connections {
  const database = new DatabaseSync(':memory:')
  database.exec('PRAGMA foreign_keys = ON')
  fillNew(database)
  return { writer: database, reader: database, path: undefined, openReader: undefined }
}

/** What `sqliteStore` makes in a folder without data. */
export function makeNew(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(folder, DATABASE_FILE))
  database.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY')
  fillNew(database)
  database.close()
}
