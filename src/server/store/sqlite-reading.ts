import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { type Instant, instant } from '../../base/time.ts'
import { parseAddress } from '../../net/address.ts'
import type { Failures, Principal, Target, Usage } from '../model/rows.ts'
import { unpackRing } from './ring.ts'
import { sqliteRecords } from './sqlite-records.ts'
import type { Reading } from './store.ts'

type Row = Record<string, SQLOutputValue>

export const subjectOf = ({ kind, id }: Principal): string => `${kind}:${id}`

export const instantOf = (value: SQLOutputValue | undefined): Instant | undefined =>
  typeof value === 'number' ? instant(value) : undefined

const NEVER_USED: Usage = { requests: [], refusals: [], undescriptive: 0 }

/** Statements are prepared once a connection; every value is bound. */
export function statements(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, known)
    return known
  }
}

/** The questions of the store in SQL, for either connection. */
export const sqliteReading = (sql: (text: string) => StatementSync): Reading => ({
  ...callers(sql),
  ...usages(sql),
  ...holdings(sql),
  ...sqliteRecords(sql),
})

type Part<K extends keyof Reading> = Pick<Reading, K>

const callers = (
  sql: (text: string) => StatementSync,
): Part<'login' | 'hasKeys' | 'failuresOf' | 'hasOffline' | 'apiKeyByHash'> => ({
  async login(username) {
    const key = sql('SELECT id, account_id, password_hash FROM ddns_key WHERE username = ?').get(username)
    if (key !== undefined)
      return {
        kind: 'key',
        id: Number(key['id']),
        accountId: Number(key['account_id']),
        hash: bytesOf(key['password_hash']),
      }
    const account = sql('SELECT id, password_hash FROM account WHERE name = ?').get(username)
    if (account === undefined) return undefined
    return {
      kind: 'account',
      id: Number(account['id']),
      accountId: Number(account['id']),
      hash: bytesOf(account['password_hash']),
    }
  },
  async hasKeys() {
    return (
      sql('SELECT EXISTS (SELECT 1 FROM ddns_key) OR EXISTS (SELECT 1 FROM api_key) AS found').get()?.[
        'found'
      ] === 1
    )
  },
  async failuresOf(peer): Promise<Failures> {
    const row = sql('SELECT ring, deaf_until FROM login_failure WHERE peer = ?').get(peer)
    const deafUntil = instantOf(row?.['deaf_until'])
    return { moments: unpackRing(row?.['ring']), ...(deafUntil !== undefined && { deafUntil }) }
  },
  async hasOffline(accountId) {
    const row = sql(
      'SELECT has_offline FROM account JOIN plan ON plan.id = account.plan_id WHERE account.id = ?',
    ).get(accountId)
    return row?.['has_offline'] === 1
  },
  async apiKeyByHash(hash) {
    const row = sql('SELECT account_id, scopes, expires_at FROM api_key WHERE hash = ?').get(hash)
    if (row === undefined) return undefined
    const expiresAt = instantOf(row['expires_at'])
    const scopes = typeof row['scopes'] === 'string' ? row['scopes'].split(' ').filter(Boolean) : []
    return { accountId: Number(row['account_id']), scopes, ...(expiresAt !== undefined && { expiresAt }) }
  },
})

const usages = (sql: (text: string) => StatementSync): Part<'usageOf' | 'nochgsOf' | 'lastUseOf'> => ({
  async usageOf(who) {
    const row = sql(
      'SELECT requests_ring, refusals_ring, blocked_until, undescriptive FROM usage WHERE subject = ?',
    ).get(subjectOf(who))
    return row === undefined ? NEVER_USED : usageFrom(row)
  },
  async nochgsOf(who, hostname) {
    return unpackRing(
      sql('SELECT ring FROM nochg WHERE subject = ? AND hostname = ?').get(subjectOf(who), hostname)?.[
        'ring'
      ],
    )
  },
  async lastUseOf(who) {
    const row = sql('SELECT used_at, agent, peer, reply FROM usage WHERE subject = ?').get(subjectOf(who))
    const [at, peer] = [instantOf(row?.['used_at']), parseAddress(String(row?.['peer']))]
    if (at === undefined || peer === undefined) return undefined
    return { at, agent: String(row?.['agent']), peer, reply: String(row?.['reply']) }
  },
})

const holdings = (
  sql: (text: string) => StatementSync,
): Part<'targetsOf' | 'targetsNamed' | 'groupNamed' | 'rdataOf' | 'isNameOffline'> => ({
  async targetsOf(keyId) {
    return sql(`${TARGETS_OF_KEY} ORDER BY name_id, rdata_id`).all(keyId, keyId).map(targetFrom)
  },
  async targetsNamed({ kind, id }, fqdn) {
    if (kind === 'key')
      return sql(`SELECT * FROM (${TARGETS_OF_KEY}) WHERE fqdn = ?`).all(id, id, fqdn).map(targetFrom)
    // The longest zone that holds the name is the one that answers for it.
    const own = `SELECT name.id AS name_id, zone_id, fqdn, NULL AS rdata_id FROM name JOIN zone ON zone.id = zone_id
        WHERE fqdn = ? AND name.account_id = ? ORDER BY length(zone.name) DESC LIMIT 1`
    return sql(own).all(fqdn, id).map(targetFrom)
  },
  async groupNamed(accountId, group) {
    const row = sql('SELECT id FROM ddns_key WHERE account_id = ? AND (username = ? OR group_label = ?)').get(
      accountId,
      group,
      group,
    )
    return row === undefined ? undefined : Number(row['id'])
  },
  async rdataOf(nameId) {
    const rows = sql(`SELECT rdata.id AS id, rrset_id, dns_type, label, value
        FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE name_id = ? ORDER BY rdata.id`).all(nameId)
    return rows.map((row) => ({
      id: Number(row['id']),
      rrsetId: Number(row['rrset_id']),
      dnsType: String(row['dns_type']),
      label: String(row['label']),
      value: String(row['value']),
    }))
  },
  async isNameOffline(nameId) {
    return sql('SELECT is_offline FROM name WHERE id = ?').get(nameId)?.['is_offline'] === 1
  },
})

const TARGETS_OF_KEY = `
  SELECT id AS name_id, zone_id, fqdn, NULL AS rdata_id FROM name WHERE key_id = ?
  UNION ALL
  SELECT name.id, zone_id, fqdn, rdata.id FROM rdata
    JOIN rrset ON rrset.id = rdata.rrset_id JOIN name ON name.id = rrset.name_id WHERE rdata.key_id = ?`

const bytesOf = (value: SQLOutputValue | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array()

function usageFrom(row: Row): Usage {
  const blockedUntil = instantOf(row['blocked_until'])
  return {
    requests: unpackRing(row['requests_ring']),
    refusals: unpackRing(row['refusals_ring']),
    undescriptive: Number(row['undescriptive']),
    ...(blockedUntil !== undefined && { blockedUntil }),
  }
}

function targetFrom(row: Row): Target {
  const target = { nameId: Number(row['name_id']), zoneId: Number(row['zone_id']), fqdn: String(row['fqdn']) }
  return row['rdata_id'] === null ? target : { ...target, rdataId: Number(row['rdata_id']) }
}
