import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { type Instant, instant } from '../../base/time.ts'
import type { Held } from '../model/rows.ts'
import { countsWritten } from './sqlite-counts.ts'
import { sqliteRecords } from './sqlite-records.ts'
import type { Reading } from './store.ts'

type Row = Record<string, SQLOutputValue>

export const instantOf = (value: SQLOutputValue | undefined): Instant | undefined =>
  typeof value === 'number' ? instant(value) : undefined

/** Statements are prepared once a connection; every value is bound. */
export function statements(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, known)
    return known
  }
}

/** The questions of the store in SQL, for either connection. */
export const sqliteReading = (sql: (text: string) => StatementSync): Reading => ({
  ...callers(sql),
  ...countsWritten(sql),
  ...holdings(sql),
  ...sqliteRecords(sql),
})

type Part<K extends keyof Reading> = Pick<Reading, K>

const callers = (
  sql: (text: string) => StatementSync,
): Part<'login' | 'hasKeys' | 'hasOffline' | 'apiKeyByHash'> => ({
  async login(username) {
    const key = sql('SELECT id, account_id, password_hash FROM ddns_key WHERE username = ?').get(username)
    if (key !== undefined)
      return {
        kind: 'key',
        id: Number(key['id']),
        accountId: Number(key['account_id']),
        hash: bytesOf(key['password_hash']),
      }
    const account = sql('SELECT id, password_hash FROM account WHERE name = ?').get(username)
    if (account === undefined) return undefined
    return {
      kind: 'account',
      id: Number(account['id']),
      accountId: Number(account['id']),
      hash: bytesOf(account['password_hash']),
    }
  },
  async hasKeys() {
    return (
      sql('SELECT EXISTS (SELECT 1 FROM ddns_key) OR EXISTS (SELECT 1 FROM api_key) AS found').get()?.[
        'found'
      ] === 1
    )
  },
  async hasOffline(accountId) {
    const row = sql(
      'SELECT has_offline FROM account JOIN plan ON plan.id = account.plan_id WHERE account.id = ?',
    ).get(accountId)
    return row?.['has_offline'] === 1
  },
  async apiKeyByHash(hash) {
    const row = sql('SELECT account_id, scopes, expires_at FROM api_key WHERE hash = ?').get(hash)
    if (row === undefined) return undefined
    const expiresAt = instantOf(row['expires_at'])
    const scopes = typeof row['scopes'] === 'string' ? row['scopes'].split(' ').filter(Boolean) : []
    return { accountId: Number(row['account_id']), scopes, ...(expiresAt !== undefined && { expiresAt }) }
  },
})

const holdings = (
  sql: (text: string) => StatementSync,
): Part<'targetsOf' | 'targetsNamed' | 'groupNamed'> => ({
  async targetsOf(keyId) {
    return targetsOfKey(sql(HELD_BY_KEY).all(keyId, keyId), keyId)
  },
  async targetsNamed({ kind, id }, fqdn) {
    if (kind === 'key') return targetsOfKey(sql(HELD_NAMED).all(fqdn), id)
    return namesIn(sql(HELD_BY_ACCOUNT).all(fqdn, id)).map(({ held }) => held)
  },
  async groupNamed(accountId, group) {
    const row = sql('SELECT id FROM ddns_key WHERE account_id = ? AND (username = ? OR group_label = ?)').get(
      accountId,
      group,
      group,
    )
    return row === undefined ? undefined : Number(row['id'])
  },
})

/** Names with all that is at them, in one look: an update knows what it changes from this alone. */
const HELD = `SELECT name.id AS name_id, name.zone_id, fqdn, is_offline, name.key_id AS name_key,
    rdata.id AS rdata_id, dns_type, value, rdata.key_id AS rdata_key
  FROM name LEFT JOIN rrset ON rrset.name_id = name.id LEFT JOIN rdata ON rdata.rrset_id = rrset.id`
const IN_ORDER = 'ORDER BY name.id, rdata.id'
const HELD_NAMED = `${HELD} WHERE fqdn = ? ${IN_ORDER}`
const HELD_BY_KEY = `${HELD} WHERE name.id IN (SELECT id FROM name WHERE key_id = ? UNION
  SELECT name_id FROM rdata JOIN rrset ON rrset.id = rrset_id WHERE rdata.key_id = ?) ${IN_ORDER}`
/** The longest zone that holds the name is the one that answers for it. */
const HELD_BY_ACCOUNT = `${HELD} WHERE name.id = (SELECT name.id FROM name JOIN zone ON zone.id = name.zone_id
  WHERE fqdn = ? AND name.account_id = ? ORDER BY length(zone.name) DESC LIMIT 1) ${IN_ORDER}`

/** Rows of one name stand together. */
function namesIn(rows: readonly Row[]): readonly { readonly held: Held; readonly rows: readonly Row[] }[] {
  const names: Row[][] = []
  for (const row of rows) {
    const current = names.at(-1)
    if (current?.[0]?.['name_id'] === row['name_id']) current?.push(row)
    else names.push([row])
  }
  return names.map((own) => ({ held: heldFrom(own), rows: own }))
}

/** The name where it is the key's, then those of its Rdata that are. */
const targetsOfKey = (rows: readonly Row[], keyId: number): readonly Held[] =>
  namesIn(rows).flatMap(({ held, rows: own }) => [
    ...(own[0]?.['name_key'] === keyId ? [held] : []),
    ...own.flatMap((row) =>
      row['rdata_key'] === keyId ? [{ ...held, rdataId: Number(row['rdata_id']) }] : [],
    ),
  ])

const heldFrom = (rows: readonly Row[]): Held => ({
  nameId: Number(rows[0]?.['name_id']),
  zoneId: Number(rows[0]?.['zone_id']),
  fqdn: String(rows[0]?.['fqdn']),
  isOffline: rows[0]?.['is_offline'] === 1,
  rdata: rows.flatMap((row) =>
    row['rdata_id'] === null
      ? []
      : [{ id: Number(row['rdata_id']), dnsType: String(row['dns_type']), value: String(row['value']) }],
  ),
})

const bytesOf = (value: SQLOutputValue | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array()
