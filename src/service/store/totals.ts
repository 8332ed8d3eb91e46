import { isInShownZone, isShown } from './hidden.ts'

/**
 * How much the store holds: each total with its statement, in which ?1 is the present moment, and with the text of its
 * metric. The type, the query and the metrics follow from the row.
 */
// biome-ignore format: a table
export const STORE_TOTALS = {
  accounts: { sql: `SELECT count(*) FROM account WHERE ${isShown('name')}`,       help: 'Accounts in the store' },
  zones:    { sql: `SELECT count(*) FROM zone WHERE ${isShown('name')}`,          help: 'Zones in the store' },
  names:    { sql: `SELECT coalesce(sum(names), 0) FROM holding WHERE ${isInShownZone('zone_id')}`, help: 'Names in the store' },
  keys:     { sql: `SELECT count(*) FROM ddns_key WHERE ${isShown('username')}`,  help: 'DDNS keys in the store' },
  blocks:   { sql: 'SELECT count(*) FROM usage WHERE blocked_until > ?1',         help: 'Keys and accounts that are blocked after abuse' },
  lockouts: { sql: 'SELECT count(*) FROM login_failure WHERE blocked_until > ?1', help: 'Networks that are locked out after failed logins' },
} as const

export type StoreTotal = keyof typeof STORE_TOTALS
export type StoreTotals = Readonly<Record<StoreTotal, number>>
