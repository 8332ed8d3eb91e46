import { isInShownZone } from '../hidden.ts'
import { STORE_TABLES, type StoreTable } from '../copy-rows.ts'
import { existing, select, selects } from '../select.ts'
import { connect, type PostgresPlace } from './connection.ts'
import { type PostgresSql, postgresStatements } from './statements.ts'

export const CONTENT = selects({
  size: select({ n: 'INTEGER' }, 'SELECT (SELECT count(*) FROM plan) + (SELECT count(*) FROM account) AS n'),
  /** Zones and accounts whose counted names and records differ from what they have. */
  miscounted: select(
    { n: 'INTEGER' },
    `SELECT count(*) AS n FROM (
      SELECT account_id, zone_id, sum(names) AS names, sum(rdata) AS rdata FROM holding
        WHERE ${isInShownZone('zone_id')} GROUP BY 1, 2) AS counted
    FULL JOIN (
      SELECT account_id, zone_id, count(*) AS names, sum((SELECT count(*) FROM rrset JOIN rdata ON rrset_id = rrset.id
        WHERE name_id = name.id)) AS rdata FROM name
        WHERE ${isInShownZone('zone_id')} GROUP BY 1, 2) AS present USING (account_id, zone_id)
    WHERE counted.names IS DISTINCT FROM present.names OR counted.rdata IS DISTINCT FROM present.rdata`,
  ),
  columns: select(
    { tab: 'TEXT', col: 'TEXT' },
    `SELECT table_name::text AS tab, column_name::text AS col FROM information_schema.columns
      WHERE table_schema = current_schema()`,
  ),
})

/** Whether the store in this database, whose schema is of this version, has content. */
export const hasContent = async (place: PostgresPlace): Promise<boolean> =>
  withDatabase(place, async (sql) => existing((await sql.rows(CONTENT.size))[0]).n > 0)

/** What is wrong with the content of the store; empty if nothing is. The database itself checks references. */
export const contentProblems = async (
  place: PostgresPlace,
  columnsOf: (table: StoreTable) => readonly string[],
): Promise<readonly string[]> =>
  withDatabase(place, async (sql) => {
    await sql.execute('SET statement_timeout = 0')
    const missing = await missingParts(sql, columnsOf)
    if (missing.length > 0) return missing
    const { n: wrong } = existing((await sql.rows(CONTENT.miscounted))[0])
    return wrong === 0 ? [] : [`the counts of ${wrong} zones are wrong`]
  })

async function missingParts(
  sql: PostgresSql,
  columnsOf: (table: StoreTable) => readonly string[],
): Promise<readonly string[]> {
  const rows = await sql.rows(CONTENT.columns)
  const present = new Set(rows.flatMap(({ tab, col }) => [tab, `${tab}.${col}`]))
  return STORE_TABLES.flatMap((table) => {
    if (!present.has(table)) return [`the table ${table} is missing`]
    const columns = columnsOf(table).filter((column) => !present.has(`${table}.${column}`))
    return columns.map((column) => `the column ${column} of the table ${table} is missing`)
  })
}

async function withDatabase<T>(place: PostgresPlace, work: (sql: PostgresSql) => Promise<T>): Promise<T> {
  const { client } = await connect(place)
  try {
    return await work(postgresStatements(client, place))
  } finally {
    await client.end()
  }
}
