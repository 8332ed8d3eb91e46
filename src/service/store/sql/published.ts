import { sqlSerials } from './serials.ts'
import type { DnsType } from '../../model/rdata/types.ts'
import type { OfflineSettings } from '../../model/tree.ts'
import type { PublishedReads, PublishWrites, StoredState } from '../published.ts'
import { isShown } from '../hidden.ts'
import { IS_FLUSHED, COUNT_PENDING, sqlDirtyNames } from './dirty.ts'
import { existing, columnList, type RowOf, select, selects } from '../select.ts'
import { groupedBy, isOn, optional } from '../values.ts'
import { asList, type Sql } from './statement.ts'

const ZONE = { id: 'INTEGER', apex: 'TEXT', serial: 'INTEGER', size: 'INTEGER' } as const
const ZONE_ROWS = `SELECT ${columnList(ZONE, 'dns_zone')} FROM dns_zone`
const STATE = {
  name: 'TEXT',
  is_offline: 'FLAG',
  is_blocked: 'FLAG',
  offline_settings: 'TEXT NULL',
  dns_type: 'TEXT NULL',
  ttl: 'INTEGER NULL',
  value: 'TEXT NULL',
} as const
const STATE_ROWS = `SELECT name.name, is_offline, is_blocked, offline_settings, dns_type, ttl, value FROM name
  LEFT JOIN rrset ON rrset.name_id = name.id LEFT JOIN rdata ON rdata.rrset_id = rrset.id
  WHERE zone_id = ?`
const RECORD = { type: 'INTEGER', ttl: 'INTEGER', rdata: 'BLOB' } as const
const FOUND = { found: 'INTEGER' } as const
/** Of a whole zone. RDATA as text: a BLOB is a buffer of its own outside V8's heap, which takes a tenth longer. */
const PAGE = { owner: 'TEXT', type: 'INTEGER', ttl: 'INTEGER', hex: 'TEXT' } as const
const PAGE_ROWS = 'SELECT owner, type, ttl, hex(rdata) AS hex FROM dns_rr'

/**
 * After a correction of the clock, a step in the middle can be the oldest and be removed first: steps before it cannot
 * be used.
 */
const FIRST_STEP = `WITH first AS (SELECT max(n) AS n FROM dns_journal WHERE zone_id = ?1 AND serial_from = ?2)
  SELECT n FROM first WHERE NOT EXISTS (
    SELECT 1 FROM dns_journal AS step WHERE zone_id = ?1 AND n >= first.n AND serial_to IS DISTINCT FROM coalesce(
      (SELECT serial_from FROM dns_journal WHERE zone_id = ?1 AND n = step.n + 1),
      (SELECT serial FROM dns_zone WHERE id = ?1 AND NOT EXISTS (
        SELECT 1 FROM dns_journal WHERE zone_id = ?1 AND n > step.n))))`

/** An unproved zone is not published. */
const IS_PROVED = 'NOT EXISTS (SELECT 1 FROM zone WHERE zone.id = dns_zone.id AND awaits_proof = 1)'

export const PUBLISHED = selects({
  zone: select(ZONE, `${ZONE_ROWS} WHERE apex = ? AND ${isShown('apex')} AND ${IS_PROVED}`),
  zones: select(
    ZONE,
    `${ZONE_ROWS} WHERE id > ? AND ${isShown('apex')} AND ${IS_PROVED} ORDER BY id LIMIT +?`,
  ),
  zonesChangedSince: select(
    ZONE,
    `${ZONE_ROWS} JOIN dns_journal ON zone_id = id WHERE at >= ? AND ${IS_PROVED}
      GROUP BY id ORDER BY max(at) DESC LIMIT +?`,
  ),
  /** With the name that the zone has when readers see it. */
  flushed: select(
    { ...ZONE, is_draft: 'FLAG' },
    `SELECT dns_zone.id, coalesce(zone.name, apex) AS apex, serial, size,
        CASE WHEN of_zone IS NULL AND ${IS_PROVED} THEN 0 ELSE 1 END AS is_draft
      FROM dns_zone LEFT JOIN zone_draft ON zone_draft.id = dns_zone.id LEFT JOIN zone ON zone.id = of_zone
      WHERE dns_zone.id = ?`,
  ),
  state: select(STATE, `${STATE_ROWS} AND name.name = ? ORDER BY rdata.id`),
  states: select(STATE, `${STATE_ROWS} AND name.name IN (SELECT value FROM json_each(?)) ORDER BY rdata.id`),
  recordsAt: select(RECORD, 'SELECT type, ttl, rdata FROM dns_rr WHERE zone_id = ? AND owner = ?'),
  recordsOf: select(
    { owner: 'TEXT', ...RECORD },
    'SELECT owner, type, ttl, rdata FROM dns_rr WHERE zone_id = ? AND owner IN (SELECT value FROM json_each(?))',
  ),
  recordBelow: select(
    FOUND,
    'SELECT 1 AS found FROM dns_rr WHERE zone_id = ? AND owner > ? AND owner < ? LIMIT 1',
  ),
  firstPage: select(PAGE, `${PAGE_ROWS} WHERE zone_id = ? ORDER BY owner, type, rdata LIMIT +?`),
  nextPage: select(
    PAGE,
    `${PAGE_ROWS} WHERE zone_id = ?1 AND (owner, type, rdata) > (?2, ?3, ?4) ORDER BY owner, type, rdata LIMIT +?5`,
  ),
  dirtyName: select(FOUND, `SELECT 1 AS found FROM dns_dirty WHERE ${IS_FLUSHED} LIMIT 1`),
  dirtyAmong: select(
    FOUND,
    'SELECT 1 AS found FROM dns_dirty WHERE zone_id = ? AND name IN (SELECT value FROM json_each(?)) LIMIT 1',
  ),
  firstStep: select({ n: 'INTEGER NULL' }, FIRST_STEP),
  stepsSize: select(
    { size: 'INTEGER' },
    'SELECT coalesce(sum(length(gone) + length(come)), 0) AS size FROM dns_journal WHERE zone_id = ? AND n >= ?',
  ),
  steps: select(
    { serial_from: 'INTEGER', serial_to: 'INTEGER', gone: 'BLOB', come: 'BLOB' },
    'SELECT serial_from, serial_to, gone, come FROM dns_journal WHERE zone_id = ? AND n >= ? ORDER BY n LIMIT +?',
  ),
  pending: select({ n: 'INTEGER' }, COUNT_PENDING),
  lastStep: select({ at: 'TIME' }, 'SELECT at FROM dns_journal WHERE zone_id = ? ORDER BY n DESC LIMIT 1'),
})

/** The reads of what is published, in SQL. */
export const sqlPublishedReads = (sql: Sql): PublishedReads => ({
  ...journal(sql),
  ...records(sql),
  async storedState(zoneId, name) {
    return stateFrom(await sql(PUBLISHED.state).all(zoneId, name))
  },
  async publicationOf(zoneId, max) {
    const { n } = existing(await sql(PUBLISHED.pending).get(zoneId, max))
    return { pending: n, ...optional('at', (await sql(PUBLISHED.lastStep).get(zoneId))?.at ?? null) }
  },
  async publishedZone(apex) {
    return sql(PUBLISHED.zone).get(apex)
  },
  async publishedZones(after, limit) {
    return sql(PUBLISHED.zones).all(after, limit)
  },
  async zonesChangedSince(at, limit) {
    return sql(PUBLISHED.zonesChangedSince).all(at, limit)
  },
})

/** The rows of one name. */
function stateFrom(rows: readonly RowOf<typeof STATE>[]): StoredState | undefined {
  const [row] = rows
  if (row === undefined) return undefined
  const { offline_settings: offline } = row
  const records: StoredState['records'][number][] = []
  for (const { dns_type: dnsType, ttl, value } of rows)
    if (dnsType !== null && ttl !== null && value !== null)
      records.push({ dnsType: dnsType as DnsType, ttl, value })
  return {
    isOffline: isOn(row.is_offline),
    isBlocked: isOn(row.is_blocked),
    ...optional('offlineSettings', offline === null ? null : (JSON.parse(offline) as OfflineSettings)),
    records,
  }
}

const records = (sql: Sql): Pick<PublishedReads, 'publishedAt' | 'hasPublishedBelow' | 'publishedAfter'> => ({
  async publishedAt(zoneId, owner) {
    return sql(PUBLISHED.recordsAt).all(zoneId, owner)
  },
  async hasPublishedBelow(zoneId, owner) {
    // The apex is the empty text, and everything is beneath it.
    const [from, to] = owner === '' ? ['', '\u007f'] : [`${owner}\u0001`, `${owner}\u0002`]
    return (await sql(PUBLISHED.recordBelow).get(zoneId, from, to)) !== undefined
  },
  async publishedAfter(zoneId, after, limit) {
    const rows =
      after === undefined
        ? await sql(PUBLISHED.firstPage).all(zoneId, limit)
        : await sql(PUBLISHED.nextPage).all(zoneId, after.owner, after.type, after.rdata, limit)
    return rows.map(({ owner, type, ttl, hex }) => ({ owner, type, ttl, rdata: Buffer.from(hex, 'hex') }))
  },
})

const journal = (
  sql: Sql,
): Pick<PublishedReads, 'hasDirtyNames' | 'hasDirtyNamesAmong' | 'stepNumber' | 'stepsSize' | 'steps'> => ({
  async hasDirtyNames() {
    return (await sql(PUBLISHED.dirtyName).get()) !== undefined
  },
  async hasDirtyNamesAmong(zoneId, names) {
    return (await sql(PUBLISHED.dirtyAmong).get(zoneId, asList(names))) !== undefined
  },
  async stepNumber(zoneId, serial) {
    return (await sql(PUBLISHED.firstStep).get(zoneId, serial))?.n ?? undefined
  },
  async stepsSize(zoneId, n) {
    return existing(await sql(PUBLISHED.stepsSize).get(zoneId, n)).size
  },
  async steps(zoneId, n, limit) {
    const rows = await sql(PUBLISHED.steps).all(zoneId, n, limit)
    return rows.map(({ serial_from: from, serial_to: to, gone, come }) => ({ from, to, gone, come }))
  },
})

/** Steps of one zone. A name server that is further behind fetches the whole zone. */
const MAX_STEPS = 2000
/** Steps that one flush removes. */
const PRUNED = 100

/** The writes of a flush, in SQL. */
export const sqlPublish = (sql: Sql): Omit<PublishWrites, 'databaseIdentity'> => ({
  ...sqlPublishedReads(sql),
  ...sqlDirtyNames(sql),
  ...settings(sql),
  ...sqlSerials(sql),
  async storedStates(zoneId, names) {
    const byName = groupedBy(await sql(PUBLISHED.states).all(zoneId, asList(names)), ({ name }) => name)
    return (name) => stateFrom(byName.get(name) ?? [])
  },
  async publishedOf(zoneId, owners) {
    return groupedBy(await sql(PUBLISHED.recordsOf).all(zoneId, asList(owners)), ({ owner }) => owner)
  },
  async flushedZone(id) {
    const row = await sql(PUBLISHED.flushed).get(id)
    return (
      row && { id: row.id, apex: row.apex, serial: row.serial, size: row.size, isDraft: isOn(row.is_draft) }
    )
  },
  async growDraft(id, growth) {
    await sql('UPDATE dns_zone SET size = size + ? WHERE id = ?').run(growth, id)
  },
  async replacePublished(zoneId, { gone, come }) {
    const remove = sql('DELETE FROM dns_rr WHERE zone_id = ? AND owner = ? AND type = ? AND rdata = ?')
    await Promise.all(gone.map(async ({ owner, type, rdata }) => remove.run(zoneId, owner, type, rdata)))
    const add = sql(`INSERT INTO dns_rr VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (zone_id, owner, type, rdata) DO UPDATE SET ttl = excluded.ttl`)
    await Promise.all(
      come.map(async ({ owner, type, rdata, ttl }) => add.run(zoneId, owner, type, rdata, ttl)),
    )
  },
  async addStep(zoneId, { from, to, gone, come, growth }, now) {
    await sql(`INSERT INTO dns_journal VALUES
      (?1, (SELECT coalesce(max(n), 0) + 1 FROM dns_journal WHERE zone_id = ?1), ?2, ?3, ?4, ?5, ?6)`).run(
      zoneId,
      from,
      to,
      gone,
      come,
      now,
    )
    await sql('UPDATE dns_zone SET serial = ?, size = size + ? WHERE id = ?').run(to, growth, zoneId)
  },
  async pruneJournal(zoneId, before) {
    await sql(
      `DELETE FROM dns_journal WHERE (zone_id, n) IN
        (SELECT zone_id, n FROM dns_journal WHERE at < ? LIMIT ${PRUNED})`,
    ).run(before)
    await sql(`DELETE FROM dns_journal WHERE zone_id = ?1
      AND n <= (SELECT max(n) FROM dns_journal WHERE zone_id = ?1) - ${MAX_STEPS}`).run(zoneId)
  },
})

const DIRTY = {
  apexes: `SELECT id, '@' FROM zone WHERE TRUE`,
  redirects: `SELECT zone_id, name FROM name JOIN rrset ON name_id = name.id WHERE dns_type = '_URL'
    UNION SELECT zone_id, name FROM name WHERE is_offline = 1`,
  soas: `SELECT id, '' FROM dns_zone WHERE TRUE`,
} as const

const settings = (sql: Sql): Pick<PublishWrites, 'setDirty' | 'setApexNameservers'> => ({
  async setDirty(what) {
    await sql(`INSERT INTO dns_dirty ${DIRTY[what]} ON CONFLICT DO NOTHING`).run()
  },
  async setApexNameservers(nameservers, now) {
    const values = JSON.stringify(nameservers.map((name) => `${name}.`))
    const apexNs = `SELECT rrset.id FROM rrset JOIN name ON name.id = name_id
      WHERE name.name = '@' AND dns_type = 'NS' AND is_system = 1`
    await sql(`INSERT INTO rrset (name_id, dns_type, ttl, is_system, created_at, updated_at)
      SELECT id, 'NS', 86400, 1, ?1, ?1 FROM name WHERE name = '@' ON CONFLICT DO NOTHING`).run(now)
    await sql(`DELETE FROM rdata WHERE rrset_id IN (${apexNs})`).run()
    await sql(`INSERT INTO rdata (rrset_id, label, value, is_system, created_at, updated_at)
      SELECT ns.id, '_ns' || (key + 1), value, 1, ?2, ?2 FROM (${apexNs}) AS ns CROSS JOIN json_each(?1)`).run(
      values,
      now,
    )
  },
})
