import { APEX, fqdnOf, namesAbove, reversed } from '../../model/dns-name.ts'
import { POINTER_TYPES, type PointerType } from '../../model/targets.ts'
import type { RecordReads } from '../records.ts'
import { select, selects } from '../select.ts'
import { BENEATH, type Sql } from './statement.ts'

/** Like the index rdata_by_target, which contains only values that end with a dot: no address does. */
export const TARGET = `substr(rdata.value, -1) = '.' AND
  substr(rdata.value, length(rtrim(rdata.value, replace(rdata.value, ' ', ''))) + 1)`

/** Names that an NS record of the zone ?2 points to. */
const IS_NAME_SERVER = `EXISTS (SELECT 1 FROM rdata JOIN rrset AS ns ON ns.id = rdata.rrset_id
  JOIN name AS owner ON owner.id = ns.name_id
  WHERE ${TARGET} = name.fqdn || '.' AND ns.dns_type = 'NS' AND owner.zone_id = ?2)`

export const POINTERS = selects({
  to: select(
    { name: 'TEXT', account_id: 'INTEGER', dns_type: 'TEXT' },
    `SELECT DISTINCT name.name, name.account_id, dns_type FROM rdata
      JOIN rrset ON rrset.id = rdata.rrset_id JOIN name ON name.id = name_id
      WHERE ${TARGET} = ? AND zone_id = ? AND dns_type IN (SELECT value FROM json_each(?))
      ORDER BY name.name, dns_type`,
  ),
  delegation: select(
    { name: 'TEXT' },
    `SELECT name.name FROM name JOIN rrset ON name_id = name.id
      WHERE zone_id = ? AND name.name IN (SELECT value FROM json_each(?)) AND dns_type = 'NS'
      ORDER BY length(name.name) LIMIT 1`,
  ),
  /** The plus sign: not by the index of all names of the zone. */
  hidden: select(
    { name: 'TEXT' },
    `SELECT name.name FROM name JOIN rrset ON name_id = name.id
      WHERE ${BENEATH} AND +zone_id = ?2 AND (dns_type NOT IN ('A', 'AAAA') OR NOT ${IS_NAME_SERVER})
      ORDER BY labels_reversed LIMIT 1`,
  ),
})

/** What the rules ask about the other names of a zone, in SQL. */
export const sqlPointers = (
  sql: Sql,
): Pick<RecordReads, 'pointersTo' | 'delegationAbove' | 'hiddenBeneath'> => ({
  async pointersTo(zoneId, fqdn) {
    const rows = await sql(POINTERS.to).all(`${fqdn}.`, zoneId, JSON.stringify(POINTER_TYPES))
    return rows.map((row) => ({
      name: row.name,
      accountId: row.account_id,
      dnsType: row.dns_type as PointerType,
    }))
  },
  async delegationAbove(zoneId, name) {
    const above = namesAbove(name)
    return above.length === 0
      ? undefined
      : (await sql(POINTERS.delegation).get(zoneId, JSON.stringify(above)))?.name
  },
  async hiddenBeneath(zone, name) {
    if (name === APEX) return undefined
    return (await sql(POINTERS.hidden).get(reversed(fqdnOf(name, zone.name)), zone.id))?.name
  },
})
