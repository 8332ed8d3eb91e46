import { instant } from '../../../base/time.ts'
import type { DnsType } from '../../model/rdata-values.ts'
import type { OfflineSettings } from '../../model/tree.ts'
import type { PublishedReads, PublishedZone, PublishWrites, StoredState } from '../published.ts'
import { IS_FLUSHED, sqlDirtyNames } from './dirty.ts'
import { isOn, number, optional, type Row, textValue, type Value } from '../values.ts'
import { asList, type Sql } from './statement.ts'

const bytes = (value: Value): Uint8Array => (value instanceof Uint8Array ? value : new Uint8Array())

const zoneFrom = (row: Row): PublishedZone => ({
  id: number(row['id']),
  apex: textValue(row['apex']),
  serial: number(row['serial']),
  size: number(row['size']),
})

const recordFrom = (row: Row) => ({
  type: number(row['type']),
  ttl: number(row['ttl']),
  rdata: bytes(row['rdata']),
})

/** The reads of what is published, in SQL. */
export const sqlPublishedReads = (sql: Sql): PublishedReads => ({
  ...journal(sql),
  ...records(sql),
  async storedState(zoneId, name) {
    return stateFrom(await sql(`${STATE} AND name.name = ? ORDER BY rdata.id`).all(zoneId, name))
  },
  async publishedZone(apex) {
    const row = await sql('SELECT * FROM dns_zone WHERE apex = ?').get(apex)
    return row === undefined ? undefined : zoneFrom(row)
  },
  async publishedZones(after, limit) {
    return (await sql('SELECT * FROM dns_zone WHERE id > ? ORDER BY id LIMIT +?').all(after, limit)).map(
      zoneFrom,
    )
  },
  async zonesChangedSince(at, limit) {
    return (
      await sql(`SELECT dns_zone.* FROM dns_zone JOIN dns_journal ON zone_id = id WHERE at >= ?
      GROUP BY id ORDER BY max(at) DESC LIMIT +?`).all(at, limit)
    ).map(zoneFrom)
  },
})

/** The rows of one name. */
function stateFrom(rows: readonly Row[]): StoredState | undefined {
  const [row] = rows
  if (row === undefined) return undefined
  const offline = row['offline_settings']
  return {
    isOffline: isOn(row['is_offline']),
    isBlocked: isOn(row['is_blocked']),
    ...optional(
      'offlineSettings',
      typeof offline === 'string' ? (JSON.parse(offline) as OfflineSettings) : undefined,
    ),
    records: rows
      .filter(({ value }) => value !== null)
      .map((one) => ({
        dnsType: textValue(one['dns_type']) as DnsType,
        ttl: number(one['ttl']),
        value: textValue(one['value']),
      })),
  }
}

/** Rows by the text in one of their columns. */
function grouped<T>(
  rows: readonly Row[],
  column: string,
  of: (row: Row) => T,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const key = textValue(row[column])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [of(row)])
    else group.push(of(row))
  }
  return groups
}

const records = (sql: Sql): Pick<PublishedReads, 'publishedAt' | 'hasPublishedBelow' | 'publishedAfter'> => ({
  async publishedAt(zoneId, owner) {
    return (
      await sql('SELECT type, ttl, rdata FROM dns_rr WHERE zone_id = ? AND owner = ?').all(zoneId, owner)
    ).map(recordFrom)
  },
  async hasPublishedBelow(zoneId, owner) {
    // The apex is the empty text, and everything is beneath it.
    const [from, to] = owner === '' ? ['', '\u007f'] : [`${owner}\u0001`, `${owner}\u0002`]
    const rows = sql('SELECT 1 AS found FROM dns_rr WHERE zone_id = ? AND owner > ? AND owner < ? LIMIT 1')
    return (await rows.get(zoneId, from, to)) !== undefined
  },
  async publishedAfter(zoneId, after, limit) {
    const rows =
      after === undefined
        ? await sql(`${PAGE} WHERE zone_id = ? ORDER BY owner, type, rdata LIMIT +?`).all(zoneId, limit)
        : await sql(`${PAGE} WHERE zone_id = ?1 AND (owner, type, rdata) > (?2, ?3, ?4)
            ORDER BY owner, type, rdata LIMIT +?5`).all(zoneId, after.owner, after.type, after.rdata, limit)
    return rows.map((row) => ({
      owner: textValue(row['owner']),
      type: number(row['type']),
      ttl: number(row['ttl']),
      rdata: Buffer.from(textValue(row['hex']), 'hex'),
    }))
  },
})

/** Of a whole zone. RDATA as text: a BLOB is a buffer of its own outside V8's heap, which takes a tenth longer. */
const PAGE = 'SELECT owner, type, ttl, hex(rdata) AS hex FROM dns_rr'

const journal = (sql: Sql): Pick<PublishedReads, 'hasDirtyNames' | 'stepNumber' | 'stepsSize' | 'steps'> => ({
  async hasDirtyNames() {
    return (await sql(`SELECT 1 AS found FROM dns_dirty WHERE ${IS_FLUSHED} LIMIT 1`).get()) !== undefined
  },
  async stepNumber(zoneId, serial) {
    const n = (await sql(FIRST_STEP).get(zoneId, serial))?.['n']
    return typeof n === 'number' ? n : undefined
  },
  async stepsSize(zoneId, n) {
    const row = sql(
      'SELECT sum(length(gone) + length(come)) AS size FROM dns_journal WHERE zone_id = ? AND n >= ?',
    )
    return number((await row.get(zoneId, n))?.['size'] ?? 0)
  },
  async steps(zoneId, n, limit) {
    const rows = sql('SELECT * FROM dns_journal WHERE zone_id = ? AND n >= ? ORDER BY n LIMIT +?')
    return (await rows.all(zoneId, n, limit)).map((row) => ({
      from: number(row['serial_from']),
      to: number(row['serial_to']),
      gone: bytes(row['gone']),
      come: bytes(row['come']),
    }))
  },
})

/** After a correction of the clock, a step in the middle can be the oldest and be removed first: steps before it cannot be used. */
const FIRST_STEP = `WITH first AS (SELECT max(n) AS n FROM dns_journal WHERE zone_id = ?1 AND serial_from = ?2)
  SELECT n FROM first WHERE NOT EXISTS (
    SELECT 1 FROM dns_journal AS step WHERE zone_id = ?1 AND n >= first.n AND serial_to IS DISTINCT FROM coalesce(
      (SELECT serial_from FROM dns_journal WHERE zone_id = ?1 AND n = step.n + 1),
      (SELECT serial FROM dns_zone WHERE id = ?1 AND NOT EXISTS (
        SELECT 1 FROM dns_journal WHERE zone_id = ?1 AND n > step.n))))`

/** Steps of one zone. A name server that is further behind fetches the whole zone. */
const MAX_STEPS = 2000
/** By the shortest pause between two flushes. */
const MAX_FLUSHES_PER_SECOND = 50
/** Steps that one flush removes. */
const PRUNED = 100

const STATE = `SELECT name.name, is_offline, is_blocked, offline_settings, dns_type, ttl, value FROM name
  LEFT JOIN rrset ON rrset.name_id = name.id LEFT JOIN rdata ON rdata.rrset_id = rrset.id
  WHERE zone_id = ?`

/** The writes of a flush, in SQL. */
export const sqlPublish = (sql: Sql): PublishWrites => ({
  ...sqlPublishedReads(sql),
  ...sqlDirtyNames(sql),
  ...settings(sql),
  ...serials(sql),
  async storedStates(zoneId, names) {
    const rows = sql(`${STATE} AND name.name IN (SELECT value FROM json_each(?)) ORDER BY rdata.id`)
    const byName = grouped(await rows.all(zoneId, asList(names)), 'name', (row) => row)
    return (name) => stateFrom(byName.get(name) ?? [])
  },
  async publishedOf(zoneId, owners) {
    const rows = sql(`SELECT owner, type, ttl, rdata FROM dns_rr
      WHERE zone_id = ? AND owner IN (SELECT value FROM json_each(?))`)
    return grouped(await rows.all(zoneId, asList(owners)), 'owner', recordFrom)
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

const serials = (sql: Sql): Pick<PublishWrites, 'raiseSerialsAfter' | 'raiseSerial'> => ({
  async raiseSerialsAfter(now) {
    const last = await sql(
      `SELECT max(at) AS at FROM (SELECT max(at) AS at FROM dns_journal
        UNION ALL SELECT coalesce(max(updated_at), ?) FROM zone) AS last`,
    ).get(now)
    const seconds = Math.max(0, (now - number(last?.['at'] ?? now)) / 1000)
    // RFC 1982 §3.2: a serial is higher only within half of all numbers.
    const raise = Math.min(Math.ceil(seconds * MAX_FLUSHES_PER_SECOND) + 1, 2 ** 31 - 1)
    await sql('UPDATE dns_zone SET serial = (serial + ?) & 4294967295').run(raise)
    await sql('DELETE FROM dns_journal').run()
    await sql(`INSERT INTO dns_dirty ${DIRTY.soas} ON CONFLICT DO NOTHING`).run()
  },
  async raiseSerial(zoneId, serial) {
    // By RFC 1982; a serial that is 2**31 away is neither newer nor older.
    const { changes } = await sql(`UPDATE dns_zone SET serial = ?1
      WHERE id = ?2 AND ((?1 - serial) & 4294967295) BETWEEN 1 AND 2147483648`).run(serial, zoneId)
    if (changes === 0) return
    await sql('DELETE FROM dns_journal WHERE zone_id = ?').run(zoneId)
    await sql(`INSERT INTO dns_dirty VALUES (?, '') ON CONFLICT DO NOTHING`).run(zoneId)
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
      SELECT id, 'NS', 86400, 1, ?1, ?1 FROM name WHERE name = '@' ON CONFLICT DO NOTHING`).run(instant(now))
    await sql(`DELETE FROM rdata WHERE rrset_id IN (${apexNs})`).run()
    await sql(`INSERT INTO rdata (rrset_id, label, value, is_system, created_at, updated_at)
      SELECT ns.id, '_ns' || (key + 1), value, 1, ?2, ?2 FROM (${apexNs}) AS ns CROSS JOIN json_each(?1)`).run(
      values,
      now,
    )
  },
})
