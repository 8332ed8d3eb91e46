import { sqlEventReads } from './account/events.ts'
import type { Login, StoredName, StoredRdata } from '../../model/rows.ts'
import { apiKeyFrom, KEYS } from './keys.ts'
import { sqlOverview } from './overview.ts'
import { sqlPublishedReads } from './published.ts'
import { sqlRecords } from './records.ts'
import { sqlTrailReads } from './account/trail.ts'
import { sqlCodeReads } from './account/one-time-codes.ts'
import { passedOn, sqlSanctionReads } from './account/sanctions.ts'
import { hasFactor, sqlFactorReads } from './account/second-factors.ts'
import { sqlSessionReads } from './account/sessions.ts'
import { sqlTsigKeyReads } from './account/tsig-keys.ts'
import { IS_HIDDEN, isShown, isZoneShown } from '../hidden.ts'
import { existing, type RowOf, select, selects } from '../select.ts'
import { isOn } from '../values.ts'
import type { Sql } from './statement.ts'
import type { SnapshotReads, StoreReads } from '../store.ts'
import { STORE_TOTALS, type StoreTotal } from '../totals.ts'

/** The reads of the store in SQL, for either connection. */
export const sqlReading = (sql: Sql): SnapshotReads => ({
  ...facts(sql),
  ...logins(sql),
  ...targets(sql),
  ...sqlRecords(sql),
  ...sqlPublishedReads(sql),
  ...sqlTsigKeyReads(sql),
  ...sqlSessionReads(sql),
  ...sqlCodeReads(sql),
  ...sqlEventReads(sql),
  ...sqlFactorReads(sql),
  ...sqlSanctionReads(sql),
  ...sqlTrailReads(sql),
})

type ReadsOf<K extends keyof StoreReads> = Pick<StoreReads, K>

const LOGIN = {
  id: 'INTEGER',
  account_id: 'INTEGER',
  password_hash: 'BLOB',
  is_suspended: 'FLAG',
  needs_factor: 'FLAG',
} as const
// biome-ignore format: a table
const STORED_NAME = {
  name_id: 'INTEGER', zone_id: 'INTEGER', fqdn: 'TEXT', account_id: 'INTEGER', key_id: 'INTEGER NULL', is_prohibited: 'FLAG',
  is_blocked: 'FLAG', is_offline: 'FLAG', id: 'INTEGER NULL', dns_type: 'TEXT NULL', value: 'TEXT NULL', rdata_key_id: 'INTEGER NULL',
} as const
/** Names with all of their Rdata in one query: an update needs no other. */
const STORED_NAMES = `SELECT name.id AS name_id, zone_id, fqdn, account_id, name.key_id, is_prohibited, is_blocked,
  is_offline,
    rdata.id, dns_type, value, rdata.key_id AS rdata_key_id
  FROM name LEFT JOIN rrset ON rrset.name_id = name.id LEFT JOIN rdata ON rdata.rrset_id = rrset.id`

const TOTALS = Object.entries(STORE_TOTALS).map(([name, { sql }]) => `(${sql}) AS ${name}`)
const TOTAL_COLUMNS = Object.fromEntries(
  Object.keys(STORE_TOTALS).map((name) => [name, 'INTEGER']),
) as Readonly<Record<StoreTotal, 'INTEGER'>>

export const READING = selects({
  fact: select({ value: 'TEXT' }, 'SELECT value FROM fact WHERE name = ?'),
  operatorChanges: select(
    { id: 'INTEGER', at: 'TIME', operator: 'TEXT', operation: 'TEXT', subject: 'TEXT' },
    'SELECT id, at, operator, operation, subject FROM operator_change ORDER BY id LIMIT ?',
  ),
  totals: select(TOTAL_COLUMNS, `SELECT ${TOTALS.join(', ')}`),
  keyLogin: select(
    LOGIN,
    `SELECT ddns_key.id, account_id, ddns_key.password_hash,
      CASE WHEN ddns_key.is_blocked = 1 OR is_suspended = 1 OR ${passedOn('is_blocked')}
        THEN 1 ELSE 0 END AS is_suspended, 0 AS needs_factor
    FROM ddns_key JOIN account ON account.id = account_id WHERE username = ? AND ${isShown('username')}`,
  ),
  accountLogin: select(
    LOGIN,
    `SELECT account.id, account.id AS account_id, password_hash, is_suspended,
      CASE WHEN needs_factor = 1 OR EXISTS (${hasFactor('account.id')}) THEN 1 ELSE 0 END AS needs_factor
    FROM account JOIN plan ON plan.id = plan_id WHERE account.name = ? AND ${isShown('account.name')}`,
  ),
  anyHidden: select(
    { found: 'INTEGER' },
    `SELECT 1 AS found FROM zone WHERE ${IS_HIDDEN} UNION ALL SELECT 1 FROM account WHERE ${IS_HIDDEN} LIMIT 1`,
  ),
  accountLike: select(
    { found: 'INTEGER' },
    `SELECT 1 AS found FROM account WHERE lower(name) = lower(?) AND ${isShown('name')} LIMIT 1`,
  ),
  colliding: select(
    { name: 'TEXT' },
    `SELECT name FROM account WHERE ${isShown('name')} AND lower(name) IN (SELECT lower(name) FROM account
      WHERE ${isShown('name')} GROUP BY lower(name) HAVING count(*) > 1) ORDER BY lower(name), name`,
  ),
  zoneNames: select({ name: 'TEXT' }, `SELECT name FROM zone WHERE ${isShown('name')} ORDER BY name`),
  anyAccount: select({ found: 'INTEGER' }, 'SELECT 1 AS found FROM account LIMIT 1'),
  hasOffline: select(
    { has_offline: 'FLAG' },
    'SELECT has_offline FROM account JOIN plan ON plan.id = account.plan_id WHERE account.id = ?',
  ),
  group: select(
    { id: 'INTEGER' },
    'SELECT id FROM ddns_key WHERE account_id = ? AND (username = ? OR group_label = ?)',
  ),
  /** The shorter the name in the zone, the longer the zone; "@" is the apex. */
  namesByFqdn: select(
    STORED_NAME,
    `${STORED_NAMES} WHERE fqdn = ? AND ${isZoneShown('zone_id')} ORDER BY name <> '@', length(name), name.id, rdata.id`,
  ),
  namesOfKey: select(
    STORED_NAME,
    `${STORED_NAMES} WHERE name.id IN (SELECT id FROM name WHERE key_id = ? UNION
      SELECT name_id FROM rdata JOIN rrset ON rrset.id = rrset_id WHERE rdata.key_id = ?)
      AND ${isZoneShown('zone_id')} ORDER BY name.id, rdata.id`,
  ),
})

/** Read together. */
const MAX_OPERATOR_CHANGES = 1000

const facts = (sql: Sql): ReadsOf<'fact' | 'hasHidden' | 'totals' | 'overview' | 'operatorChanges'> => ({
  async fact(name) {
    return (await sql(READING.fact).get(name))?.value
  },
  async operatorChanges() {
    const rows = await sql(READING.operatorChanges).all(MAX_OPERATOR_CHANGES)
    return rows.map((row) => ({ ...row }))
  },
  async hasHidden() {
    return (await sql(READING.anyHidden).get()) !== undefined
  },
  overview: async (of, query) => sqlOverview(sql, of, query),
  async totals(now) {
    return { ...existing(await sql(READING.totals).get(now)) }
  },
})

const logins = (
  sql: Sql,
): ReadsOf<
  | 'login'
  | 'hasAccounts'
  | 'hasOffline'
  | 'apiKeyByHash'
  | 'hasAccountLike'
  | 'collidingAccounts'
  | 'zoneNames'
> => ({
  async hasAccountLike(name) {
    return (await sql(READING.accountLike).get(name)) !== undefined
  },
  async collidingAccounts() {
    return (await sql(READING.colliding).all()).map(({ name }) => name)
  },
  async zoneNames() {
    return (await sql(READING.zoneNames).all()).map(({ name }) => name)
  },
  async login(username) {
    const key = await sql(READING.keyLogin).get(username)
    if (key !== undefined) return loginFrom('key', key)
    const account = await sql(READING.accountLogin).get(username)
    return account === undefined ? undefined : loginFrom('account', account)
  },
  async hasAccounts() {
    return (await sql(READING.anyAccount).get()) !== undefined
  },
  async hasOffline(accountId) {
    return (await sql(READING.hasOffline).get(accountId))?.has_offline === 1
  },
  async apiKeyByHash(hash) {
    const row = await sql(KEYS.apiKeyByHash).get(hash)
    return row === undefined ? undefined : apiKeyFrom(row)
  },
})

const loginFrom = (kind: Login['kind'], row: RowOf<typeof LOGIN>): Login => ({
  kind,
  id: row.id,
  accountId: row.account_id,
  isSuspended: isOn(row.is_suspended),
  hash: row.password_hash,
  ...(isOn(row.needs_factor) && { needsFactor: true }),
})

const targets = (sql: Sql): ReadsOf<'namesOfKey' | 'namesByFqdn' | 'groupIdOf'> => ({
  async namesOfKey(keyId) {
    return namesIn(await sql(READING.namesOfKey).all(keyId, keyId))
  },
  async namesByFqdn(fqdn) {
    return namesIn(await sql(READING.namesByFqdn).all(fqdn))
  },
  async groupIdOf(accountId, group) {
    return (await sql(READING.group).get(accountId, group, group))?.id
  },
})

type StoredNameRow = RowOf<typeof STORED_NAME>

/** Groups the rows of each name; they are adjacent. */
function namesIn(rows: readonly StoredNameRow[]): readonly StoredName[] {
  const names: [StoredNameRow, ...StoredNameRow[]][] = []
  for (const row of rows) {
    const current = names.at(-1)
    if (current?.[0].name_id === row.name_id) current.push(row)
    else names.push([row])
  }
  return names.map(storedNameFrom)
}

function storedNameFrom(rows: readonly [StoredNameRow, ...StoredNameRow[]]): StoredName {
  const [name] = rows
  const rdata: StoredRdata[] = []
  for (const { id, dns_type: dnsType, value, rdata_key_id: keyId } of rows)
    if (id !== null && dnsType !== null && value !== null)
      rdata.push({ id, dnsType: interned(dnsType), value, keyId })
  return {
    nameId: name.name_id,
    zoneId: name.zone_id,
    fqdn: name.fqdn,
    accountId: name.account_id,
    keyId: name.key_id,
    isProhibited: isOn(name.is_prohibited),
    isBlocked: isOn(name.is_blocked),
    isOffline: isOn(name.is_offline),
    rdata,
  }
}

/** One string per type, however many names are cached. */
const typeNames = new Map<string, string>()

function interned(dnsType: string): string {
  const known = typeNames.get(dnsType) ?? dnsType
  typeNames.set(known, known)
  return known
}
