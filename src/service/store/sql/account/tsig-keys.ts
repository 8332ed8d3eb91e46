import type { Position } from '../../../model/query.ts'
import type { StoredTsigKey, TsigKeyReads, TsigKeyWrites } from '../../account/tsig-keys.ts'
import { columnList, type RowOf, select, selects } from '../../select.ts'
import { optional, wordList } from '../../values.ts'
import { clause, joined } from '../clause.ts'
import { containing } from '../keys.ts'
import { orderedPage } from '../paging.ts'
import type { Sql } from '../statement.ts'

// biome-ignore format: a table
const KEY = {
  name: 'TEXT', account_id: 'INTEGER', algorithm: 'TEXT', sealed: 'BLOB', description: 'TEXT', scopes: 'TEXT NULL',
  created_at: 'TIME', expires_at: 'TIME NULL', last_used_at: 'TIME NULL',
} as const

export const TSIG_KEYS = selects({
  named: select(KEY, `SELECT ${columnList(KEY)} FROM tsig_key WHERE name = ?`),
  list: select(KEY, `SELECT ${columnList(KEY)} FROM tsig_key`),
  count: select({ n: 'INTEGER' }, 'SELECT count(*) AS n FROM tsig_key'),
  all: select({ name: 'TEXT', sealed: 'BLOB' }, 'SELECT name, sealed FROM tsig_key'),
  handled: select({ rcode: 'INTEGER' }, 'SELECT rcode FROM dns_update WHERE mac = ?'),
})

export const sqlTsigKeyReads = (sql: Sql): TsigKeyReads => ({
  async tsigKeyNamed(name) {
    const row = await sql(TSIG_KEYS.named).get(name)
    return row && keyFrom(row)
  },
  async tsigKeysOf(accountId, page, search) {
    const own = clause('account_id = ?', accountId)
    const list = {
      rows: TSIG_KEYS.list,
      count: TSIG_KEYS.count,
      where: joined('AND', [own, ...containing(['name', 'description'], search)], 'TRUE'),
      order: 'name',
      after: ([name = null]: Position) => clause('name > ?', name),
      positionOf: ({ name }: RowOf<typeof KEY>) => [name],
    }
    const { items, ...place } = await orderedPage(sql, list, page)
    return { items: items.map(keyFrom), ...place }
  },
  async handledUpdate(mac) {
    return (await sql(TSIG_KEYS.handled).get(mac))?.rcode
  },
})

const ADD = `INSERT INTO tsig_key
  (name, account_id, algorithm, sealed, description, scopes, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

/** TSIG keys of accounts, and what they have signed, in SQL. */
export const sqlTsigKeys = (sql: Sql): TsigKeyWrites => ({
  ...sqlTsigKeyReads(sql),
  async allTsigKeys() {
    return sql(TSIG_KEYS.all).all()
  },
  async addTsigKey({ name, accountId, algorithm, sealed, description, scopes, expiresAt }, now) {
    await sql(ADD).run(
      name,
      accountId,
      algorithm,
      sealed,
      description,
      scopes.join(' '),
      expiresAt ?? null,
      now,
    )
  },
  async removeTsigKey(name, accountId) {
    const { changes } = await sql('DELETE FROM tsig_key WHERE name = ? AND account_id = ?').run(
      name,
      accountId,
    )
    return Number(changes) > 0
  },
  async touchTsigKey(name, now) {
    await sql('UPDATE tsig_key SET last_used_at = ? WHERE name = ?').run(now, name)
  },
  async resealTsigKey(name, sealed) {
    await sql('UPDATE tsig_key SET sealed = ? WHERE name = ?').run(sealed, name)
  },
  async noteUpdate({ mac, rcode }, { now, oldest }) {
    await sql('DELETE FROM dns_update WHERE at < ?').run(oldest)
    await sql('INSERT INTO dns_update (mac, rcode, at) VALUES (?, ?, ?)').run(mac, rcode, now)
  },
})

const keyFrom = (row: RowOf<typeof KEY>): StoredTsigKey => ({
  name: row.name,
  accountId: row.account_id,
  algorithm: row.algorithm,
  sealed: row.sealed,
  description: row.description,
  scopes: wordList(row.scopes) ?? [],
  createdAt: row.created_at,
  ...optional('expiresAt', row.expires_at),
  ...optional('lastUsedAt', row.last_used_at),
})
