import type { Instant } from '../../../shared/base/time.ts'
import { nameAndAncestors } from '../../../shared/dns/name.ts'
import { APEX, fqdnOf, namesAbove, reversed } from '../../model/dns-name.ts'
import { type DirtyName, dirtyShare, MAX_DIRTY_ZONES, type PublishWrites } from '../published.ts'
import { type RowOf, select, selects } from '../select.ts'
import { optional } from '../values.ts'
import { asList, BENEATH, type Sql } from './statement.ts'
import { POINTER_TYPES, type PointerType } from '../../model/targets.ts'
import type { RecordReads } from '../records.ts'

/** Like the index rdata_by_target, which contains only values that end with a dot: no address does. */
const TARGET = `substr(rdata.value, -1) = '.' AND
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

/**
 * The names that a flush has to publish, and those that depend on them, in SQL. `LIMIT +?`: from the value of a bare
 * `LIMIT ?` SQLite 3.53 plans the statement again at each execution, which takes 10 µs.
 */
export const sqlDirtyNames = (
  sql: Sql,
): Pick<PublishWrites, keyof ReturnType<typeof dependents> | keyof ReturnType<typeof dirty>> => ({
  ...dependents(sql),
  ...dirty(sql),
})

const dependents = (
  sql: Sql,
): Pick<
  PublishWrites,
  'aliased' | 'aliasesOf' | 'deferAliases' | 'namesFrom' | 'deferNamesFrom' | 'zonesBeneath'
> => ({
  async aliased(zoneId, fqdns) {
    const wanted = asList(fqdns.map((fqdn) => `${fqdn}.`))
    const found = await sql(DIRTY.aliased).all(wanted, zoneId)
    return new Set(found.map(({ value }) => value.slice(0, -1)))
  },
  async aliasesOf(zoneId, fqdn, limit) {
    return (await sql(DIRTY.aliases).all(`${fqdn}.`, zoneId, limit)).map(({ name }) => name)
  },
  async deferAliases({ id, apex }, name) {
    await sql(DEFER_ALIASES).run(id, name, `${apex}.`)
  },
  async namesFrom(zoneId, fqdn, limit) {
    return (await sql(DIRTY.namesFrom).all(reversed(fqdn), zoneId, limit)).map(({ name }) => name)
  },
  async deferNamesFrom(zoneId, fqdn) {
    await sql(
      `INSERT INTO dns_dirty SELECT ?2, '${DEFERRED}' || name ${NAMES_FROM} ON CONFLICT DO NOTHING`,
    ).run(reversed(fqdn), zoneId)
  },
  async zonesBeneath(names) {
    if (names.length === 0) return []
    const wanted = new Set(names)
    const all = (await sql(DIRTY.apexes).all()).map(({ apex }) => apex)
    return all.filter((apex) => nameAndAncestors(apex).some((name) => name !== apex && wanted.has(name)))
  },
})

/**
 * Before a deferred name. No label begins with it, and it is after all letters: names that have changed are flushed
 * first.
 */
export const DEFERRED = '~'

/** Before a name that could not be rendered; it sorts after every other. */
export const STUCK = '\u007f'
/** How many names of a zone wait, as far as they are looked at; `''` stands for its SOA. One name may have several rows. */
export const COUNT_PENDING = `SELECT count(DISTINCT ltrim(name, '${DEFERRED}${STUCK}')) AS n FROM
  (SELECT name FROM dns_dirty WHERE zone_id = ? AND name > '' LIMIT +?) AS part`
/** Of the rows of `dns_dirty`: all but stuck names. */
export const IS_FLUSHED = `name < '${STUCK}'`

const NAMES_FROM = `FROM name WHERE (labels_reversed = ?1 OR ${BENEATH}) AND +zone_id = ?2`

/** UNION, and not UNION ALL: a loop of CNAME ends. What has changed itself is flushed without this. */
const DEFER_ALIASES = `INSERT INTO dns_dirty
  WITH RECURSIVE alias (name) AS (
    SELECT CAST(?2 AS TEXT) COLLATE BINARY
    UNION SELECT name.name FROM alias
      JOIN rdata ON ${TARGET} = CASE alias.name WHEN '@' THEN '' ELSE alias.name || '.' END || ?3
      JOIN rrset ON rrset.id = rdata.rrset_id JOIN name ON name.id = name_id
      WHERE zone_id = ?1 AND dns_type IN ('ALIAS', 'CNAME'))
  SELECT ?1, '${DEFERRED}' || name FROM alias
    WHERE NOT EXISTS (SELECT 1 FROM dns_dirty WHERE zone_id = ?1 AND dns_dirty.name = alias.name)
    ON CONFLICT DO NOTHING`

const IS_ALIAS = `dns_type IN ('ALIAS', 'CNAME')`
const DIRTY_NAME = { zone_id: 'INTEGER', name: 'TEXT', stamp: 'INTEGER NULL' } as const

export const DIRTY = selects({
  aliased: select(
    { value: 'TEXT' },
    `SELECT value FROM json_each(?) AS wanted WHERE EXISTS (
      SELECT 1 FROM rdata JOIN rrset ON rrset.id = rdata.rrset_id JOIN name ON name.id = name_id
      WHERE ${TARGET} = wanted.value AND zone_id = ? AND ${IS_ALIAS})`,
  ),
  aliases: select(
    { name: 'TEXT' },
    `SELECT name.name FROM rdata JOIN rrset ON rrset.id = rdata.rrset_id JOIN name ON name.id = name_id
      WHERE ${TARGET} = ? AND zone_id = ? AND ${IS_ALIAS} LIMIT +?`,
  ),
  namesFrom: select({ name: 'TEXT' }, `SELECT name ${NAMES_FROM} LIMIT +?`),
  apexes: select({ apex: 'TEXT' }, 'SELECT apex FROM dns_zone'),
  zones: select(
    { id: 'INTEGER' },
    `WITH RECURSIVE zone_with_dirty (id) AS (
      SELECT min(zone_id) FROM dns_dirty
      UNION ALL SELECT (SELECT min(zone_id) FROM dns_dirty WHERE zone_id > id) FROM zone_with_dirty WHERE id IS NOT NULL
    ) SELECT id FROM zone_with_dirty WHERE id IS NOT NULL LIMIT ${MAX_DIRTY_ZONES}`,
  ),
  names: select(
    DIRTY_NAME,
    `SELECT zone_id, name, NULL AS stamp FROM dns_dirty WHERE zone_id = ? AND ${IS_FLUSHED} ORDER BY name LIMIT +?`,
  ),
  anyStuck: select(
    { found: 'INTEGER' },
    `SELECT 1 AS found FROM dns_dirty WHERE zone_id = ? AND name >= '${STUCK}' LIMIT 1`,
  ),
})

const CLEAN = 'DELETE FROM dns_dirty WHERE zone_id = ? AND name = ?'

const dirty = (sql: Sql): Pick<PublishWrites, 'dirtyNames' | 'setPublished' | 'setStuck' | 'retryStuck'> => ({
  async dirtyNames(limit) {
    const zones = await sql(DIRTY.zones).all()
    const share = dirtyShare(limit, zones.length)
    const rows = await Promise.all(zones.map(async ({ id }) => sql(DIRTY.names).all(id, share)))
    return rows.flat().map(dirtyName)
  },
  async setPublished(names, now) {
    const isAlone = names.every(({ stamp }) => stamp === undefined)
    await (isAlone ? publishAlone(sql, names, now) : publishBesideOthers(sql, names, now))
  },
  async setStuck(names) {
    for (const { zoneId, name } of names) {
      await sql('UPDATE name SET published_at = NULL WHERE zone_id = ? AND name = ?').run(zoneId, name)
      await sql('INSERT INTO dns_dirty VALUES (?, ?) ON CONFLICT DO NOTHING').run(zoneId, `${STUCK}${name}`)
    }
  },
  async retryStuck() {
    await sql(`INSERT INTO dns_dirty SELECT zone_id, substr(name, ${STUCK.length + 1}) FROM dns_dirty WHERE NOT ${IS_FLUSHED}
      ON CONFLICT DO NOTHING`).run()
    await sql(`DELETE FROM dns_dirty WHERE NOT ${IS_FLUSHED}`).run()
  },
})

/** No change happens beside the flush: what it has read is what is there. One statement for the names of a zone. */
async function publishAlone(sql: Sql, names: readonly DirtyName[], now: Instant): Promise<void> {
  for (const zoneId of new Set(names.map((one) => one.zoneId))) {
    const ofZone = names.filter((one) => one.zoneId === zoneId)
    const own = ofZone.flatMap(({ name, isDeferred }) => (isDeferred ? [] : [name]))
    const rows = ofZone.map(({ name, isDeferred }) => (isDeferred ? `${DEFERRED}${name}` : name))
    const isAnyStuck = (await sql(DIRTY.anyStuck).get(zoneId)) !== undefined
    const stuck = isAnyStuck ? ofZone.map(({ name }) => `${STUCK}${name}`) : []
    await sql(`UPDATE name SET published_at = ? WHERE zone_id = ? AND name IN ${LISTED}`).run(
      now,
      zoneId,
      asList(own),
    )
    if (isAnyStuck) await sql(PUBLISH_STUCK).run(now, zoneId, zoneId, asList(stuck))
    await sql(`DELETE FROM dns_dirty WHERE zone_id = ? AND name IN ${LISTED}`).run(
      zoneId,
      asList([...rows, ...stuck]),
    )
  }
}

const LISTED = '(SELECT value FROM json_each(?))'
const PUBLISH_STUCK = `UPDATE name SET published_at = ? WHERE zone_id = ?
  AND name IN (SELECT substr(name, ${STUCK.length + 1})
  FROM dns_dirty WHERE zone_id = ? AND name IN ${LISTED})`

/** Other processes change names meanwhile: a row whose stamp has been raised since stays. */
async function publishBesideOthers(sql: Sql, names: readonly DirtyName[], now: Instant): Promise<void> {
  const publish = sql('UPDATE name SET published_at = ? WHERE zone_id = ? AND name = ?')
  // Rows of `name` before those of `dns_dirty`: an update locks them in this order.
  const own = names.filter(({ isDeferred }) => !isDeferred)
  await Promise.all(own.map(async ({ zoneId, name }) => publish.run(now, zoneId, name)))
  await Promise.all(
    names.map(async ({ zoneId, name, isDeferred, stamp }) => {
      const row = isDeferred ? `${DEFERRED}${name}` : name
      if (stamp === undefined) await sql(CLEAN).run(zoneId, row)
      else await sql(`${CLEAN} AND stamp = ?`).run(zoneId, row, stamp)
      const wasStuck = (await sql(CLEAN).run(zoneId, `${STUCK}${name}`)).changes > 0
      if (isDeferred && wasStuck) await publish.run(now, zoneId, name)
    }),
  )
}

function dirtyName({ zone_id: zoneId, name, stamp }: RowOf<typeof DIRTY_NAME>): DirtyName {
  const isDeferred = name.startsWith(DEFERRED)
  return {
    zoneId,
    name: isDeferred ? name.slice(DEFERRED.length) : name,
    isDeferred,
    ...optional('stamp', stamp),
  }
}
