import type { Position } from '../../model/query.ts'
import type { ApiKey, DdnsKey, KeyQuery, KeyUse, ListedApiKey, RecordReads } from '../records.ts'
import { columnList, type RowOf, select, selects } from '../select.ts'
import { isOn, optional, wordList } from '../values.ts'
import { isShown } from '../hidden.ts'
import { type Clause, clause, contains, joined, marks } from './clause.ts'
import { orderedPage } from './paging.ts'
import { passedOn } from './account/sanctions.ts'
import { keysInScope } from './scope.ts'
import { asList, ids, type Sql } from './statement.ts'

const OF_KEY = {
  id: 'INTEGER',
  account_id: 'INTEGER',
  username: 'TEXT',
  description: 'TEXT',
  is_locked: 'FLAG',
  is_blocked: 'FLAG',
  created_at: 'TIME',
} as const
const USE = { used_at: 'TIME NULL', agent: 'TEXT NULL', peer: 'TEXT NULL', reply: 'TEXT NULL' } as const
const KEY = { ...OF_KEY, blocked_until: 'TIME NULL', ...USE } as const
const WITH_USE = `LEFT JOIN usage ON subject = 'key:' || ddns_key.id`
/** The operator's block or lock of a deleted key applies to later keys. */
const RESTRICTED_KEYS = `(SELECT id, account_id, username, description, created_at,
  CASE WHEN is_locked = 1 OR ${passedOn('is_locked')} THEN 1 ELSE 0 END AS is_locked,
  CASE WHEN is_blocked = 1 OR ${passedOn('is_blocked')} THEN 1 ELSE 0 END AS is_blocked FROM ddns_key) AS ddns_key`
const KEY_ROWS = `SELECT ${columnList(KEY)} FROM ${RESTRICTED_KEYS} ${WITH_USE}`

// biome-ignore format: a table
const API_KEY = {
  id: 'INTEGER', account_id: 'INTEGER', scopes: 'TEXT NULL', expires_at: 'TIME NULL', last_used_at: 'TIME NULL',
  description: 'TEXT', created_at: 'TIME',
} as const
const API_KEY_ROWS = `SELECT ${columnList(API_KEY)} FROM api_key`

const CLIENT = { username: 'TEXT', agent: 'TEXT', peer: 'TEXT', reply: 'TEXT', used_at: 'TIME' } as const
const COUNT = { n: 'INTEGER' } as const
const CLIENTS = `FROM usage JOIN ddns_key ON subject = 'key:' || ddns_key.id`

export const KEYS = selects({
  named: select(KEY, `${KEY_ROWS} WHERE username = ? AND ${isShown('username')}`),
  keys: select(KEY, KEY_ROWS),
  count: select(COUNT, 'SELECT count(*) AS n FROM ddns_key'),
  targets: select(
    { zone_name: 'TEXT', name: 'TEXT', dns_type: 'TEXT NULL', label: 'TEXT NULL' },
    `SELECT zone.name AS zone_name, name.name AS name, NULL AS dns_type, NULL AS label FROM name
      JOIN zone ON zone.id = zone_id WHERE key_id = ?1 AND ${isShown('zone.name')}
    UNION ALL
    SELECT zone.name, name.name, dns_type, label FROM rdata
      JOIN rrset ON rrset.id = rrset_id JOIN name ON name.id = name_id JOIN zone ON zone.id = zone_id
      WHERE rdata.key_id = ?1 AND ${isShown('zone.name')} ORDER BY 1, 2, 3 NULLS FIRST, 4 NULLS FIRST`,
  ),
  ofNames: select(
    { name_id: 'INTEGER', key_id: 'INTEGER', username: 'TEXT', ...USE },
    `SELECT name_id, ddns_key.id AS key_id, username, ${columnList(USE)} FROM
      (SELECT id AS name_id, key_id FROM name WHERE id IN ${ids('?2')} AND key_id IS NOT NULL UNION
        SELECT name_id, key_id FROM rrset JOIN rdata ON rrset_id = rrset.id
          WHERE name_id IN ${ids('?2')} AND key_id IS NOT NULL) AS target
      JOIN ddns_key ON ddns_key.id = key_id ${WITH_USE} WHERE account_id = ?1 ORDER BY name_id, key_id`,
  ),
  apiKeys: select(API_KEY, API_KEY_ROWS),
  countApiKeys: select(COUNT, 'SELECT count(*) AS n FROM api_key'),
  apiKey: select(API_KEY, `${API_KEY_ROWS} WHERE account_id = ? AND id = ?`),
  apiKeyByHash: select(API_KEY, `${API_KEY_ROWS} WHERE hash = ?`),
  clients: select(CLIENT, `SELECT username, agent, peer, reply, used_at ${CLIENTS}`),
  countClients: select(COUNT, `SELECT count(*) AS n ${CLIENTS}`),
})

/** API keys, in SQL. */
export const sqlApiKeys = (sql: Sql): Pick<RecordReads, 'apiKeysOf' | 'apiKeyOf'> => ({
  async apiKeysOf(accountId, page, search) {
    const own = clause('account_id = ?', accountId)
    const list = {
      rows: KEYS.apiKeys,
      count: KEYS.countApiKeys,
      where: joined('AND', [own, ...containing(['description'], search)], 'TRUE'),
      order: 'id',
      after: ([id = null]: Position) => clause('id > ?', id),
      positionOf: ({ id }: RowOf<typeof API_KEY>) => [id],
    }
    const { items, ...place } = await orderedPage(sql, list, page)
    return {
      items: items.map(listedApiKeyFrom),
      ...place,
    }
  },
  async apiKeyOf(accountId, id) {
    const row = await sql(KEYS.apiKey).get(accountId, id)
    return row === undefined ? undefined : listedApiKeyFrom(row)
  },
})

/** DDNS keys, in SQL. */
export const sqlKeys = (
  sql: Sql,
): Pick<RecordReads, 'keyNamed' | 'keysOf' | 'keysOfNames' | 'clientsOf'> => ({
  async keyNamed(username) {
    const row = await sql(KEYS.named).get(username)
    return row === undefined ? undefined : keyFrom(sql, row)
  },
  async keysOf(accountId, query) {
    const { items, ...place } = await orderedPage(sql, keyList(accountId, query), query.page)
    return { items: await Promise.all(items.map(async (row) => keyFrom(sql, row))), ...place }
  },
  async keysOfNames(accountId, nameIds) {
    if (nameIds.length === 0) return []
    const rows = await sql(KEYS.ofNames).all(accountId, asList(nameIds))
    return rows.map((row) => ({
      nameId: row.name_id,
      keyId: row.key_id,
      username: row.username,
      ...optional('lastUse', useFrom(row)),
    }))
  },
  async clientsOf(accountId, page, { usernames, ...scope } = {}) {
    const parts = [
      clause('account_id = ?', accountId),
      keysInScope(scope),
      ...(usernames === undefined ? [] : [clause(`username IN (${marks(usernames)})`, ...usernames)]),
    ]
    const list = {
      rows: KEYS.clients,
      count: KEYS.countClients,
      where: joined('AND', parts, 'TRUE'),
      order: 'used_at DESC, username',
      after: ([usedAt = null, username = null]: Position) =>
        clause('used_at < ? OR used_at = ? AND username > ?', usedAt, usedAt, username),
      positionOf: (row: RowOf<typeof CLIENT>) => [row.used_at, row.username],
    }
    const { items, ...place } = await orderedPage(sql, list, page)
    return {
      items: items.map(({ username, agent, peer: address, reply, used_at: usedAt }) => ({
        username,
        agent,
        address,
        reply,
        usedAt,
      })),
      ...place,
    }
  },
})

/** The rows of which one of these columns contains the text. */
export const containing = (columns: readonly string[], text: string | undefined): readonly Clause[] =>
  text === undefined
    ? []
    : [
        joined(
          'OR',
          columns.map((column) => contains(column, text)),
          'FALSE',
        ),
      ]

function keyList(accountId: number, { description, search, createdAt = 'asc' }: KeyQuery) {
  const parts = [
    clause('account_id = ?', accountId),
    ...containing(['description'], description),
    ...containing(['username', 'description'], search),
  ]
  const isAscending = createdAt === 'asc'
  return {
    rows: KEYS.keys,
    count: KEYS.count,
    where: joined('AND', parts, 'TRUE'),
    order: isAscending ? 'created_at, id' : 'created_at DESC, id DESC',
    after: ([at = null, id = null]: Position) =>
      clause(`(created_at, id) ${isAscending ? '>' : '<'} (?, ?)`, at, id),
    positionOf: (row: RowOf<typeof KEY>) => [row.created_at, row.id],
  }
}

async function keyFrom(sql: Sql, row: RowOf<typeof KEY>): Promise<DdnsKey> {
  const targets = await sql(KEYS.targets).all(row.id)
  return {
    id: row.id,
    accountId: row.account_id,
    username: row.username,
    description: row.description,
    isLocked: isOn(row.is_locked),
    isBlocked: isOn(row.is_blocked),
    ...optional('blockedUntil', row.blocked_until),
    createdAt: row.created_at,
    ...optional('lastUse', useFrom(row)),
    targets: targets.map((target) => ({
      zoneName: target.zone_name,
      name: target.name,
      ...optional('dnsType', target.dns_type),
      ...optional('label', target.label),
    })),
  }
}

const useFrom = ({ used_at: at, agent, peer, reply }: RowOf<typeof USE>): KeyUse | undefined =>
  at === null ? undefined : { at, agent: agent ?? '', address: peer ?? '', reply: reply ?? '' }

export const apiKeyFrom = (row: RowOf<typeof API_KEY>): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  scopes: wordList(row.scopes) ?? [],
  ...optional('expiresAt', row.expires_at),
  ...optional('lastUsedAt', row.last_used_at),
})

const listedApiKeyFrom = (row: RowOf<typeof API_KEY>): ListedApiKey => ({
  ...apiKeyFrom(row),
  description: row.description,
  createdAt: row.created_at,
})
