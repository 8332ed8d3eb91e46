import type { Instant } from '../../base/time.ts'
import { fqdnOf, reversed } from '../model/dns-name.ts'
import type { CounterWrites } from './sqlite-counts.ts'
import { sqlitePolicy } from './sqlite-policy.ts'
import { sqlitePublish } from './sqlite-published.ts'
import { sqliteReading } from './sqlite-reading.ts'
import { touchZone, sqliteRecordChanges } from './sqlite-record-changes.ts'
import { HASH_KEY_NUMBER, newId, type Sql } from './sqlite-values.ts'
import type { StoreWrites } from './store.ts'

/** The writes of the store in SQL. They run inside the transaction of the caller. */
export function sqliteWriting(sql: Sql): Omit<StoreWrites, keyof CounterWrites> {
  return {
    ...sqliteReading(sql),
    ...records(sql),
    ...accounts(sql),
    ...operatorChanges(sql),
    ...creation(sql),
    ...sqliteRecordChanges(sql),
    ...sqlitePolicy(sql),
    ...sqlitePublish(sql),
  }
}

type Part<K extends keyof StoreWrites> = Pick<StoreWrites, K>

/** As in the column. */
const DEFAULT_MAX_KEYS = 1000

/** Generated labels start with an underscore. */
const AUTO_LABEL = '_1'

const records = (sql: Sql): Part<'setOffline' | 'setSingleValue' | 'setValue' | 'touchZone'> => ({
  async setOffline({ nameId }, isOffline, now) {
    sql('UPDATE name SET is_offline = ?, updated_at = ? WHERE id = ?').run(isOffline ? 1 : 0, now, nameId)
  },
  async setSingleValue({ nameId }, { dnsType, value }, now) {
    sql(`INSERT INTO rrset (name_id, dns_type, ttl, created_at, updated_at)
      SELECT ?, ?, zone.default_ttl, ?, ? FROM name JOIN zone ON zone.id = zone_id WHERE name.id = ?
      ON CONFLICT (name_id, dns_type) DO UPDATE SET updated_at = excluded.updated_at`).run(
      nameId,
      dnsType,
      now,
      now,
      nameId,
    )
    const rrset =
      sql('SELECT id FROM rrset WHERE name_id = ? AND dns_type = ?').get(nameId, dnsType)?.['id'] ?? null
    const existing =
      sql('SELECT id FROM rdata WHERE rrset_id = ? ORDER BY id LIMIT 1').get(rrset)?.['id'] ?? null
    if (existing === null) {
      sql('INSERT INTO rdata (rrset_id, label, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?)').run(
        rrset,
        AUTO_LABEL,
        value,
        now,
        now,
      )
      return
    }
    sql('DELETE FROM rdata WHERE rrset_id = ? AND id <> ?').run(rrset, existing)
    sql('UPDATE rdata SET value = ?, updated_at = ? WHERE id = ?').run(value, now, existing)
  },
  async setValue(_, { rdataId, value }, now) {
    sql('UPDATE rdata SET value = ?, updated_at = ? WHERE id = ?').run(value, now, rdataId)
  },
  async touchZone(zoneId, now) {
    touchZone(sql, zoneId, now)
  },
})

const accounts = (
  sql: Sql,
): Part<'setFact' | 'addPlan' | 'addAccount' | 'addApiKey' | 'touchApiKey' | 'rehashApiKey'> => ({
  async setFact(name, value) {
    sql('INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(
      name,
      value,
    )
  },
  async addPlan(plan) {
    const { lastInsertRowid } = sql(`INSERT INTO plan
      (name, max_names, max_rdata, max_name_metadata, max_rrset_metadata, min_ttl, has_offline, has_wildcards, max_keys)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      plan.name,
      plan.maxNames,
      plan.maxRdata,
      plan.maxNameMetadata,
      plan.maxRRSetMetadata,
      plan.minTtl,
      plan.hasOffline ? 1 : 0,
      plan.hasWildcards ? 1 : 0,
      plan.maxKeys ?? DEFAULT_MAX_KEYS,
    )
    return Number(lastInsertRowid)
  },
  async addAccount({ name, hash, planId }, now) {
    const insert = `INSERT INTO account (id, name, password_hash, plan_id, created_at)
      VALUES (${newId('account')}, ?, ?, ?, ?)`
    return Number(sql(insert).run(name, hash, planId, now).lastInsertRowid)
  },
  async touchApiKey(id, now) {
    sql('UPDATE api_key SET last_used_at = ? WHERE id = ?').run(now, id)
  },
  async rehashApiKey(id, hash) {
    sql(`UPDATE api_key SET hash = ?, hash_key = ${HASH_KEY_NUMBER} WHERE id = ?`).run(hash, id)
  },
  async addApiKey({ accountId, hash, description, scopes, expiresAt }, now) {
    const insert = `INSERT INTO api_key (id, account_id, hash, description, scopes, expires_at, created_at, hash_key)
      VALUES (${newId('api_key')}, ?, ?, ?, ?, ?, ?, ${HASH_KEY_NUMBER})`
    return Number(
      sql(insert).run(accountId, hash, description, scopes.join(' '), expiresAt ?? null, now).lastInsertRowid,
    )
  },
})

const operatorChanges = (sql: Sql): Part<'addOperatorChange' | 'removeOperatorChanges'> => ({
  async addOperatorChange({ at, operator, operation, subject }) {
    sql('INSERT INTO operator_change (at, operator, operation, subject) VALUES (?, ?, ?, ?)').run(
      at,
      operator,
      operation,
      subject,
    )
  },
  async removeOperatorChanges(lastId) {
    sql('DELETE FROM operator_change WHERE id <= ?').run(lastId)
  },
})

const creation = (sql: Sql): Part<'addZone' | 'addName' | 'addKey' | 'attach'> => ({
  async addZone({ accountId, name, isShared }, now) {
    const insert =
      'INSERT INTO zone (name, account_id, is_shared, created_at, updated_at) VALUES (?, ?, ?, ?, ?)'
    return Number(sql(insert).run(name, accountId, isShared ? 1 : 0, now, now).lastInsertRowid)
  },
  async addName({ zoneId, accountId, name }, now) {
    const zone = String(sql('SELECT name FROM zone WHERE id = ?').get(zoneId)?.['name'])
    const fqdn = fqdnOf(name, zone)
    const insert = `INSERT INTO name (zone_id, account_id, name, fqdn, labels_reversed, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)`
    const nameId = Number(
      sql(insert).run(zoneId, accountId, name, fqdn, reversed(fqdn), now, now).lastInsertRowid,
    )
    return { nameId, zoneId, fqdn }
  },
  async addKey({ accountId, username, hash, description, groupLabel }, now: Instant) {
    const insert = `INSERT INTO ddns_key (id, account_id, username, password_hash, description, group_label, created_at, hash_key)
      VALUES (${newId('ddns_key')}, ?, ?, ?, ?, ?, ?, ${HASH_KEY_NUMBER})`
    return Number(
      sql(insert).run(accountId, username, hash, description, groupLabel ?? null, now).lastInsertRowid,
    )
  },
  async attach(keyId, { nameId, rdataId }) {
    if (rdataId === undefined) sql('UPDATE name SET key_id = ? WHERE id = ?').run(keyId, nameId)
    else sql('UPDATE rdata SET key_id = ? WHERE id = ?').run(keyId, rdataId)
  },
})
