import { sqlEvents } from './account/events.ts'
import type { Instant } from '../../../shared/base/time.ts'
import type { CounterWrites } from '../counter-rows.ts'
import { sqlBulk } from './bulk.ts'
import { sqlPolicy } from './policy.ts'
import { sqlTrail } from './account/trail.ts'
import { sqlCodes } from './account/one-time-codes.ts'
import { sqlSanctions } from './account/sanctions.ts'
import { sqlFactors } from './account/second-factors.ts'
import { sqlSessions } from './account/sessions.ts'
import { sqlTsigKeys } from './account/tsig-keys.ts'
import { sqlPublish } from './published.ts'
import { insertName, noteChange, RECORD_CHANGES, touchZone, sqlRecordChanges } from './records.ts'
import { READING, sqlReading } from './reading.ts'
import { existing, insert, select, selects } from '../select.ts'
import { optional } from '../values.ts'
import { OPERATOR } from '../../model/trail.ts'
import { HASH_KEY_NUMBER, newId, type Sql } from './statement.ts'
import type { StoreWrites } from '../store.ts'

export const WRITING = selects({
  oldestRdata: select({ id: 'INTEGER' }, 'SELECT id FROM rdata WHERE rrset_id = ? ORDER BY id LIMIT 1'),
  addPlan: insert(`INSERT INTO plan
    (name, max_names, max_rdata, max_name_metadata, max_rrset_metadata, min_ttl, has_offline, has_wildcards, max_keys)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  addAccount: insert(`INSERT INTO account (id, name, password_hash, plan_id, created_at)
    VALUES (${newId('account')}, ?, ?, ?, ?)`),
  addApiKey:
    insert(`INSERT INTO api_key (id, account_id, hash, description, scopes, expires_at, created_at, hash_key)
    VALUES (${newId('api_key')}, ?, ?, ?, ?, ?, ?, ${HASH_KEY_NUMBER})`),
  addZone: insert(
    'INSERT INTO zone (name, account_id, is_shared, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  ),
  addKey: insert(`INSERT INTO ddns_key
    (id, account_id, username, password_hash, description, group_label, created_at, hash_key)
    VALUES (${newId('ddns_key')}, ?, ?, ?, ?, ?, ?, ${HASH_KEY_NUMBER})`),
})

/** The writes of the store in SQL. They run inside the transaction of the caller. */
export function sqlWriting(
  sql: Sql,
): Omit<StoreWrites, keyof CounterWrites | 'passBlock' | 'databaseIdentity'> {
  return {
    ...sqlReading(sql),
    ...records(sql),
    ...accounts(sql),
    ...operatorChanges(sql),
    ...creation(sql),
    ...sqlRecordChanges(sql),
    ...sqlPolicy(sql),
    ...sqlBulk(sql),
    ...sqlTrail(sql),
    ...sqlTsigKeys(sql),
    ...sqlSessions(sql),
    ...sqlCodes(sql),
    ...sqlEvents(sql),
    ...sqlFactors(sql),
    ...sqlSanctions(sql),
    ...sqlPublish(sql),
  }
}

type WritesOf<K extends keyof StoreWrites> = Pick<StoreWrites, K>

/** As in the column. */
const DEFAULT_MAX_KEYS = 1000

/** Generated labels start with an underscore. */
const AUTO_LABEL = '_1'

const records = (sql: Sql): WritesOf<'setOffline' | 'setSingleValue' | 'setValue' | 'touchZone'> => ({
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
    const { id: rrset } = existing(await sql(RECORD_CHANGES.rrsetId).get(nameId, dnsType))
    const kept = await sql(WRITING.oldestRdata).get(rrset)
    if (kept === undefined) {
      await sql(
        'INSERT INTO rdata (rrset_id, label, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
      ).run(rrset, AUTO_LABEL, value, now, now)
      return
    }
    await sql('DELETE FROM rdata WHERE rrset_id = ? AND id <> ?').run(rrset, kept.id)
    await sql('UPDATE rdata SET value = ?, updated_at = ? WHERE id = ?').run(value, now, kept.id)
  },
  async setValue(_, { rdataId, value }, now) {
    await sql('UPDATE rdata SET value = ?, updated_at = ? WHERE id = ?').run(value, now, rdataId)
  },
  touchZone: async (zoneId, now) => touchZone(sql, zoneId, now),
})

const accounts = (
  sql: Sql,
): WritesOf<
  | 'setFact'
  | 'removeFact'
  | 'factOr'
  | 'addPlan'
  | 'addAccount'
  | 'addApiKey'
  | 'touchApiKey'
  | 'changeApiKey'
  | 'rehashApiKey'
> => ({
  async setFact(name, value) {
    await sql(
      'INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ).run(name, value)
  },
  async removeFact(name) {
    await sql('DELETE FROM fact WHERE name = ?').run(name)
  },
  async factOr(name, value) {
    await sql('INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING').run(name, value)
    return existing(await sql(READING.fact).get(name)).value
  },
  async addPlan(plan) {
    const row = await sql(WRITING.addPlan).get(
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
    return existing(row).id
  },
  async addAccount({ name, hash, planId }, now) {
    return existing(await sql(WRITING.addAccount).get(name, hash, planId, now)).id
  },
  async touchApiKey(id, now) {
    await sql('UPDATE api_key SET last_used_at = ? WHERE id = ?').run(now, id)
  },
  async changeApiKey({ id, description, scopes, expiresAt }) {
    const change = 'UPDATE api_key SET description = ?, scopes = ?, expires_at = ? WHERE id = ?'
    await sql(change).run(description, scopes.join(' '), expiresAt ?? null, id)
  },
  async rehashApiKey(id, hash) {
    await sql(`UPDATE api_key SET hash = ?, hash_key = ${HASH_KEY_NUMBER} WHERE id = ?`).run(hash, id)
  },
  async addApiKey({ accountId, hash, description, scopes, expiresAt }, now) {
    const values = [accountId, hash, description, scopes.join(' '), expiresAt ?? null, now]
    return existing(await sql(WRITING.addApiKey).get(...values)).id
  },
})

const operatorChanges = (sql: Sql): WritesOf<'addOperatorChange' | 'removeOperatorChanges'> => ({
  async addOperatorChange({ at, operator, operation, subject, before, after }) {
    const entry = {
      at,
      accountId: OPERATOR,
      isUpdate: false,
      actor: `operator ${operator}`,
      peer: '',
      operation,
    }
    // What was changed, and how.
    const [changed = '', ...rest] = subject.split(' ')
    const to = after ?? (rest.length === 0 ? undefined : rest.join(' '))
    await sqlTrail(sql).addTrail([
      { ...entry, subject: changed, ...optional('before', before), ...optional('after', to) },
    ])
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

const creation = (sql: Sql): WritesOf<'addZone' | 'addName' | 'addKey' | 'attach'> => ({
  async addZone({ accountId, name, isShared }, now) {
    return existing(await sql(WRITING.addZone).get(name, accountId, isShared ? 1 : 0, now, now)).id
  },
  async addName({ zoneId, accountId, name }, now) {
    const { id: nameId, fqdn } = await insertName(sql, { zoneId, accountId, name, createdAt: now })
    return { nameId, zoneId, fqdn }
  },
  async addKey({ accountId, username, hash, description, groupLabel }, now: Instant) {
    const values = [accountId, username, hash, description, groupLabel ?? null, now]
    return existing(await sql(WRITING.addKey).get(...values)).id
  },
  async attach(keyId, { nameId, rdataId }) {
    if (rdataId === undefined) await sql('UPDATE name SET key_id = ? WHERE id = ?').run(keyId, nameId)
    else await sql('UPDATE rdata SET key_id = ? WHERE id = ?').run(keyId, rdataId)
    await noteChange(sql, [nameId])
  },
})
