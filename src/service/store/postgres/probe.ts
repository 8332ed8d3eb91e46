import type { Instant } from '../../../shared/base/time.ts'
import { STORE_TABLES } from '../copy-rows.ts'
import { existing, select, selects } from '../select.ts'
import { sqlWriting } from '../sql/writing.ts'
import { POSTGRES_SCHEMA } from './schema.ts'
import type { PostgresSql } from './statements.ts'

export const PROBE = selects({
  /** A table of the store that this role may not use. */
  denied: select(
    { relname: 'TEXT' },
    `SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = ANY($1::text[])
    AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
      AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')) LIMIT 1`,
  ),
})

/** Its value cannot be compressed. */
const LARGE_ROW = `INSERT INTO fact (name, value)
  SELECT 'probe', string_agg(md5(random()::text), '') FROM generate_series(1, 256)`

/** Throws if the role cannot write every table; resolves with the time of the database. */
export async function probeWrites(sql: PostgresSql): Promise<Instant> {
  await sqlWriting(sql).setFact('ready', '')
  // On a full disk there is still room for small rows. These 8 KiB are not kept.
  await sql.execute('SAVEPOINT probe')
  await sql.execute(LARGE_ROW)
  await sql.execute('ROLLBACK TO SAVEPOINT probe')
  const [denied] = await sql.rows(PROBE.denied, STORE_TABLES)
  if (denied !== undefined) throw new Error(`no right to use the table ${denied.relname}`)
  const [clock] = await sql.rows(POSTGRES_SCHEMA.clock)
  return existing(clock).at
}
