import type { Client } from 'pg'
import { connect, isAway, type PostgresPlace } from './connection.ts'
import { type PostgresSql, postgresStatements } from './statements.ts'
import type { PublishWrites } from '../published.ts'
import { sqlWriting } from '../sql/writing.ts'
import { StoreAway } from '../errors.ts'
import type { StoreWrites } from '../store.ts'
import { existing, select, selects } from '../select.ts'
import { NUMBERED_TABLES, type Row } from '../values.ts'
import {
  type LastIds,
  ROWS_AT_ONCE,
  type RowSink,
  type RowSource,
  STORE_TABLES,
  type StoreTable,
} from '../copy-rows.ts'

const LAST_IDS = NUMBERED_TABLES.map(
  (table) => `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${table}_id_seq) AS ${table}`,
)

export const POSTGRES_COPY = selects({
  lastIds: select(
    { account: 'INTEGER', ddns_key: 'INTEGER', api_key: 'INTEGER' },
    `SELECT ${LAST_IDS.join(', ')}`,
  ),
  /** Without a table there is one row. */
  count: select({ n: 'INTEGER' }, 'SELECT count(*) AS n'),
  ownPort: select({ port: 'INTEGER NULL' }, 'SELECT inet_client_port() AS port'),
  /** Other connections of Holdfast to this database: nodes that serve, or operations that run. */
  others: select(
    { n: 'INTEGER' },
    `SELECT count(*) AS n FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'holdfast' AND pid <> pg_backend_pid()`,
  ),
  columnTypes: select(
    { name: 'TEXT', type: 'TEXT' },
    `SELECT attname::text AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
  ),
  sequence: select(
    { sequence: 'TEXT NULL' },
    `SELECT pg_get_serial_sequence($1, 'id') AS sequence FROM pg_attribute WHERE attrelid = $1::regclass AND attname = 'id'`,
  ),
})

/** The rows of the store in this database, which other processes may change meanwhile. */
export async function postgresRows(place: PostgresPlace): Promise<RowSource> {
  const { client } = await connect(place)
  // A large table may take longer than the time limit of a request.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query('SET LOCAL statement_timeout = 0')
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  return {
    async *rows(table, columns) {
      await client.query(`DECLARE reader CURSOR FOR SELECT ${columns.join(', ')} FROM ${table}`)
      for (;;) {
        const { rows } = await client.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM reader`)
        if (rows.length === 0) break
        yield rows
      }
      await client.query('CLOSE reader')
    },
    async lastIds() {
      const [ids] = await postgresStatements(client, place).rows(POSTGRES_COPY.lastIds)
      return existing(ids)
    },
    async close() {
      await client.end()
    },
  }
}

export class StoreInUse extends Error {}

/**
 * A pooler keeps connections of nodes that have ended, and shares one among several nodes: they do not show which nodes
 * run.
 */
export class NotDirect extends Error {}

async function refuseOthers(client: Client, place: PostgresPlace): Promise<void> {
  const sql = postgresStatements(client, place)
  const [own] = await sql.rows(POSTGRES_COPY.ownPort)
  const { stream } = client.connection
  if ('localPort' in stream && stream.localPort !== own?.port) throw new NotDirect()
  const [others] = await sql.rows(POSTGRES_COPY.others)
  if (existing(others).n > 0) throw new StoreInUse()
}

/** Throws StoreInUse while other processes are connected to the store in this database. */
export async function refuseInUse(place: PostgresPlace): Promise<void> {
  const { client } = await connect(place)
  try {
    await refuseOthers(client, place)
  } finally {
    await client.end()
  }
}

/** Runs in the transaction of the rows. */
export type BeforeCommit = (
  w: Omit<PublishWrites, 'databaseIdentity'> & Pick<StoreWrites, 'addOperatorChange'>,
) => Promise<void>

/**
 * The store in this database, whose schema is of this version; all of its rows are replaced when it finishes. Throws
 * StoreInUse while other processes are connected.
 */
export async function replacedPostgresRows(
  place: PostgresPlace,
  beforeCommit: BeforeCommit = async () => undefined,
): Promise<RowSink> {
  const { client } = await connect(place)
  try {
    await refuseOthers(client, place)
    await client.query('BEGIN')
    await client.query('SET LOCAL statement_timeout = 0')
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    await client.query(`TRUNCATE ration, ${STORE_TABLES.join(', ')}`)
    // Rows that the triggers would derive are copied too.
    for (const table of STORE_TABLES) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
  return sinkOn(client, postgresStatements(client, place), beforeCommit)
}

function sinkOn(client: Client, sql: PostgresSql, beforeCommit: BeforeCommit): RowSink {
  const types = new Map<StoreTable, ReadonlyMap<string, string>>()
  const typesOf = async (table: StoreTable): Promise<ReadonlyMap<string, string>> => {
    const known = types.get(table) ?? (await columnTypes(sql, table))
    types.set(table, known)
    return known
  }
  return {
    async put(table, rows) {
      const columns = Object.keys(rows[0] ?? {})
      const type = await typesOf(table)
      const lists = columns.map((column, at) => `$${at + 1}::${type.get(column) ?? 'text'}[]`)
      await sql.execute(
        `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${lists.join(', ')})`,
        ...columns.map((column) => rows.map((row) => row[column] ?? null)),
      )
    },
    async count(table) {
      const [row] = await sql.rows(POSTGRES_COPY.count.with(` FROM ${table}`))
      return existing(row).n
    },
    async finish(lastIds) {
      for (const table of STORE_TABLES) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
      await setSequences(sql, lastIds)
      await client.query("SELECT setval('trail_n', greatest((SELECT coalesce(max(n), 0) FROM trail), 1))")
      await beforeCommit(sqlWriting(sql))
      await commit(client)
      // The rows are durable: if this fails, the database does it itself later.
      await client.query('SET statement_timeout = 0').catch(() => undefined)
      await client.query(`ANALYZE ${STORE_TABLES.join(', ')}`).catch(() => undefined)
    },
    async close() {
      await client.end()
    },
  }
}

async function commit(client: Client): Promise<void> {
  try {
    await client.query('COMMIT')
  } catch (error) {
    if (!isAway(error)) throw error
    throw new StoreAway(
      `it went away while all of it was stored (${(error as Error).message}): ` +
        'whether it was, "admin check" and a look at the accounts tell',
    )
  }
}

async function columnTypes(sql: PostgresSql, table: string): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows(POSTGRES_COPY.columnTypes, table)
  return new Map(rows.map(({ name, type }) => [name, type]))
}

/** New rows get ids that no row has had. */
async function setSequences(sql: PostgresSql, lastIds: LastIds): Promise<void> {
  const known: Readonly<Partial<Record<string, number>>> = lastIds
  for (const table of STORE_TABLES) {
    const [row] = await sql.rows(POSTGRES_COPY.sequence, table)
    const sequence = row?.sequence ?? null
    if (sequence === null) continue
    await sql.execute(
      `SELECT setval($1::regclass, greatest((SELECT coalesce(max(id), 0) FROM ${table}), $2::bigint, 1),
         greatest((SELECT coalesce(max(id), 0) FROM ${table}), $2::bigint) > 0)`,
      sequence,
      known[table] ?? 0,
    )
  }
}
