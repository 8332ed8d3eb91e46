import type { Instant } from '../../base/time.ts'
import { fqdnOf, reversed } from '../model/dns-name.ts'
import type { Metadata, Name, Rdata, RRSet } from '../model/tree.ts'
import type { RecordWrites } from './records.ts'
import { sqliteRecords } from './sqlite-records.ts'
import { HASH_KEY_NUMBER, type Sql } from './sqlite-values.ts'

/** The writes of the management API in SQL. They run inside the transaction of the caller. */
export const sqliteRecordChanges = (sql: Sql): RecordWrites => ({
  ...sqliteRecords(sql),
  async saveName(name, now) {
    const id = name.id ?? insertName(sql, name)
    sql('UPDATE name SET is_offline = ?, offline_settings = ?, key_id = ?, updated_at = ? WHERE id = ?').run(
      name.isOffline ? 1 : 0,
      name.offlineSettings === undefined ? null : JSON.stringify(name.offlineSettings),
      keyIdOf(sql, name.updateGroup),
      now,
      id,
    )
    saveMetadata(sql, { of: 'name', id }, name.metadata)
    const rrsetIds = name.rrsets.map((rrset) => saveRRSet(sql, rrset, { nameId: id, now }))
    sql(`DELETE FROM rrset WHERE name_id = ? AND id NOT IN (SELECT value FROM json_each(?))`).run(
      id,
      JSON.stringify(rrsetIds),
    )
    touchZone(sql, name.zoneId, now)
  },
  async removeName(name, now) {
    sql('DELETE FROM name WHERE id = ?').run(name.id ?? 0)
    touchZone(sql, name.zoneId, now)
  },
  async setZoneMetadata(zoneId, metadata) {
    saveMetadata(sql, { of: 'zone', id: zoneId }, metadata)
  },
  async removeZone(zoneId) {
    sql('DELETE FROM zone WHERE id = ?').run(zoneId)
  },
  async changeKey(keyId, { description, hash }) {
    if (description !== undefined)
      sql('UPDATE ddns_key SET description = ? WHERE id = ?').run(description, keyId)
    if (hash !== undefined)
      sql(`UPDATE ddns_key SET password_hash = ?, hash_key = ${HASH_KEY_NUMBER} WHERE id = ?`).run(
        hash,
        keyId,
      )
  },
  async removeKey(keyId) {
    sql('DELETE FROM ddns_key WHERE id = ?').run(keyId)
    sql('DELETE FROM usage WHERE subject = ?').run(`key:${keyId}`)
    sql('DELETE FROM nochg WHERE subject = ?').run(`key:${keyId}`)
  },
  async setTargets(keyId, nameIds) {
    if (nameIds.length === 0) sql('UPDATE rdata SET key_id = NULL WHERE key_id = ?').run(keyId)
    const ids = JSON.stringify(nameIds)
    sql('UPDATE name SET key_id = NULL WHERE key_id = ? AND id NOT IN (SELECT value FROM json_each(?))').run(
      keyId,
      ids,
    )
    sql('UPDATE name SET key_id = ? WHERE id IN (SELECT value FROM json_each(?))').run(keyId, ids)
  },
})

/** The serial is raised when the change is published. */
export const touchZone = (sql: Sql, zoneId: number, now: Instant): void =>
  void sql('UPDATE zone SET updated_at = ? WHERE id = ?').run(now, zoneId)

function insertName(sql: Sql, { zoneId, accountId, name, isImplicit, createdAt }: Name): number {
  const zone = String(sql('SELECT name FROM zone WHERE id = ?').get(zoneId)?.['name'])
  const fqdn = fqdnOf(name, zone)
  const { lastInsertRowid } = sql(
    'INSERT INTO name (zone_id, account_id, name, fqdn, labels_reversed, is_implicit, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(zoneId, accountId, name, fqdn, reversed(fqdn), isImplicit === true ? 1 : 0, createdAt, createdAt)
  return Number(lastInsertRowid)
}

function keyIdOf(sql: Sql, username: string | undefined): number | null {
  if (username === undefined) return null
  const id = sql('SELECT id FROM ddns_key WHERE username = ?').get(username)?.['id']
  return typeof id === 'number' ? id : null
}

interface MetadataOwner {
  readonly of: 'zone' | 'name' | 'rrset'
  readonly id: number
}

function saveMetadata(sql: Sql, { of, id }: MetadataOwner, metadata: Metadata): void {
  sql(`DELETE FROM ${of}_metadata WHERE ${of}_id = ? AND key NOT IN (SELECT value FROM json_each(?))`).run(
    id,
    JSON.stringify(Object.keys(metadata)),
  )
  for (const [key, value] of Object.entries(metadata))
    sql(
      `INSERT INTO ${of}_metadata (${of}_id, key, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value`,
    ).run(id, key, value)
}

function saveRRSet(
  sql: Sql,
  rrset: RRSet,
  { nameId, now }: { readonly nameId: number; readonly now: Instant },
): number {
  sql(
    `INSERT INTO rrset (name_id, dns_type, ttl, is_system, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (name_id, dns_type) DO UPDATE SET ttl = excluded.ttl, updated_at = excluded.updated_at`,
  ).run(nameId, rrset.dnsType, rrset.ttl, rrset.isSystem ? 1 : 0, rrset.createdAt, rrset.updatedAt)
  const id = Number(
    sql('SELECT id FROM rrset WHERE name_id = ? AND dns_type = ?').get(nameId, rrset.dnsType)?.['id'],
  )
  saveMetadata(sql, { of: 'rrset', id }, rrset.metadata)
  sql('DELETE FROM rdata WHERE rrset_id = ? AND lower(label) NOT IN (SELECT value FROM json_each(?))').run(
    id,
    JSON.stringify(rrset.rdata.map(({ label }) => label.toLowerCase())),
  )
  for (const one of rrset.rdata) saveRdata(sql, one, { rrsetId: id, now })
  return id
}

const saveRdata = (
  sql: Sql,
  { label, value, updateGroup, isSystem }: Rdata,
  { rrsetId, now }: { readonly rrsetId: number; readonly now: Instant },
): void =>
  void sql(
    `INSERT INTO rdata (rrset_id, label, value, key_id, is_system, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (rrset_id, label) DO UPDATE SET value = excluded.value, key_id = excluded.key_id, updated_at = excluded.updated_at
     WHERE value <> excluded.value OR key_id IS NOT excluded.key_id`,
  ).run(rrsetId, label, value, keyIdOf(sql, updateGroup), isSystem ? 1 : 0, now, now)
