import { isShown } from '../../hidden.ts'
import type { RecordReads } from '../../records.ts'
import { select, selects } from '../../select.ts'
import type { Sql } from '../statement.ts'

const OF_ACCOUNT = 'WHERE account_id = account.id'

export const ACCOUNTS = selects({
  counts: select(
    { created_at: 'TIME', zones: 'INTEGER', keys: 'INTEGER', api_keys: 'INTEGER', tsig_keys: 'INTEGER' },
    `SELECT created_at, (SELECT count(*) FROM zone ${OF_ACCOUNT} AND ${isShown('zone.name')}) AS zones,
      (SELECT count(*) FROM ddns_key ${OF_ACCOUNT}) AS keys, (SELECT count(*) FROM api_key ${OF_ACCOUNT}) AS api_keys,
      (SELECT count(*) FROM tsig_key ${OF_ACCOUNT}) AS tsig_keys FROM account WHERE id = ?`,
  ),
})

/** What an account has, in SQL. */
export const sqlAccounts = (sql: Sql): Pick<RecordReads, 'accountCounts'> => ({
  async accountCounts(id) {
    const row = await sql(ACCOUNTS.counts).get(id)
    return (
      row && {
        createdAt: row.created_at,
        zones: row.zones,
        keys: row.keys,
        apiKeys: row.api_keys,
        tsigKeys: row.tsig_keys,
      }
    )
  },
})
