import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NUMBERED_TABLES, type Row } from '../values.ts'
import { existing, select, selects } from '../select.ts'
import { SCHEMA } from './schema-check.ts'
import { statements } from './transaction.ts'
import { claimDatabase, DATABASE_FILE, databaseUrl, makeDatabase, openMemory } from './open.ts'
import {
  type LastIds,
  ROWS_AT_ONCE,
  RowRefused,
  type RowSink,
  type RowSource,
  STORE_TABLES,
  type StoreTable,
} from '../copy-rows.ts'

/** The columns of a table of the present schema. */
export function tableColumns(): (table: StoreTable) => readonly string[] {
  const { writer } = openMemory()
  const all = statements(writer)(SCHEMA.columns)
  const columns = new Map(STORE_TABLES.map((table) => [table, all.all(table).map(({ name }) => name)]))
  writer.close()
  return (table) => columns.get(table) ?? []
}

const LAST_IDS = NUMBERED_TABLES.map(
  (table) => `max(coalesce((SELECT max(id) FROM ${table}), 0),
    coalesce((SELECT id FROM last_id WHERE of = '${table}'), 0)) AS ${table}`,
)

export const SQLITE_COPY = selects({
  lastIds: select(
    { account: 'INTEGER', ddns_key: 'INTEGER', api_key: 'INTEGER' },
    `SELECT ${LAST_IDS.join(', ')}`,
  ),
  /** Without a table there is one row. */
  count: select({ n: 'INTEGER' }, 'SELECT count(*) AS n'),
  triggers: select(
    { name: 'TEXT', sql: 'TEXT' },
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`,
  ),
  /** The column with a value that cannot be copied, and its row. Without a table there is none. */
  refused: select(
    { refused: 'TEXT NULL', place: 'TEXT NULL' },
    'SELECT NULL AS refused, NULL AS place WHERE FALSE',
  ),
})

/** The rows of the store in this folder, which other processes may change meanwhile. */
export function sqliteRows(folder: string): RowSource {
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { timeout: 5000, readOnly: true })
  // The first read determines what all of them see.
  database.exec('BEGIN; SELECT 1 FROM fact')
  return {
    async *rows(table, columns) {
      refuseNul(database, table, columns)
      let rows: Row[] = []
      for (const row of database.prepare(`SELECT ${columns.join(', ')} FROM ${table}`).iterate()) {
        rows.push(row)
        if (rows.length < ROWS_AT_ONCE) continue
        yield rows
        rows = []
      }
      if (rows.length > 0) yield rows
    },
    async lastIds() {
      return existing(statements(database)(SQLITE_COPY.lastIds).get())
    },
    async close() {
      database.close()
    },
  }
}

/**
 * PostgreSQL has no U+0000; the API refuses it, but stores of early versions may contain it. SQLite looks for it
 * itself: the one of Node 22 ends a text before it, and the rest would be lost silently.
 */
function refuseNul(database: DatabaseSync, table: StoreTable, columns: readonly string[]): void {
  const found = columns.map(
    (column) =>
      `WHEN typeof(${column}) = 'text' AND instr(CAST(${column} AS BLOB), x'00') > 0 THEN '${column}'`,
  )
  const place = ['id', 'name_id', 'key'].find((column) => columns.includes(column)) ?? "''"
  const row = statements(database)(
    SQLITE_COPY.refused.with(
      ` UNION ALL SELECT CASE ${found.join(' ')} END AS refused, CAST(${place} AS TEXT) FROM ${table}
      WHERE refused IS NOT NULL LIMIT 1`,
    ),
  ).get()
  if (row === undefined) return
  throw new RowRefused(
    `${table} ${row.place ?? ''}: ${row.refused ?? ''} contains the character U+0000, ` +
      'which PostgreSQL cannot store; change it first',
  )
}

/** A new database in this folder, which must not have one. */
export function newSqliteRows(folder: string): RowSink {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  claimDatabase(folder)
  makeDatabase(folder)
  const database = new DatabaseSync(databaseUrl(join(folder, DATABASE_FILE), 'rw'))
  database.exec('PRAGMA foreign_keys = OFF; BEGIN')
  // What the triggers would derive is copied, too.
  const triggers = statements(database)(SQLITE_COPY.triggers).all()
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
  for (const table of STORE_TABLES) database.exec(`DELETE FROM ${table}`)
  return {
    async put(table, rows) {
      const columns = Object.keys(rows[0] ?? {})
      const insert = database.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null))
    },
    count: async (table) => existing(statements(database)(SQLITE_COPY.count.with(` FROM ${table}`)).get()).n,
    async finish(lastIds) {
      noteLastIds(database, lastIds)
      for (const { sql } of triggers) database.exec(sql)
      database.exec('COMMIT; PRAGMA foreign_keys = ON; PRAGMA optimize')
    },
    async close() {
      database.close()
    },
  }
}

function noteLastIds(database: DatabaseSync, lastIds: LastIds): void {
  const note = database.prepare(
    'INSERT INTO last_id (of, id) VALUES (?, ?) ON CONFLICT (of) DO UPDATE SET id = excluded.id',
  )
  for (const table of NUMBERED_TABLES) note.run(table, lastIds[table])
}
