import type { Clock } from '../../../shared/ports/clock.ts'
import type { Store } from '../store.ts'
import { codeOf, type PostgresPlace } from './connection.ts'
import { ConnectionPool } from './pool.ts'
import { postgresStoreOn, REQUESTS } from './store.ts'
import { compareColumns, namedSelects, refusedBy } from '../select-check.ts'
import type { Selects } from '../select.ts'
import { toPostgres } from '../sql/postgres-dialect.ts'
import { SHARED_SELECTS } from '../sql/shared-selects.ts'
import { BATCH } from './batch.ts'
import { CONTENT } from './content.ts'
import { POSTGRES_COPY } from './copy-rows.ts'
import { POSTGRES_COUNTERS } from './counter-rows.ts'
import { MANY } from './facts.ts'
import { GONE_KEYS_OF } from './gone-keys.ts'
import { PROBE } from './probe.ts'
import { POSTGRES_SCHEMA } from './schema.ts'
import { IDENTITY } from './identity.ts'

import pg, { type Client, type Connection, type FieldDef } from 'pg'

/** In the SQL of PostgreSQL. */
export const POSTGRES_SELECTS: Readonly<Record<string, Selects>> = {
  BATCH,
  CONTENT,
  GONE_KEYS_OF,
  MANY,
  POSTGRES_COPY,
  POSTGRES_COUNTERS,
  POSTGRES_SCHEMA,
  PROBE,
  IDENTITY,
  REQUESTS,
}

/** PostgreSQL, pg_type: int8, int2, int4, numeric (of sums), text, bytea. */
const TYPES: Readonly<Record<number, string>> = {
  20: 'INTEGER',
  21: 'INTEGER',
  23: 'INTEGER',
  1700: 'INTEGER',
  25: 'TEXT',
  17: 'BLOB',
}

/** Appendix A: the text is wrong, or names what is not there. */
const WRONG = /^42(?!501)/

/** Prepares each statement, in one round trip. Throws StoreRefused if one does not fit the database. */
export async function checkPostgres(
  client: Client,
  { shared = SHARED_SELECTS, own = POSTGRES_SELECTS } = {},
): Promise<void> {
  const all = [
    ...namedSelects(shared).map((one) => ({ ...one, text: toPostgres(one.select.text) })),
    ...namedSelects(own).map((one) => ({ ...one, text: one.select.text })),
  ]
  const { described, error } = await describe(
    client,
    all.map(({ text }) => text),
  )
  described.forEach((fields, at) => {
    const one = all[at]
    const given = fields.map(({ name, dataTypeID: id }) => ({ name, type: TYPES[id] ?? `type ${id}` }))
    if (one !== undefined) compareColumns(one, given)
  })
  if (error === undefined) return
  const wrong = all[described.length]
  if (wrong === undefined || !WRONG.test(codeOf(error))) throw error
  const { message, hint } = error as pg.DatabaseError
  throw refusedBy(wrong, hint === undefined ? message : `${message}; ${hint}`)
}

interface Described {
  /** The columns of the statements, up to the first that is refused. */
  readonly described: readonly (readonly FieldDef[])[]
  readonly error: Error | undefined
}

/** Parses the texts and executes none (PostgreSQL, "Extended Query"). A query of the driver always executes. */
async function describe(client: Client, texts: readonly string[]): Promise<Described> {
  const described: (readonly FieldDef[])[] = []
  return new Promise((resolve) => {
    const query = new pg.Query('', (error: Error | undefined) =>
      resolve({ described, error: error ?? undefined }),
    )
    const submit = (connection: Connection): void => {
      for (const text of texts) {
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
      }
      connection.sync()
    }
    const handleRowDescription = ({ fields }: { readonly fields: readonly FieldDef[] }): void =>
      void described.push(fields)
    client.query(Object.assign(query, { submit, handleRowDescription }))
  })
}

/** The store in this database, whose schema is of this version. Throws StoreRefused if the statements do not fit it. */
export async function openPostgresStore(place: PostgresPlace, clock: Clock): Promise<Store> {
  const pool = new ConnectionPool(place)
  try {
    await pool.use(async ({ client }) => checkPostgres(client))
    return postgresStoreOn(pool, clock)
  } catch (error) {
    await pool.close()
    throw error
  }
}
