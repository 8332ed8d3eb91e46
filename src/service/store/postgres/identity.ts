import { select, selects } from '../select.ts'
import type { PostgresSql } from './statements.ts'

export const IDENTITY = selects({
  identity: select(
    { identity: 'TEXT' },
    `SELECT system_identifier::text || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) AS identity
    FROM pg_control_system()`,
  ),
})

/** A standby that takes over has another timeline, and a restored copy often another system identifier. */
export const databaseIdentity = async (sql: PostgresSql): Promise<string | undefined> =>
  (await sql.rows(IDENTITY.identity))[0]?.identity
