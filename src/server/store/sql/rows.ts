import { type Instant, instant, latest } from '../../../base/time.ts'
import type { DnsType } from '../../model/rdata-values.ts'
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
} from '../../model/tree.ts'
import type { ApiKey, DdnsKey } from '../records.ts'
import { instantOf, isOn, number, optional, type Row, textValue, integer, wordList } from '../values.ts'
import { idOf, ids, asList, type Sql } from './statement.ts'

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

export async function zoneFrom(sql: Sql, row: Row): Promise<Zone> {
  const rules = zoneRulesFrom(row)
  const [published, metadata] = await Promise.all([
    sql('SELECT serial FROM dns_zone WHERE id = ?').get(rules.id),
    sql('SELECT key, value FROM zone_metadata WHERE zone_id = ? ORDER BY key').all(rules.id),
  ])
  return {
    ...rules,
    serial: number(published?.['serial']),
    metadata: metadataFrom(metadata),
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

/**
 * For `namesFrom`, with the zone, with the username of the DDNS key of which the name is a target, and with whether its present state
 * is not published yet.
 */
export const NAME_ROWS = `SELECT name.*, zone.name AS zone_name, zone.is_shared AS zone_is_shared, username,
    CASE WHEN dns_dirty.name IS NULL THEN 0 ELSE 1 END AS is_dirty
  FROM name JOIN zone ON zone.id = name.zone_id LEFT JOIN ddns_key ON ddns_key.id = name.key_id
    LEFT JOIN dns_dirty ON dns_dirty.zone_id = name.zone_id AND dns_dirty.name = name.name`

/** Names with everything at them, from NAME_ROWS: as many statements for one name as for a page. */
export async function namesFrom(sql: Sql, rows: readonly Row[]): Promise<readonly Name[]> {
  const at = await partsOf(sql, rows.map(idOf))
  return rows.map((row) => nameFrom(row, at))
}

/** What several names have, each by the id of its owner. */
export interface AtNames {
  readonly rrsets: ReadonlyMap<number, readonly Row[]>
  readonly rdata: ReadonlyMap<number, readonly Row[]>
  readonly rrsetMetadata: ReadonlyMap<number, readonly Row[]>
  readonly metadata: ReadonlyMap<number, readonly Row[]>
}

/** All statements are sent at once. */
export async function partsOf(sql: Sql, nameIds: readonly number[]): Promise<AtNames> {
  const none = new Map()
  const [first] = nameIds
  if (first === undefined) return { rrsets: none, rdata: none, rrsetMetadata: none, metadata: none }
  // One name is the common case, and an equation is twice as fast as a list.
  const [are, all] = nameIds.length === 1 ? ['= ?', first] : [`IN ${ids()}`, asList(nameIds)]
  const [rrsets, rdata, rrsetMetadata, metadata] = await Promise.all([
    sql(`SELECT * FROM rrset WHERE name_id ${are} ORDER BY dns_type`).all(all),
    sql(`SELECT rdata.*, username FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id
      LEFT JOIN ddns_key ON ddns_key.id = rdata.key_id WHERE name_id ${are} ORDER BY rdata.id`).all(all),
    sql(
      `SELECT rrset_metadata.* FROM rrset JOIN rrset_metadata ON rrset_id = rrset.id WHERE name_id ${are} ORDER BY key`,
    ).all(all),
    sql(`SELECT * FROM name_metadata WHERE name_id ${are} ORDER BY key`).all(all),
  ])
  return {
    rrsets: byOwner(rrsets, 'name_id'),
    rdata: byOwner(rdata, 'rrset_id'),
    rrsetMetadata: byOwner(rrsetMetadata, 'rrset_id'),
    metadata: byOwner(metadata, 'name_id'),
  }
}

function byOwner(rows: readonly Row[], column: string): ReadonlyMap<number, readonly Row[]> {
  const found = new Map<number, Row[]>()
  for (const row of rows) {
    const id = number(row[column])
    const others = found.get(id)
    if (others === undefined) found.set(id, [row])
    else others.push(row)
  }
  return found
}

/** An update writes the time of its change only to the Rdata; it counts for the RRSet and the name too. */
export function nameFrom(row: Row, at: AtNames): Name {
  const id = number(row['id'])
  const settings = row['offline_settings']
  const rrsets = (at.rrsets.get(id) ?? []).map((rrset) => rrsetFrom(rrset, at))
  return {
    id,
    zoneId: number(row['zone_id']),
    accountId: number(row['account_id']),
    name: textValue(row['name']),
    isProhibited: isOn(row['is_prohibited']),
    isBlocked: isOn(row['is_blocked']),
    isOffline: isOn(row['is_offline']),
    metadata: metadataFrom(at.metadata.get(id) ?? []),
    rrsets,
    createdAt: instant(number(row['created_at'])),
    updatedAt: latest(updatedAtOf(row), ...rrsets.map(({ updatedAt }) => updatedAt)),
    ...optional(
      'offlineSettings',
      typeof settings === 'string' ? (JSON.parse(settings) as OfflineSettings) : undefined,
    ),
    ...optional('isImplicit', isOn(row['is_implicit']) ? true : undefined),
    ...optional('updateGroup', groupOf(row)),
    ...optional('publishedAt', isOn(row['is_dirty']) ? undefined : instantOf(row['published_at'])),
  }
}

function rrsetFrom(row: Row, at: AtNames): RRSet {
  const id = number(row['id'])
  const rdata = at.rdata.get(id) ?? []
  return {
    dnsType: textValue(row['dns_type']) as DnsType,
    ttl: number(row['ttl']),
    isSystem: isOn(row['is_system']),
    metadata: metadataFrom(at.rrsetMetadata.get(id) ?? []),
    rdata: rdata.map(rdataFrom),
    createdAt: instant(number(row['created_at'])),
    updatedAt: latest(updatedAtOf(row), ...rdata.map(updatedAtOf)),
  }
}

const updatedAtOf = (row: Row): Instant => instant(number(row['updated_at']))

const rdataFrom = (row: Row): Rdata => ({
  label: textValue(row['label']),
  value: textValue(row['value']),
  isSystem: isOn(row['is_system']),
  ...optional('updateGroup', groupOf(row)),
})

const groupOf = ({ username }: Row): string | undefined =>
  typeof username === 'string' ? username : undefined

const metadataFrom = (rows: readonly Row[]): Metadata =>
  Object.fromEntries(rows.map((row) => [textValue(row['key']), textValue(row['value'])]))

export async function keyFrom(sql: Sql, row: Row): Promise<DdnsKey> {
  const id = number(row['id'])
  const targets = await sql(`
    SELECT zone.name AS zone_name, name.name AS name, NULL AS dns_type, NULL AS label FROM name
      JOIN zone ON zone.id = zone_id WHERE key_id = ?1
    UNION ALL
    SELECT zone.name, name.name, dns_type, label FROM rdata
      JOIN rrset ON rrset.id = rrset_id JOIN name ON name.id = name_id JOIN zone ON zone.id = zone_id
      WHERE rdata.key_id = ?1 ORDER BY 1, 2, 3 NULLS FIRST, 4 NULLS FIRST`).all(id)
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
