import { latest } from '../../../shared/base/time.ts'
import type { DnsType } from '../../model/rdata/types.ts'
import type { Metadata, Name, OfflineSettings, Rdata, RRSet } from '../../model/tree.ts'
import type { NameSummary } from '../records.ts'
import { columnList, existing, type RowOf, select, selects } from '../select.ts'
import { groupedBy, isOn, optional } from '../values.ts'
import { isInShownZone } from '../hidden.ts'
import { asList, ids, type Sql } from './statement.ts'

// biome-ignore format: a table
const OF_NAME = {
  id: 'INTEGER', zone_id: 'INTEGER', account_id: 'INTEGER', name: 'TEXT', is_prohibited: 'FLAG', is_blocked: 'FLAG',
  is_offline: 'FLAG', offline_settings: 'TEXT NULL', is_implicit: 'FLAG', created_at: 'TIME', updated_at: 'TIME',
  published_at: 'TIME NULL',
} as const

/** `username` is that of the DDNS key of which the name is a target; a dirty name has a state that is not published yet. */
const NAME = {
  ...OF_NAME,
  zone_name: 'TEXT',
  zone_is_shared: 'FLAG',
  username: 'TEXT NULL',
  is_dirty: 'FLAG',
} as const
export type NameRow = RowOf<typeof NAME>

const NAME_JOINS = `FROM name JOIN zone ON zone.id = name.zone_id LEFT JOIN ddns_key ON ddns_key.id = name.key_id
    LEFT JOIN dns_dirty ON dns_dirty.zone_id = name.zone_id AND dns_dirty.name = name.name`
const NAME_ROWS = `SELECT ${columnList(OF_NAME, 'name')}, zone.name AS zone_name, zone.is_shared AS zone_is_shared, username,
    CASE WHEN dns_dirty.name IS NULL THEN 0 ELSE 1 END AS is_dirty ${NAME_JOINS}`

export const NAMES = selects({
  all: select(NAME, `${NAME_ROWS} WHERE name.id IN ${ids()}`),
  at: select(NAME, `${NAME_ROWS} WHERE name.zone_id = ? AND name.name = ?`),
  among: select(
    NAME,
    `${NAME_ROWS} WHERE name.zone_id = ? AND name.name IN (SELECT value FROM json_each(?))`,
  ),
  ofZone: select(NAME, `${NAME_ROWS} WHERE name.zone_id = ? AND name.id > ? ORDER BY name.id LIMIT ?`),
  ofGuest: select(
    NAME,
    `${NAME_ROWS} WHERE name.account_id = ?1 AND name.id > ?2 AND ${isInShownZone('name.zone_id')}
      AND name.zone_id NOT IN (SELECT id FROM zone WHERE account_id = ?1) ORDER BY name.id LIMIT ?3`,
  ),
  ofAccount: select(
    NAME,
    `${NAME_ROWS} WHERE name.account_id = ? AND name.id > ? AND ${isInShownZone('name.zone_id')}
      ORDER BY name.id LIMIT ?`,
  ),
})

// biome-ignore format: a table
const SUMMARY = {
  id: 'INTEGER', zone_id: 'INTEGER', account_id: 'INTEGER', name: 'TEXT', is_offline: 'FLAG', offline_settings: 'TEXT NULL', created_at: 'TIME',
  updated_at: 'TIME', published_at: 'TIME NULL',
} as const

/** Names for lists, one row for each RRSet: a page of them is one statement, and no value is read. */
export const SUMMARIES = selects({
  all: select(
    {
      ...SUMMARY,
      zone_name: 'TEXT',
      zone_is_shared: 'FLAG',
      username: 'TEXT NULL',
      is_dirty: 'FLAG',
      dns_type: 'TEXT NULL',
      rrset_updated_at: 'TIME NULL',
      rdata_updated_at: 'TIME NULL',
    },
    `SELECT ${columnList(SUMMARY, 'name')}, zone.name AS zone_name, zone.is_shared AS zone_is_shared, username,
      CASE WHEN dns_dirty.name IS NULL THEN 0 ELSE 1 END AS is_dirty, dns_type, rrset.updated_at AS rrset_updated_at,
      (SELECT max(updated_at) FROM rdata WHERE rrset_id = rrset.id) AS rdata_updated_at
      ${NAME_JOINS} LEFT JOIN rrset ON rrset.name_id = name.id WHERE name.id IN ${ids()} ORDER BY name.id, dns_type`,
  ),
})
type SummaryRow = RowOf<typeof SUMMARIES.all.columns>

// biome-ignore format: a table
const RRSET = {
  id: 'INTEGER', name_id: 'INTEGER', dns_type: 'TEXT', ttl: 'INTEGER', is_system: 'FLAG', created_at: 'TIME', updated_at: 'TIME',
} as const
const OF_RDATA = {
  rrset_id: 'INTEGER',
  label: 'TEXT',
  value: 'TEXT',
  is_system: 'FLAG',
  updated_at: 'TIME',
} as const
const RDATA = { ...OF_RDATA, username: 'TEXT NULL' } as const

/** `are`: the comparison with the ids of the names. */
const partsWhere = (are: string) => ({
  rrsets: select(RRSET, `SELECT ${columnList(RRSET)} FROM rrset WHERE name_id ${are} ORDER BY dns_type`),
  rdata: select(
    RDATA,
    `SELECT ${columnList(OF_RDATA, 'rdata')}, username FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id
      LEFT JOIN ddns_key ON ddns_key.id = rdata.key_id WHERE name_id ${are} ORDER BY rdata.id`,
  ),
  rrsetMetadata: select(
    { rrset_id: 'INTEGER', key: 'TEXT', value: 'TEXT' },
    `SELECT rrset_id, key, value FROM rrset JOIN rrset_metadata ON rrset_id = rrset.id WHERE name_id ${are} ORDER BY key`,
  ),
  metadata: select(
    { name_id: 'INTEGER', key: 'TEXT', value: 'TEXT' },
    `SELECT name_id, key, value FROM name_metadata WHERE name_id ${are} ORDER BY key`,
  ),
})

/** One name is the common case, and an equation is twice as fast as a list. */
export const AT_NAME = selects(partsWhere('= ?'))
export const AT_NAMES = selects(partsWhere(`IN ${ids()}`))
/** What the rules of DNS ask of other names: which types they have, and where aliases lead. A name may have many records. */
export const AT_OUTLINE = selects({
  ...partsWhere('= ?'),
  rdata: partsWhere(`= ? AND dns_type IN ('CNAME', 'ALIAS')`).rdata,
})

/** Names with everything at them: as many statements for one name as for a page. */
export async function namesFrom(sql: Sql, rows: readonly NameRow[]): Promise<readonly Name[]> {
  const at = await partsOf(
    sql,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => nameFrom(row, at))
}

/** Without the values of other types than CNAME and ALIAS. */
export const outlineFrom = async (sql: Sql, row: NameRow): Promise<Name> =>
  nameFrom(row, await partsAt(sql, AT_OUTLINE, row.id))

type ById<R> = ReadonlyMap<number, readonly R[]>
type RRSetRow = RowOf<typeof RRSET>
type RdataRow = RowOf<typeof RDATA>
interface MetadataRow {
  readonly key: string
  readonly value: string
}

/** What several names have, each by the id of its owner. */
interface AtNames {
  readonly rrsets: ById<RRSetRow>
  readonly rdata: ById<RdataRow>
  readonly rrsetMetadata: ById<MetadataRow>
  readonly metadata: ById<MetadataRow>
}

/** All statements are sent at once. */
export async function partsOf(sql: Sql, nameIds: readonly number[]): Promise<AtNames> {
  const none = new Map()
  const [first] = nameIds
  if (first === undefined) return { rrsets: none, rdata: none, rrsetMetadata: none, metadata: none }
  return nameIds.length === 1 ? partsAt(sql, AT_NAME, first) : partsAt(sql, AT_NAMES, asList(nameIds))
}

async function partsAt(sql: Sql, parts: typeof AT_NAME, all: number | string): Promise<AtNames> {
  const [rrsets, rdata, rrsetMetadata, metadata] = await Promise.all([
    sql(parts.rrsets).all(all),
    sql(parts.rdata).all(all),
    sql(parts.rrsetMetadata).all(all),
    sql(parts.metadata).all(all),
  ])
  return {
    rrsets: groupedBy(rrsets, (row) => row.name_id),
    rdata: groupedBy(rdata, (row) => row.rrset_id),
    rrsetMetadata: groupedBy(rrsetMetadata, (row) => row.rrset_id),
    metadata: groupedBy(metadata, (row) => row.name_id),
  }
}

export const summariesFrom = (rows: readonly SummaryRow[]): readonly NameSummary[] =>
  Array.from(groupedBy(rows, ({ id }) => id).values(), summaryFrom)

function summaryFrom(rows: readonly SummaryRow[]): NameSummary {
  const row = existing(rows[0])
  const times = rows.flatMap((one) => [one.rrset_updated_at ?? [], one.rdata_updated_at ?? []].flat())
  return {
    zone: { id: row.zone_id, name: row.zone_name, isShared: isOn(row.zone_is_shared) },
    name: { ...ownOf(row), updatedAt: latest(row.updated_at, ...times) },
    dnsTypes: rows.flatMap(({ dns_type: type }) => type ?? []),
  }
}

/** What the row of a name has by itself. */
const ownOf = (row: Pick<SummaryRow, keyof typeof SUMMARY | 'username' | 'is_dirty'>) => ({
  id: row.id,
  zoneId: row.zone_id,
  accountId: row.account_id,
  name: row.name,
  isOffline: isOn(row.is_offline),
  createdAt: row.created_at,
  ...optional(
    'offlineSettings',
    row.offline_settings === null ? null : (JSON.parse(row.offline_settings) as OfflineSettings),
  ),
  ...optional('updateGroup', row.username),
  ...optional('publishedAt', isOn(row.is_dirty) ? undefined : row.published_at),
})

/** An update writes the time of its change only to the Rdata; it counts for the RRSet and the name too. */
export function nameFrom(row: NameRow, at: AtNames): Name {
  const rrsets = (at.rrsets.get(row.id) ?? []).map((rrset) => rrsetFrom(rrset, at))
  return {
    ...ownOf(row),
    isProhibited: isOn(row.is_prohibited),
    isBlocked: isOn(row.is_blocked),
    metadata: metadataFrom(at.metadata.get(row.id) ?? []),
    rrsets,
    updatedAt: latest(row.updated_at, ...rrsets.map(({ updatedAt }) => updatedAt)),
    ...optional('isImplicit', isOn(row.is_implicit) ? true : undefined),
  }
}

function rrsetFrom(row: RRSetRow, at: AtNames): RRSet {
  const rdata = at.rdata.get(row.id) ?? []
  return {
    dnsType: row.dns_type as DnsType,
    ttl: row.ttl,
    isSystem: isOn(row.is_system),
    metadata: metadataFrom(at.rrsetMetadata.get(row.id) ?? []),
    rdata: rdata.map(rdataFrom),
    createdAt: row.created_at,
    updatedAt: latest(row.updated_at, ...rdata.map((one) => one.updated_at)),
  }
}

const rdataFrom = (row: RdataRow): Rdata => ({
  label: row.label,
  value: row.value,
  isSystem: isOn(row.is_system),
  ...optional('updateGroup', row.username),
})

export const metadataFrom = (rows: readonly MetadataRow[]): Metadata =>
  Object.fromEntries(rows.map(({ key, value }) => [key, value]))
