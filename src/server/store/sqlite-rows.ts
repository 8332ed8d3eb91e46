import type { SQLOutputValue } from 'node:sqlite'
import { type Instant, instant, latest } from '../../base/time.ts'
import type { DnsType } from '../model/rdata-values.ts'
import type {
  Account,
  Metadata,
  Name,
  OfflineSettings,
  Plan,
  Rdata,
  RRSet,
  Zone,
  ZoneRules,
} from '../model/tree.ts'
import type { ApiKey, DdnsKey } from './records.ts'
import {
  instantOf,
  isOn,
  number,
  optional,
  type Row,
  type Sql,
  textValue,
  integer,
  wordList,
} from './sqlite-values.ts'

export function accountFrom(id: number, row: Row): Account {
  const plan: Plan = {
    name: textValue(row['name']),
    maxNames: number(row['max_names']),
    maxRdata: number(row['max_rdata']),
    maxKeys: number(row['max_keys']),
    maxNameMetadata: number(row['max_name_metadata']),
    maxRRSetMetadata: number(row['max_rrset_metadata']),
    minTtl: number(row['min_ttl']),
    hasOffline: isOn(row['has_offline']),
    hasWildcards: isOn(row['has_wildcards']),
    ...optional('fixedTtl', integer(row['fixed_ttl'])),
    ...optional('types', wordList(row['types'])),
  }
  return {
    id,
    name: textValue(row['account_name']),
    plan,
    isWebsiteOnly: isOn(row['is_website_only']),
    isSuspended: isOn(row['is_suspended']),
  }
}

export function zoneFrom(sql: Sql, row: Row): Zone {
  const rules = zoneRulesFrom(row)
  return {
    ...rules,
    serial: number(sql('SELECT serial FROM dns_zone WHERE id = ?').get(rules.id)?.['serial']),
    metadata: metadataOf(sql, 'zone', rules.id),
    updatedAt: instant(number(row['updated_at'])),
  }
}

export function zoneRulesFrom(row: Row): ZoneRules {
  return {
    id: number(row['id']),
    name: textValue(row['name']),
    accountId: number(row['account_id']),
    isShared: isOn(row['is_shared']),
    isProhibited: isOn(row['is_prohibited']),
    isWebsiteOnly: isOn(row['is_website_only']),
    isClosedToNewNames: isOn(row['is_closed_to_new_names']),
    isMembersOnly: isOn(row['is_members_only']),
    hasNoNewRdata: isOn(row['has_no_new_rdata']),
    hasOpenNesting: isOn(row['has_open_nesting']),
    defaultTtl: number(row['default_ttl']),
    createdAt: instant(number(row['created_at'])),
    ...optional('types', wordList(row['types'])),
    ...optional('ownerOnlyTypes', wordList(row['owner_only_types'])),
    ...optional('hasWildcards', row['wildcards'] === null ? undefined : isOn(row['wildcards'])),
    ...optional('maxLabels', integer(row['max_labels'])),
    ...optional('minTtl', integer(row['min_ttl'])),
    ...optional('fixedTtl', integer(row['fixed_ttl'])),
  }
}

/** One name with everything at it. An update writes the time of its change only to the Rdata; it counts for the RRSet and the name too. */
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
    name: textValue(row['name']),
    isProhibited: isOn(row['is_prohibited']),
    isBlocked: isOn(row['is_blocked']),
    isOffline: isOn(row['is_offline']),
    metadata: metadataOf(sql, 'name', id),
    rrsets,
    createdAt: instant(number(row['created_at'])),
    updatedAt: latest(updatedAtOf(row), ...rrsets.map(({ updatedAt }) => updatedAt)),
    ...optional(
      'offlineSettings',
      typeof settings === 'string' ? (JSON.parse(settings) as OfflineSettings) : undefined,
    ),
    ...optional('isImplicit', isOn(row['is_implicit']) ? true : undefined),
    ...optional('updateGroup', groupOf(sql, row['key_id'])),
    ...optional('publishedAt', isDirty(sql, row) ? undefined : instantOf(row['published_at'])),
  }
}

/** The present state is not published yet. */
const isDirty = (sql: Sql, { zone_id: zoneId = null, name = null }: Row): boolean =>
  sql('SELECT 1 AS found FROM dns_dirty WHERE zone_id = ? AND name = ?').get(zoneId, name) !== undefined

function rrsetFrom(sql: Sql, row: Row): RRSet {
  const id = number(row['id'])
  const rdata = sql('SELECT * FROM rdata WHERE rrset_id = ? ORDER BY id').all(id)
  return {
    dnsType: textValue(row['dns_type']) as DnsType,
    ttl: number(row['ttl']),
    isSystem: isOn(row['is_system']),
    metadata: metadataOf(sql, 'rrset', id),
    rdata: rdata.map((one) => rdataFrom(sql, one)),
    createdAt: instant(number(row['created_at'])),
    updatedAt: latest(updatedAtOf(row), ...rdata.map(updatedAtOf)),
  }
}

const updatedAtOf = (row: Row): Instant => instant(number(row['updated_at']))

const rdataFrom = (sql: Sql, row: Row): Rdata => ({
  label: textValue(row['label']),
  value: textValue(row['value']),
  isSystem: isOn(row['is_system']),
  ...optional('updateGroup', groupOf(sql, row['key_id'])),
})

const groupOf = (sql: Sql, keyId: SQLOutputValue | undefined): string | undefined =>
  typeof keyId === 'number'
    ? textValue(sql('SELECT username FROM ddns_key WHERE id = ?').get(keyId)?.['username'])
    : undefined

const metadataOf = (sql: Sql, of: 'zone' | 'name' | 'rrset', id: number): Metadata =>
  Object.fromEntries(
    sql(`SELECT key, value FROM ${of}_metadata WHERE ${of}_id = ? ORDER BY key`)
      .all(id)
      .map((row) => [textValue(row['key']), textValue(row['value'])]),
  )

export function keyFrom(sql: Sql, row: Row): DdnsKey {
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
    username: textValue(row['username']),
    description: textValue(row['description']),
    isLocked: isOn(row['is_locked']),
    createdAt: instant(number(row['created_at'])),
    ...optional('lastUsedAt', instantOf(row['used_at'])),
    targets: targets.map((target) => ({
      zoneName: textValue(target['zone_name']),
      name: textValue(target['name']),
      ...optional('dnsType', typeof target['dns_type'] === 'string' ? target['dns_type'] : undefined),
      ...optional('label', typeof target['label'] === 'string' ? target['label'] : undefined),
    })),
  }
}

export const apiKeyFrom = (row: Row): ApiKey => ({
  id: number(row['id']),
  accountId: number(row['account_id']),
  scopes: wordList(row['scopes']) ?? [],
  ...optional('expiresAt', instantOf(row['expires_at'])),
  ...optional('lastUsedAt', instantOf(row['last_used_at'])),
})
