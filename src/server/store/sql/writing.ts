import type { Instant } from '../../../base/time.ts'
import { fqdnOf, reversed } from '../../model/dns-name.ts'
import type { CounterWrites } from '../counter-rows.ts'
import { sqlPolicy } from './policy.ts'
import { sqlPublish } from './published.ts'
import { sqlReading } from './reading.ts'
import { touchZone, sqlRecordChanges } from './record-changes.ts'
import { textValue } from '../values.ts'
import { HASH_KEY_NUMBER, idOf, type Sql } from './statement.ts'
import type { StoreWrites } from '../store.ts'

/** The writes of the store in SQL. They run inside the transaction of the caller. */
export function sqlWriting(sql: Sql): Omit<StoreWrites, keyof CounterWrites> {
  return {
    ...sqlReading(sql),
    ...records(sql),
    ...accounts(sql),
    ...operatorChanges(sql),
    ...creation(sql),
    ...sqlRecordChanges(sql),
    ...sqlPolicy(sql),
    ...sqlPublish(sql),
  }
}

type Part<K extends keyof StoreWrites> = Pick<StoreWrites, K>

/** As in the column. */
const DEFAULT_MAX_KEYS = 1000

/** Generated labels start with an underscore. */
const AUTO_LABEL = '_1'

const records = (sql: Sql): Part<'setOffline' | 'setSingleValue' | 'setValue' | 'touchZone'> => ({
  async setOffline({ nameId }, isOffline, now) {
    await sql('UPDATE name SET is_offline = ?, updated_at = ? WHERE id = ?').run(
      isOffline ? 1 : 0,
      now,
      nameId,
    )
  },
  async setSingleValue({ nameId }, { dnsType, value }, now) {
    await sql(`INSERT INTO rrset (name_id, dns_type, ttl, created_at, updated_at)
      SELECT ?, ?, zone.default_ttl, ?, ? FROM name JOIN zone ON zone.id = zone_id WHERE name.id = ?
      ON CONFLICT (name_id, dns_type) DO UPDATE SET updated_at = excluded.updated_at`).run(
      nameId,
      dnsType,
      now,
      now,
      nameId,
    )
    const rrset =
      (await sql('SELECT id FROM rrset WHERE name_id = ? AND dns_type = ?').get(nameId, dnsType))?.['id'] ??
      null
    const existing =
      (await sql('SELECT id FROM rdata WHERE rrset_id = ? ORDER BY id LIMIT 1').get(rrset))?.['id'] ?? null
    if (existing === null) {
      await sql(
        'INSERT INTO rdata (rrset_id, label, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
      ).run(rrset, AUTO_LABEL, value, now, now)
      return
    }
    await sql('DELETE FROM rdata WHERE rrset_id = ? AND id <> ?').run(rrset, existing)
    await sql('UPDATE rdata SET value = ?, updated_at = ? WHERE id = ?').run(value, now, existing)
  },
  async setValue(_, { rdataId, value }, now) {
    await sql('UPDATE rdata SET value = ?, updated_at = ? WHERE id = ?').run(value, now, rdataId)
  },
  touchZone: async (zoneId, now) => touchZone(sql, zoneId, now),
})

const accounts = (
  sql: Sql,
): Part<'setFact' | 'factOr' | 'addPlan' | 'addAccount' | 'addApiKey' | 'touchApiKey' | 'rehashApiKey'> => ({
  async setFact(name, value) {
    await sql(
      'INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ).run(name, value)
  },
  async factOr(name, value) {
    await sql('INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING').run(name, value)
    return textValue((await sql('SELECT value FROM fact WHERE name = ?').get(name))?.['value'])
  },
  async addPlan(plan) {
    const row = await sql(`INSERT INTO plan
      (name, max_names, max_rdata, max_name_metadata, max_rrset_metadata, min_ttl, has_offline, has_wildcards, max_keys)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`).get(
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
    return idOf(row)
  },
  async addAccount({ name, hash, planId }, now) {
    const insert = `INSERT INTO account (id, name, password_hash, plan_id, created_at)
      VALUES (${sql.newId('account')}, ?, ?, ?, ?) RETURNING id`
    return idOf(await sql(insert).get(name, hash, planId, now))
  },
  async touchApiKey(id, now) {
    await sql('UPDATE api_key SET last_used_at = ? WHERE id = ?').run(now, id)
  },
  async rehashApiKey(id, hash) {
    await sql(`UPDATE api_key SET hash = ?, hash_key = ${HASH_KEY_NUMBER} WHERE id = ?`).run(hash, id)
  },
  async addApiKey({ accountId, hash, description, scopes, expiresAt }, now) {
    const insert = `INSERT INTO api_key (id, account_id, hash, description, scopes, expires_at, created_at, hash_key)
      VALUES (${sql.newId('api_key')}, ?, ?, ?, ?, ?, ?, ${HASH_KEY_NUMBER}) RETURNING id`
    return idOf(await sql(insert).get(accountId, hash, description, scopes.join(' '), expiresAt ?? null, now))
  },
})

const operatorChanges = (sql: Sql): Part<'addOperatorChange' | 'removeOperatorChanges'> => ({
  async addOperatorChange({ at, operator, operation, subject }) {
    await sql('INSERT INTO operator_change (at, operator, operation, subject) VALUES (?, ?, ?, ?)').run(
      at,
      operator,
      operation,
      subject,
    )
  },
  async removeOperatorChanges(lastId) {
    await sql('DELETE FROM operator_change WHERE id <= ?').run(lastId)
  },
})

const creation = (sql: Sql): Part<'addZone' | 'addName' | 'addKey' | 'attach'> => ({
  async addZone({ accountId, name, isShared }, now) {
    const insert =
      'INSERT INTO zone (name, account_id, is_shared, created_at, updated_at) VALUES (?, ?, ?, ?, ?) RETURNING id'
    return idOf(await sql(insert).get(name, accountId, isShared ? 1 : 0, now, now))
  },
  async addName({ zoneId, accountId, name }, now) {
    const zone = String((await sql('SELECT name FROM zone WHERE id = ?').get(zoneId))?.['name'])
    const fqdn = fqdnOf(name, zone)
    const insert = `INSERT INTO name (zone_id, account_id, name, fqdn, labels_reversed, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`
    const nameId = idOf(await sql(insert).get(zoneId, accountId, name, fqdn, reversed(fqdn), now, now))
    return { nameId, zoneId, fqdn }
  },
  async addKey({ accountId, username, hash, description, groupLabel }, now: Instant) {
    const insert = `INSERT INTO ddns_key (id, account_id, username, password_hash, description, group_label, created_at, hash_key)
      VALUES (${sql.newId('ddns_key')}, ?, ?, ?, ?, ?, ?, ${HASH_KEY_NUMBER}) RETURNING id`
    return idOf(await sql(insert).get(accountId, username, hash, description, groupLabel ?? null, now))
  },
  async attach(keyId, { nameId, rdataId }) {
    if (rdataId === undefined) await sql('UPDATE name SET key_id = ? WHERE id = ?').run(keyId, nameId)
    else await sql('UPDATE rdata SET key_id = ? WHERE id = ?').run(keyId, rdataId)
  },
})
