import { sqlStates } from './states.ts'
import { fqdnOf, namesAbove, reversed } from '../../model/dns-name.ts'
import type { RecordReads } from '../records.ts'
import { existing, select, selects } from '../select.ts'
import { isInShownZone, isShown } from '../hidden.ts'
import { sqlAccounts } from './account/accounts.ts'
import { sqlApiKeys, sqlKeys } from './keys.ts'
import { namesBy, summariesBy } from './listing.ts'
import { NAMES, namesFrom, outlineFrom } from './name-rows.ts'
import { sqlPointers } from './pointers.ts'
import { asList, BENEATH, type Sql } from './statement.ts'
import { sqlZones } from './zones.ts'

const FOUND = { found: 'INTEGER' } as const
const NEIGHBOUR = { name: 'TEXT', account_id: 'INTEGER' } as const

export const RECORDS = selects({
  prints: select(
    { name: 'TEXT', print: 'TEXT' },
    `SELECT name.name, name.id || ' ' || coalesce(name.key_id, 0) || ' ' || is_prohibited || is_blocked ||
      is_offline || ' ' || name.updated_at || ' ' ||
      coalesce((SELECT string_agg(rrset.id || ' ' || ttl || ' ' || coalesce(rdata.id, 0) || ' ' ||
        coalesce(rdata.key_id, 0) || ' ' || coalesce(label, '') || ' ' || coalesce(rdata.value, ''),
        ' ' ORDER BY rrset.id, rdata.id)
        FROM rrset LEFT JOIN rdata ON rrset_id = rrset.id WHERE name_id = name.id), '') AS print
    FROM name WHERE zone_id = ?`,
  ),
  namesOfOthers: select(
    { n: 'INTEGER' },
    'SELECT coalesce(sum(names), 0) AS n FROM holding WHERE zone_id = ? AND account_id <> ?',
  ),
  lockedName: select(
    FOUND,
    'SELECT 1 AS found FROM name WHERE zone_id = ? AND (is_prohibited = 1 OR is_blocked = 1) LIMIT 1',
  ),
  lockedNameBeneath: select(
    FOUND,
    `SELECT 1 AS found FROM name WHERE (labels_reversed = ?1 OR ${BENEATH}) AND zone_id = ?2
      AND (is_prohibited = 1 OR is_blocked = 1) LIMIT 1`,
  ),
  holdings: select(
    { names: 'INTEGER', rdata: 'INTEGER' },
    `SELECT coalesce(sum(names), 0) AS names, coalesce(sum(rdata), 0) AS rdata FROM holding
      WHERE account_id = ? AND ${isInShownZone('zone_id')}`,
  ),
  apexHoldings: select(
    { zones: 'INTEGER', rdata: 'INTEGER' },
    `SELECT count(DISTINCT zone.id) AS zones, count(rdata.id) AS rdata FROM zone
      JOIN name ON zone_id = zone.id AND name.name = '@' AND name.account_id = zone.account_id
      LEFT JOIN rrset ON rrset.name_id = name.id AND dns_type = 'NS' LEFT JOIN rdata ON rrset_id = rrset.id
      WHERE zone.account_id = ? AND ${isShown('zone.name')}`,
  ),
  above: select(
    NEIGHBOUR,
    'SELECT name, account_id FROM name WHERE zone_id = ? AND name IN (SELECT value FROM json_each(?))',
  ),
  beneath: select(
    NEIGHBOUR,
    `SELECT name, account_id FROM name WHERE ${BENEATH} AND zone_id = ?2 AND account_id <> ?3 LIMIT 1`,
  ),
  zoneOfOtherBeneath: select(
    FOUND,
    `SELECT 1 AS found FROM zone WHERE length(name) > length(CAST(?1 AS TEXT))
      AND substr(name, length(name) - length(CAST(?1 AS TEXT))) = '.' || CAST(?1 AS TEXT) AND account_id <> ?2 LIMIT 1`,
  ),
  nameOfOtherBeneath: select(
    FOUND,
    `SELECT 1 AS found FROM name WHERE (labels_reversed = ?1 OR ${BENEATH}) AND account_id <> ?2
      AND ${isInShownZone('zone_id')} LIMIT 1`,
  ),
})

/** The reads of the management API in SQL. */
export const sqlRecords = (sql: Sql): RecordReads => ({
  ...sqlZones(sql),
  ...names(sql),
  ...around(sql),
  ...sqlPointers(sql),
  ...sqlKeys(sql),
  ...sqlApiKeys(sql),
  ...sqlAccounts(sql),
  ...sqlStates(sql),
  namesBy: async (query) => namesBy(sql, query),
  summariesBy: async (query) => summariesBy(sql, query),
})

type Part<K extends keyof RecordReads> = Pick<RecordReads, K>

const names = (
  sql: Sql,
): Part<
  | 'countNamesOfOthers'
  | 'hasLockedNames'
  | 'nameAt'
  | 'outlineAt'
  | 'zonePrints'
  | 'namesAt'
  | 'namesAfter'
  | 'holdingsOf'
  | 'apexHoldingsOf'
> => ({
  async countNamesOfOthers(zoneId, accountId) {
    return existing(await sql(RECORDS.namesOfOthers).get(zoneId, accountId)).n
  },
  async hasLockedNames(zoneId, fqdn) {
    const found =
      fqdn === undefined
        ? await sql(RECORDS.lockedName).get(zoneId)
        : await sql(RECORDS.lockedNameBeneath).get(reversed(fqdn), zoneId)
    return found !== undefined
  },
  async nameAt(zoneId, name) {
    const row = await sql(NAMES.at).get(zoneId, name)
    return row === undefined ? undefined : (await namesFrom(sql, [row]))[0]
  },
  async outlineAt(zoneId, name) {
    const row = await sql(NAMES.at).get(zoneId, name)
    return row && outlineFrom(sql, row)
  },
  async zonePrints(zoneId) {
    return new Map((await sql(RECORDS.prints).all(zoneId)).map(({ name, print }) => [name, print]))
  },
  async namesAt(zoneId, wanted) {
    return namesFrom(sql, await sql(NAMES.among).all(zoneId, asList(wanted)))
  },
  async namesAfter(of, after, limit) {
    const [rows, id] =
      'zoneId' in of
        ? [NAMES.ofZone, of.zoneId]
        : 'guestId' in of
          ? [NAMES.ofGuest, of.guestId]
          : [NAMES.ofAccount, of.accountId]
    return namesFrom(sql, await sql(rows).all(id, after, limit))
  },
  async holdingsOf(accountId) {
    const { names, rdata } = existing(await sql(RECORDS.holdings).get(accountId))
    return { names, rdata }
  },
  async apexHoldingsOf(accountId) {
    const { zones, rdata } = existing(await sql(RECORDS.apexHoldings).get(accountId))
    return { names: zones, rdata }
  },
})

const around = (sql: Sql): Part<'neighboursOf' | 'hasOthersBeneath'> => ({
  async neighboursOf(zone, { name, accountId }) {
    const above = namesAbove(name)
    const rows = [
      ...(await sql(RECORDS.above).all(zone.id, JSON.stringify(above))),
      ...(await sql(RECORDS.beneath).all(reversed(fqdnOf(name, zone.name)), zone.id, accountId)),
    ]
    return rows.map((row) => ({ name: row.name, accountId: row.account_id }))
  },
  async hasOthersBeneath(fqdn, accountId) {
    return (
      (await sql(RECORDS.zoneOfOtherBeneath).get(fqdn, accountId)) !== undefined ||
      (await sql(RECORDS.nameOfOtherBeneath).get(reversed(fqdn), accountId)) !== undefined
    )
  },
})
