import { instant } from '../../../base/time.ts'
import type { StoredName } from '../../model/rows.ts'
import type { CounterReads } from '../counter-rows.ts'
import { sqlOverview } from './overview.ts'
import { sqlPublishedReads } from './published.ts'
import { sqlRecords } from './records.ts'
import { apiKeyFrom } from './rows.ts'
import { isOn, type Row, type Value } from '../values.ts'
import type { Sql } from './statement.ts'
import type { StoreReads } from '../store.ts'
import { STORE_TOTALS, type StoreTotals } from '../totals.ts'

/** The reads of the store in SQL, for either connection. */
export const sqlReading = (sql: Sql): Omit<StoreReads, keyof CounterReads> => ({
  ...facts(sql),
  ...logins(sql),
  ...targets(sql),
  ...sqlRecords(sql),
  ...sqlPublishedReads(sql),
})

type Part<K extends keyof StoreReads> = Pick<StoreReads, K>

const TOTALS = `SELECT ${Object.entries(STORE_TOTALS)
  .map(([name, { sql }]) => `(${sql}) AS ${name}`)
  .join(', ')}`

/** Read together. */
const MAX_OPERATOR_CHANGES = 1000

const facts = (sql: Sql): Part<'fact' | 'totals' | 'overview' | 'operatorChanges'> => ({
  async fact(name) {
    const value = (await sql('SELECT value FROM fact WHERE name = ?').get(name))?.['value']
    return value === undefined ? undefined : String(value)
  },
  async operatorChanges() {
    const rows = sql('SELECT id, at, operator, operation, subject FROM operator_change ORDER BY id LIMIT ?')
    return (await rows.all(MAX_OPERATOR_CHANGES)).map((row) => ({
      id: Number(row['id']),
      at: instant(Number(row['at'])),
      operator: String(row['operator']),
      operation: String(row['operation']),
      subject: String(row['subject']),
    }))
  },
  overview: async (of, query) => sqlOverview(sql, of, query),
  async totals(now) {
    const row = (await sql(TOTALS).get(now)) ?? {}
    return Object.fromEntries(
      Object.keys(STORE_TOTALS).map((name) => [name, Number(row[name])]),
    ) as unknown as StoreTotals
  },
})

export const KEY_LOGIN = `SELECT ddns_key.id, account_id, ddns_key.password_hash,
    CASE WHEN is_blocked = 1 OR is_suspended = 1 THEN 1 ELSE 0 END AS is_suspended
  FROM ddns_key JOIN account ON account.id = account_id WHERE username = ?`
export const ACCOUNT_LOGIN = 'SELECT id, password_hash, is_suspended FROM account WHERE name = ?'
export const HAS_ACCOUNTS = 'SELECT 1 AS found FROM account LIMIT 1'

const logins = (sql: Sql): Part<'login' | 'hasAccounts' | 'hasOffline' | 'apiKeyByHash'> => ({
  async login(username) {
    const key = await sql(KEY_LOGIN).get(username)
    if (key !== undefined)
      return {
        kind: 'key',
        id: Number(key['id']),
        accountId: Number(key['account_id']),
        isSuspended: isOn(key['is_suspended']),
        hash: bytesOf(key['password_hash']),
      }
    const account = await sql(ACCOUNT_LOGIN).get(username)
    if (account === undefined) return undefined
    return {
      kind: 'account',
      id: Number(account['id']),
      accountId: Number(account['id']),
      isSuspended: isOn(account['is_suspended']),
      hash: bytesOf(account['password_hash']),
    }
  },
  async hasAccounts() {
    return (await sql(HAS_ACCOUNTS).get()) !== undefined
  },
  async hasOffline(accountId) {
    const row = await sql(
      'SELECT has_offline FROM account JOIN plan ON plan.id = account.plan_id WHERE account.id = ?',
    ).get(accountId)
    return row?.['has_offline'] === 1
  },
  async apiKeyByHash(hash) {
    const row = await sql(
      'SELECT id, account_id, scopes, expires_at, last_used_at FROM api_key WHERE hash = ?',
    ).get(hash)
    return row === undefined ? undefined : apiKeyFrom(row)
  },
})

const targets = (sql: Sql): Part<'namesOfKey' | 'namesByFqdn' | 'groupIdOf'> => ({
  async namesOfKey(keyId) {
    return namesIn(await sql(NAMES_OF_KEY).all(keyId, keyId))
  },
  async namesByFqdn(fqdn) {
    return namesIn(await sql(NAMES_BY_FQDN).all(fqdn))
  },
  async groupIdOf(accountId, group) {
    const row = await sql(
      'SELECT id FROM ddns_key WHERE account_id = ? AND (username = ? OR group_label = ?)',
    ).get(accountId, group, group)
    return row === undefined ? undefined : Number(row['id'])
  },
})

/** Names with all of their Rdata in one query: an update needs no other. */
const STORED_NAMES = `SELECT name.id AS name_id, zone_id, fqdn, account_id, name.key_id, is_prohibited, is_blocked, is_offline,
    rdata.id, dns_type, value, rdata.key_id AS rdata_key_id
  FROM name LEFT JOIN rrset ON rrset.name_id = name.id LEFT JOIN rdata ON rdata.rrset_id = rrset.id`
/** The shorter the name in the zone, the longer the zone; "@" is the apex. */
export const NAMES_BY_FQDN = `${STORED_NAMES} WHERE fqdn = ? ORDER BY name <> '@', length(name), name.id, rdata.id`
const NAMES_OF_KEY = `${STORED_NAMES} WHERE name.id IN (SELECT id FROM name WHERE key_id = ? UNION
  SELECT name_id FROM rdata JOIN rrset ON rrset.id = rrset_id WHERE rdata.key_id = ?) ORDER BY name.id, rdata.id`

/** Groups the rows of each name; they are adjacent. */
function namesIn(rows: readonly Row[]): readonly StoredName[] {
  const names: Row[][] = []
  for (const row of rows) {
    const current = names.at(-1)
    if (current?.[0]?.['name_id'] === row['name_id']) current?.push(row)
    else names.push([row])
  }
  return names.map((own) => storedNameFrom(own[0] ?? {}, own))
}

const storedNameFrom = (name: Row, rows: readonly Row[]): StoredName => ({
  nameId: Number(name['name_id']),
  zoneId: Number(name['zone_id']),
  fqdn: String(name['fqdn']),
  accountId: Number(name['account_id']),
  keyId: keyIdFrom(name['key_id']),
  isProhibited: isOn(name['is_prohibited']),
  isBlocked: isOn(name['is_blocked']),
  isOffline: isOn(name['is_offline']),
  rdata: rows.flatMap((row) =>
    row['id'] === null
      ? []
      : [
          {
            id: Number(row['id']),
            dnsType: internedType(row['dns_type']),
            value: String(row['value']),
            keyId: keyIdFrom(row['rdata_key_id']),
          },
        ],
  ),
})

/** One string per type, however many names are cached. */
const typeNames = new Map<string, string>()

function internedType(value: Value): string {
  const text = String(value)
  const interned = typeNames.get(text) ?? text
  typeNames.set(interned, interned)
  return interned
}

const keyIdFrom = (value: Value): number | null => (typeof value === 'number' ? value : null)

const bytesOf = (value: Value): Uint8Array => (value instanceof Uint8Array ? value : new Uint8Array())
