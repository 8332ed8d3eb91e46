import { sqlStates } from './states.ts'
import { fqdnOf, namesAbove, reversed } from '../../model/dns-name.ts'
import type { RecordReads, RecordWrites } from '../records.ts'
import { existing, insert, select, selects } from '../select.ts'
import { isInShownZone, isShown } from '../hidden.ts'
import { sqlAccounts } from './account/accounts.ts'
import { sqlApiKeys, sqlKeys } from './keys.ts'
import { namesBy, summariesBy } from './listing.ts'
import { asList, BENEATH, HASH_KEY_NUMBER, ids, type Sql } from './statement.ts'
import { sqlZones } from './zones.ts'
import type { Instant } from '../../../shared/base/time.ts'
import { type Metadata, type Name, type Rdata, type RRSet, rrsetOf } from '../../model/tree.ts'
import { NAMES, namesFrom, outlineFrom } from './name-rows.ts'
import { sqlPointers } from './dirty.ts'

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

type ReadsOf<K extends keyof RecordReads> = Pick<RecordReads, K>

const names = (
  sql: Sql,
): ReadsOf<
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

const around = (sql: Sql): ReadsOf<'neighboursOf' | 'hasOthersBeneath'> => ({
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

export const RECORD_CHANGES = selects({
  zoneName: select({ name: 'TEXT' }, 'SELECT name FROM zone WHERE id = ?'),
  keyId: select({ id: 'INTEGER' }, 'SELECT id FROM ddns_key WHERE username = ?'),
  rrsetId: select({ id: 'INTEGER' }, 'SELECT id FROM rrset WHERE name_id = ? AND dns_type = ?'),
  saveRRSet:
    insert(`INSERT INTO rrset (name_id, dns_type, ttl, is_system, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (name_id, dns_type) DO UPDATE SET ttl = excluded.ttl, updated_at = excluded.updated_at`),
  addName:
    insert(`INSERT INTO name (zone_id, account_id, name, fqdn, labels_reversed, is_implicit, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
})

/** The writes of the management API in SQL. They run inside the transaction of the caller. */
export const sqlRecordChanges = (sql: Sql): Omit<RecordWrites, 'removeZone'> => ({
  ...sqlRecords(sql),
  async saveName(name, now, before) {
    const id = name.id ?? (await insertName(sql, name)).id
    await sql(
      'UPDATE name SET is_offline = ?, offline_settings = ?, key_id = ?, updated_at = ? WHERE id = ?',
    ).run(
      name.isOffline ? 1 : 0,
      name.offlineSettings === undefined ? null : JSON.stringify(name.offlineSettings),
      await keyIdOf(sql, name.updateGroup),
      now,
      id,
    )
    if (!isSame(before?.metadata, name.metadata)) await saveMetadata(sql, { of: 'name', id }, name.metadata)
    for (const rrset of name.rrsets) {
      const stored = before === undefined ? undefined : rrsetOf(before, rrset.dnsType)
      if (!isSame(stored, rrset)) await saveRRSet(sql, rrset, { nameId: id, now, stored })
    }
    const types = name.rrsets.map(({ dnsType }) => dnsType)
    if (before === undefined || before.rrsets.some(({ dnsType }) => !types.includes(dnsType)))
      await sql(
        'DELETE FROM rrset WHERE name_id = ? AND dns_type NOT IN (SELECT value FROM json_each(?))',
      ).run(id, asList(types))
    await touchZone(sql, name.zoneId, now)
  },
  renameName: async (name, to, now) => rename(sql, { name, to, now }),
  async removeName(name, now) {
    await sql('DELETE FROM name WHERE id = ?').run(name.id ?? 0)
    await touchZone(sql, name.zoneId, now)
  },
  async setZoneMetadata(zoneId, metadata) {
    await saveMetadata(sql, { of: 'zone', id: zoneId }, metadata)
  },
  async changeKey(keyId, { description, hash }) {
    if (description !== undefined)
      await sql('UPDATE ddns_key SET description = ? WHERE id = ?').run(description, keyId)
    if (hash !== undefined)
      await sql(`UPDATE ddns_key SET password_hash = ?, hash_key = ${HASH_KEY_NUMBER} WHERE id = ?`).run(
        hash,
        keyId,
      )
  },
  async removeKey(keyId) {
    await sql('DELETE FROM ddns_key WHERE id = ?').run(keyId)
    await sql('DELETE FROM usage WHERE subject = ?').run(`key:${keyId}`)
    await sql('DELETE FROM nochg WHERE subject = ?').run(`key:${keyId}`)
  },
  async setTargets(keyId, nameIds) {
    await noteTargets(sql, keyId)
    if (nameIds.length === 0) await sql('UPDATE rdata SET key_id = NULL WHERE key_id = ?').run(keyId)
    const all = asList(nameIds)
    await sql(`UPDATE name SET key_id = NULL WHERE key_id = ? AND id NOT IN ${ids()}`).run(keyId, all)
    await sql(`UPDATE name SET key_id = ? WHERE id IN ${ids()}`).run(keyId, all)
    await noteChange(sql, nameIds)
  },
})

interface Renaming {
  readonly name: Name
  readonly to: string
  readonly now: Instant
}

async function rename(sql: Sql, { name: { id = 0, zoneId, name }, to, now }: Renaming): Promise<void> {
  const zone = existing(await sql(RECORD_CHANGES.zoneName).get(zoneId))
  const fqdn = fqdnOf(to, zone.name)
  await sql('UPDATE name SET name = ?, fqdn = ?, labels_reversed = ?, updated_at = ? WHERE id = ?').run(
    to,
    fqdn,
    reversed(fqdn),
    now,
    id,
  )
  // No trigger sees a new spelling. One flush takes both; in this order, as all statements that mark several names.
  for (const one of [name, to].toSorted())
    await sql('INSERT INTO dns_dirty VALUES (?, ?) ON CONFLICT DO NOTHING').run(zoneId, one)
  await touchZone(sql, zoneId, now)
}

/** The serial is raised when the change is published. */
export async function touchZone(sql: Sql, zoneId: number, now: Instant): Promise<void> {
  await sql('UPDATE zone SET updated_at = ? WHERE id = ?').run(now, zoneId)
}

/**
 * The zones of these names have changed, in what is not published: an import that has read them before is refused. So small
 * a step, because the moment is not known here.
 */
export async function noteChange(sql: Sql, nameIds: readonly number[]): Promise<void> {
  await sql(`UPDATE zone SET updated_at = updated_at + 1
    WHERE id IN (SELECT zone_id FROM name WHERE name.id IN ${ids()})`).run(asList(nameIds))
}

/** The same, of the names that a key may update; also those that it loses are no longer as an import has read them. */
async function noteTargets(sql: Sql, keyId: number): Promise<void> {
  await sql(`UPDATE zone SET updated_at = updated_at + 1 WHERE id IN (SELECT zone_id FROM name WHERE key_id = ?1
    UNION SELECT zone_id FROM name JOIN rrset ON rrset.name_id = name.id JOIN rdata ON rdata.rrset_id = rrset.id
      WHERE rdata.key_id = ?1)`).run(keyId)
}

/** Resolves with the id and the whole name. */
export async function insertName(
  sql: Sql,
  { zoneId, accountId, name, isImplicit, createdAt }: NewName,
): Promise<{ readonly id: number; readonly fqdn: string }> {
  const zone = existing(await sql(RECORD_CHANGES.zoneName).get(zoneId))
  const fqdn = fqdnOf(name, zone.name)
  const values = [zoneId, accountId, name, fqdn, reversed(fqdn), isImplicit === true ? 1 : 0]
  const { id } = existing(await sql(RECORD_CHANGES.addName).get(...values, createdAt, createdAt))
  return { id, fqdn }
}

type NewName = Pick<Name, 'zoneId' | 'accountId' | 'name' | 'isImplicit' | 'createdAt'>

async function keyIdOf(sql: Sql, username: string | undefined): Promise<number | null> {
  if (username === undefined) return null
  return (await sql(RECORD_CHANGES.keyId).get(username))?.id ?? null
}

interface MetadataOwner {
  readonly of: 'zone' | 'name' | 'rrset'
  readonly id: number
}

async function saveMetadata(sql: Sql, { of, id }: MetadataOwner, metadata: Metadata): Promise<void> {
  await sql(
    `DELETE FROM ${of}_metadata WHERE ${of}_id = ? AND key NOT IN (SELECT value FROM json_each(?))`,
  ).run(id, JSON.stringify(Object.keys(metadata)))
  for (const [key, value] of Object.entries(metadata))
    await sql(
      `INSERT INTO ${of}_metadata (${of}_id, key, value) VALUES (?, ?, ?)
       ON CONFLICT (${of}_id, key) DO UPDATE SET value = excluded.value`,
    ).run(id, key, value)
}

/** Whether a stored value is this one: then nothing is written. */
const isSame = (stored: object | undefined, next: object): boolean =>
  stored !== undefined && JSON.stringify(stored) === JSON.stringify(next)

interface Saved {
  readonly nameId: number
  readonly now: Instant
  /** The RRSet as it is in the store, as far as that is known. */
  readonly stored: RRSet | undefined
}

async function saveRRSet(sql: Sql, rrset: RRSet, { nameId, now, stored }: Saved): Promise<void> {
  const values = [nameId, rrset.dnsType, rrset.ttl, rrset.isSystem ? 1 : 0, rrset.createdAt, rrset.updatedAt]
  const { id } = existing(await sql(RECORD_CHANGES.saveRRSet).get(...values))
  if (!isSame(stored?.metadata, rrset.metadata)) await saveMetadata(sql, { of: 'rrset', id }, rrset.metadata)
  const labels = rrset.rdata.map(({ label }) => label.toLowerCase())
  if (stored === undefined || stored.rdata.some(({ label }) => !labels.includes(label.toLowerCase())))
    await sql(
      'DELETE FROM rdata WHERE rrset_id = ? AND lower(label) NOT IN (SELECT value FROM json_each(?))',
    ).run(id, asList(labels))
  for (const one of rrset.rdata) await saveRdata(sql, one, { rrsetId: id, now })
}

async function saveRdata(
  sql: Sql,
  { label, value, updateGroup, isSystem }: Rdata,
  { rrsetId, now }: { readonly rrsetId: number; readonly now: Instant },
): Promise<void> {
  await sql(
    `INSERT INTO rdata (rrset_id, label, value, key_id, is_system, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (rrset_id, label) DO UPDATE SET value = excluded.value, key_id = excluded.key_id,
       updated_at = excluded.updated_at
     WHERE rdata.value <> excluded.value OR rdata.key_id IS DISTINCT FROM excluded.key_id`,
  ).run(rrsetId, label, value, await keyIdOf(sql, updateGroup), isSystem ? 1 : 0, now, now)
}
