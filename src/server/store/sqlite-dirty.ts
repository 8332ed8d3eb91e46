import { nameAndAncestors } from '../../dns/name.ts'
import { reversed } from '../model/dns-name.ts'
import { type DirtyName, MAX_DIRTY_ZONES, type PublishWrites } from './published.ts'
import { TARGET } from './sqlite-pointers.ts'
import { BENEATH, number, type Sql, textValue } from './sqlite-values.ts'

/**
 * The names that a flush has to publish, and those that depend on them, in SQL. `LIMIT +?`: from the value of a bare `LIMIT ?`
 * SQLite 3.53 plans the statement again at each execution, which takes 10 µs.
 */
export const sqliteDirtyNames = (
  sql: Sql,
): Pick<PublishWrites, keyof ReturnType<typeof dependents> | keyof ReturnType<typeof dirty>> => ({
  ...dependents(sql),
  ...dirty(sql),
})

const dependents = (
  sql: Sql,
): Pick<PublishWrites, 'aliasesOf' | 'deferAliases' | 'namesFrom' | 'deferNamesFrom' | 'zonesBeneath'> => ({
  async aliasesOf(zoneId, fqdn, limit) {
    const rows =
      sql(`SELECT name.name FROM rdata JOIN rrset ON rrset.id = rdata.rrset_id JOIN name ON name.id = name_id
      WHERE ${TARGET} = ? AND zone_id = ? AND dns_type IN ('ALIAS', 'CNAME') LIMIT +?`)
    return rows.all(`${fqdn}.`, zoneId, limit).map((row) => textValue(row['name']))
  },
  async deferAliases({ id, apex }, name) {
    sql(DEFER_ALIASES).run(id, name, `${apex}.`)
  },
  async namesFrom(zoneId, fqdn, limit) {
    const rows = sql(`SELECT name ${NAMES_FROM} LIMIT +?`).all(reversed(fqdn), zoneId, limit)
    return rows.map((row) => textValue(row['name']))
  },
  async deferNamesFrom(zoneId, fqdn) {
    sql(`INSERT INTO dns_dirty SELECT ?2, '${DEFERRED}' || name ${NAMES_FROM} ON CONFLICT DO NOTHING`).run(
      reversed(fqdn),
      zoneId,
    )
  },
  async zonesBeneath(names) {
    if (names.length === 0) return []
    const wanted = new Set(names)
    const all = sql('SELECT apex FROM dns_zone')
      .all()
      .map((row) => textValue(row['apex']))
    return all.filter((apex) => nameAndAncestors(apex).some((name) => name !== apex && wanted.has(name)))
  },
})

/** Before a deferred name. No label begins with it, and it is after all letters: names that have changed are flushed first. */
const DEFERRED = '~'

/** Before a name that could not be rendered: after every other. */
const STUCK = '\u007f'
/** Of the rows of `dns_dirty`: all but stuck names. */
export const IS_FLUSHED = `name < '${STUCK}'`

const NAMES_FROM = `FROM name WHERE (labels_reversed = ?1 OR ${BENEATH}) AND +zone_id = ?2`

/** UNION, and not UNION ALL: a loop of CNAME ends. What has changed itself is flushed without this. */
const DEFER_ALIASES = `INSERT INTO dns_dirty
  WITH RECURSIVE alias (name) AS (
    SELECT ?2
    UNION SELECT name.name FROM alias
      JOIN rdata ON ${TARGET} = iif(alias.name = '@', '', alias.name || '.') || ?3
      JOIN rrset ON rrset.id = rdata.rrset_id JOIN name ON name.id = name_id
      WHERE zone_id = ?1 AND dns_type IN ('ALIAS', 'CNAME'))
  SELECT ?1, '${DEFERRED}' || name FROM alias
    WHERE NOT EXISTS (SELECT 1 FROM dns_dirty WHERE zone_id = ?1 AND dns_dirty.name = alias.name)
    ON CONFLICT DO NOTHING`

const DIRTY_ZONES = `WITH RECURSIVE zone_with_dirty (id) AS (
    SELECT min(zone_id) FROM dns_dirty
    UNION ALL SELECT (SELECT min(zone_id) FROM dns_dirty WHERE zone_id > id) FROM zone_with_dirty WHERE id IS NOT NULL
  ) SELECT id FROM zone_with_dirty WHERE id IS NOT NULL LIMIT ${MAX_DIRTY_ZONES}`

const dirty = (sql: Sql): Pick<PublishWrites, 'dirtyNames' | 'setPublished' | 'setStuck' | 'retryStuck'> => ({
  async dirtyNames(limit) {
    const zones = sql(DIRTY_ZONES).all()
    const share = Math.max(1, Math.floor(limit / Math.max(1, zones.length)))
    return zones.flatMap(({ id = null }) =>
      sql(`SELECT zone_id, name FROM dns_dirty WHERE zone_id = ? AND ${IS_FLUSHED} LIMIT +?`)
        .all(id, share)
        .map((row) => dirtyName(number(row['zone_id']), textValue(row['name']))),
    )
  },
  async setPublished(names, now) {
    const done = sql('DELETE FROM dns_dirty WHERE zone_id = ? AND name = ?')
    for (const { zoneId, name, isDeferred } of names) {
      done.run(zoneId, isDeferred ? `${DEFERRED}${name}` : name)
      const wasStuck = done.run(zoneId, `${STUCK}${name}`).changes > 0
      if (!isDeferred || wasStuck)
        sql('UPDATE name SET published_at = ? WHERE zone_id = ? AND name = ?').run(now, zoneId, name)
    }
  },
  async setStuck(names) {
    for (const { zoneId, name } of names) {
      sql('UPDATE name SET published_at = NULL WHERE zone_id = ? AND name = ?').run(zoneId, name)
      sql('INSERT OR IGNORE INTO dns_dirty VALUES (?, ?)').run(zoneId, `${STUCK}${name}`)
    }
  },
  async retryStuck() {
    sql(`INSERT OR IGNORE INTO dns_dirty
      SELECT zone_id, substr(name, ${STUCK.length + 1}) FROM dns_dirty WHERE NOT ${IS_FLUSHED}`).run()
    sql(`DELETE FROM dns_dirty WHERE NOT ${IS_FLUSHED}`).run()
  },
})

const dirtyName = (zoneId: number, row: string): DirtyName => {
  const isDeferred = row.startsWith(DEFERRED)
  return { zoneId, name: isDeferred ? row.slice(DEFERRED.length) : row, isDeferred }
}
