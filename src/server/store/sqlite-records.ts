import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import { type Instant, instant, latest } from '../../base/time.ts'
import type { DnsType } from '../model/rdata-values.ts'
import type { Account, Metadata, Name, OfflineSettings, Plan, RRSet, Rdata, Zone } from '../model/tree.ts'
import type { DdnsKey, RecordReading } from './records.ts'
import { namesBy } from './sqlite-listing.ts'

export type Sql = (text: string) => StatementSync
export type Row = Record<string, SQLOutputValue>

const text = (value: SQLOutputValue | undefined): string => String(value)
const number = (value: SQLOutputValue | undefined): number => Number(value)
const isOn = (value: SQLOutputValue | undefined): boolean => value === 1
const optional = <K extends string, T>(key: K, value: T | null | undefined): { readonly [P in K]?: T } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: T })
const words = (value: SQLOutputValue | undefined): readonly string[] | undefined =>
  typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : undefined
const whole = (value: SQLOutputValue | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined

/** What the management API asks, in SQL. */
export const sqliteRecords = (sql: Sql): RecordReading => ({
  ...places(sql),
  ...trees(sql),
  ...keys(sql),
  namesBy: async (query) => namesBy(sql, query),
})

type Part<K extends keyof RecordReading> = Pick<RecordReading, K>

const places = (sql: Sql): Part<'account' | 'zoneNamed' | 'isMember' | 'zonesOf' | 'zoneHolding'> => ({
  async account(id) {
    const row = sql(
      'SELECT account.name AS account_name, is_website_only, plan.* FROM account JOIN plan ON plan.id = plan_id WHERE account.id = ?',
    ).get(id)
    return row === undefined ? undefined : accountFrom(id, row)
  },
  async zoneNamed(name) {
    const row = sql('SELECT * FROM zone WHERE name = ?').get(name)
    return row === undefined ? undefined : zoneFrom(sql, row)
  },
  async isMember(zoneId, accountId) {
    return (
      sql('SELECT 1 AS found FROM zone_member WHERE zone_id = ? AND account_id = ?').get(
        zoneId,
        accountId,
      ) !== undefined
    )
  },
  async zonesOf(accountId, { offset, limit }, only) {
    const names = only === undefined ? null : JSON.stringify(only)
    const from =
      'FROM zone WHERE account_id = ?1 AND (?2 IS NULL OR name IN (SELECT value FROM json_each(?2)))'
    const rows = sql(`SELECT * ${from} ORDER BY name LIMIT ?3 OFFSET ?4`).all(accountId, names, limit, offset)
    const total = sql(`SELECT count(*) AS n ${from}`).get(accountId, names)?.['n']
    return { items: rows.map((row) => zoneFrom(sql, row)), total: number(total) }
  },
  async zoneHolding(fqdn) {
    const labels = fqdn.split('.')
    for (let at = 0; at < labels.length; at++) {
      const row = sql('SELECT * FROM zone WHERE name = ?').get(labels.slice(at).join('.'))
      if (row !== undefined) return zoneFrom(sql, row)
    }
    return undefined
  },
})

const trees = (sql: Sql): Part<'hasLockedNames' | 'nameAt' | 'holdingsOf'> => ({
  async hasLockedNames(zoneId) {
    return (
      sql('SELECT 1 AS found FROM name WHERE zone_id = ? AND is_prohibited = 1 LIMIT 1').get(zoneId) !==
      undefined
    )
  },
  async nameAt(zoneId, name) {
    const row = sql('SELECT * FROM name WHERE zone_id = ? AND name = ?').get(zoneId, name)
    return row === undefined ? undefined : nameFrom(sql, row)
  },
  async holdingsOf(accountId) {
    const row = sql('SELECT sum(names) AS names, sum(rdata) AS rdata FROM holding WHERE account_id = ?').get(
      accountId,
    )
    return { names: number(row?.['names'] ?? 0), rdata: number(row?.['rdata'] ?? 0) }
  },
})

const keys = (sql: Sql): Part<'keyNamed' | 'keysOf' | 'clientsOf'> => ({
  async keyNamed(username) {
    const row = sql(`${KEYS} WHERE username = ?`).get(username)
    return row === undefined ? undefined : keyFrom(sql, row)
  },
  async keysOf(accountId, { description, createdAt = 'asc', page }) {
    const where = 'WHERE account_id = ?1 AND (?2 IS NULL OR instr(lower(description), lower(?2)) > 0)'
    const order = createdAt === 'asc' ? 'ORDER BY created_at, id' : 'ORDER BY created_at DESC, id DESC'
    const wanted = description ?? null
    const rows = sql(`${KEYS} ${where} ${order} LIMIT ?3 OFFSET ?4`)
    const total = sql(`SELECT count(*) AS n FROM ddns_key ${where}`).get(accountId, wanted)?.['n']
    return {
      items: rows.all(accountId, wanted, page.limit, page.offset).map((row) => keyFrom(sql, row)),
      total: number(total),
    }
  },
  async clientsOf(accountId, { offset, limit }) {
    const from = `FROM usage JOIN ddns_key ON subject = 'key:' || ddns_key.id WHERE account_id = ?`
    const rows = sql(
      `SELECT username, agent, peer, reply, used_at ${from} ORDER BY used_at DESC, username LIMIT ? OFFSET ?`,
    ).all(accountId, limit, offset)
    return {
      items: rows.map((row) => ({
        username: text(row['username']),
        agent: text(row['agent']),
        address: text(row['peer']),
        reply: text(row['reply']),
        usedAt: instant(number(row['used_at'])),
      })),
      total: number(sql(`SELECT count(*) AS n ${from}`).get(accountId)?.['n']),
    }
  },
})

const KEYS = `SELECT ddns_key.*, (SELECT used_at FROM usage WHERE subject = 'key:' || ddns_key.id) AS used_at FROM ddns_key`

function accountFrom(id: number, row: Row): Account {
  const plan: Plan = {
    name: text(row['name']),
    mostNames: number(row['most_names']),
    mostRdata: number(row['most_rdata']),
    mostNameMetadata: number(row['most_name_metadata']),
    mostRRSetMetadata: number(row['most_rrset_metadata']),
    leastTtl: number(row['least_ttl']),
    hasOffline: isOn(row['has_offline']),
    hasWildcards: isOn(row['has_wildcards']),
    ...optional('fixedTtl', whole(row['fixed_ttl'])),
    ...optional('types', words(row['types'])),
  }
  return { id, name: text(row['account_name']), plan, isWebsiteOnly: isOn(row['is_website_only']) }
}

function zoneFrom(sql: Sql, row: Row): Zone {
  const id = number(row['id'])
  return {
    id,
    name: text(row['name']),
    accountId: number(row['account_id']),
    isShared: isOn(row['is_shared']),
    isProhibited: isOn(row['is_prohibited']),
    isWebsiteOnly: isOn(row['is_website_only']),
    isClosedToNewNames: isOn(row['is_closed_to_new_names']),
    isMembersOnly: isOn(row['is_members_only']),
    hasNoNewRdata: isOn(row['has_no_new_rdata']),
    hasWildcards: isOn(row['has_wildcards']),
    defaultTtl: number(row['default_ttl']),
    serial: number(row['serial']),
    metadata: metadataOf(sql, 'zone', id),
    createdAt: instant(number(row['created_at'])),
    updatedAt: instant(number(row['updated_at'])),
    ...optional('types', words(row['types'])),
    ...optional('ownerOnlyTypes', words(row['owner_only_types'])),
    ...optional('mostLabels', whole(row['most_labels'])),
    ...optional('leastTtl', whole(row['least_ttl'])),
    ...optional('fixedTtl', whole(row['fixed_ttl'])),
  }
}

/** One name with everything that is at it. A change of an address is written at its Rdata alone, and is one of all above it. */
export function nameFrom(sql: Sql, row: Row): Name {
  const id = number(row['id'])
  const settings = row['offline_settings']
  const rrsets = sql('SELECT * FROM rrset WHERE name_id = ? ORDER BY dns_type')
    .all(id)
    .map((rrset) => rrsetFrom(sql, rrset))
  return {
    id,
    zoneId: number(row['zone_id']),
    accountId: number(row['account_id']),
    name: text(row['name']),
    isProhibited: isOn(row['is_prohibited']),
    isOffline: isOn(row['is_offline']),
    metadata: metadataOf(sql, 'name', id),
    rrsets,
    createdAt: instant(number(row['created_at'])),
    updatedAt: latest(momentOf(row), ...rrsets.map(({ updatedAt }) => updatedAt)),
    ...optional(
      'offlineSettings',
      typeof settings === 'string' ? (JSON.parse(settings) as OfflineSettings) : undefined,
    ),
    ...optional('updateGroup', groupOf(sql, row['key_id'])),
    ...optional(
      'publishedAt',
      typeof row['published_at'] === 'number' ? instant(row['published_at']) : undefined,
    ),
  }
}

function rrsetFrom(sql: Sql, row: Row): RRSet {
  const id = number(row['id'])
  const rdata = sql('SELECT * FROM rdata WHERE rrset_id = ? ORDER BY id').all(id)
  return {
    dnsType: text(row['dns_type']) as DnsType,
    ttl: number(row['ttl']),
    isSystem: isOn(row['is_system']),
    metadata: metadataOf(sql, 'rrset', id),
    rdata: rdata.map((one) => rdataFrom(sql, one)),
    createdAt: instant(number(row['created_at'])),
    updatedAt: latest(momentOf(row), ...rdata.map(momentOf)),
  }
}

const momentOf = (row: Row): Instant => instant(number(row['updated_at']))

const rdataFrom = (sql: Sql, row: Row): Rdata => ({
  label: text(row['label']),
  value: text(row['value']),
  isSystem: isOn(row['is_system']),
  ...optional('updateGroup', groupOf(sql, row['key_id'])),
})

const groupOf = (sql: Sql, keyId: SQLOutputValue | undefined): string | undefined =>
  typeof keyId === 'number'
    ? text(sql('SELECT username FROM ddns_key WHERE id = ?').get(keyId)?.['username'])
    : undefined

const metadataOf = (sql: Sql, of: 'zone' | 'name' | 'rrset', id: number): Metadata =>
  Object.fromEntries(
    sql(`SELECT key, value FROM ${of}_metadata WHERE ${of}_id = ? ORDER BY key`)
      .all(id)
      .map((row) => [text(row['key']), text(row['value'])]),
  )

function keyFrom(sql: Sql, row: Row): DdnsKey {
  const id = number(row['id'])
  const targets = sql(`
    SELECT zone.name AS zone_name, name.name AS name, NULL AS dns_type, NULL AS label FROM name
      JOIN zone ON zone.id = zone_id WHERE key_id = ?1
    UNION ALL
    SELECT zone.name, name.name, dns_type, label FROM rdata
      JOIN rrset ON rrset.id = rrset_id JOIN name ON name.id = name_id JOIN zone ON zone.id = zone_id
      WHERE rdata.key_id = ?1 ORDER BY 1, 2, 3, 4`).all(id)
  return {
    id,
    accountId: number(row['account_id']),
    username: text(row['username']),
    description: text(row['description']),
    isLocked: isOn(row['is_locked']),
    createdAt: instant(number(row['created_at'])),
    ...optional('lastUsedAt', typeof row['used_at'] === 'number' ? instant(row['used_at']) : undefined),
    targets: targets.map((target) => ({
      zoneName: text(target['zone_name']),
      name: text(target['name']),
      ...optional('dnsType', typeof target['dns_type'] === 'string' ? target['dns_type'] : undefined),
      ...optional('label', typeof target['label'] === 'string' ? target['label'] : undefined),
    })),
  }
}
