import type { Position } from '../../../model/query.ts'
import { columnList, existing, insert, type RowOf, select, selects } from '../../select.ts'
import type { SessionReads, SessionWrites, StoredSession } from '../../account/sessions.ts'
import { isOn, optional } from '../../values.ts'
import { clause } from '../clause.ts'
import { orderedPage } from '../paging.ts'
import type { Sql } from '../statement.ts'

// biome-ignore format: a table
const SESSION = {
  id: 'INTEGER', account_id: 'INTEGER', api_key_id: 'INTEGER NULL', created_at: 'TIME', seen_at: 'TIME', proved_at: 'TIME',
  needs_factor: 'FLAG', peer: 'TEXT', program: 'TEXT',
} as const

export const SESSIONS = selects({
  byHash: select(SESSION, `SELECT ${columnList(SESSION)} FROM session WHERE hash = ?`),
  list: select(SESSION, `SELECT ${columnList(SESSION)} FROM session`),
  count: select({ n: 'INTEGER' }, 'SELECT count(*) AS n FROM session'),
  add: insert(`INSERT INTO session
    (hash, account_id, api_key_id, created_at, seen_at, proved_at, needs_factor, peer, program)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
})

export const sqlSessionReads = (sql: Sql): SessionReads => ({
  async sessionByHash(hash) {
    const row = await sql(SESSIONS.byHash).get(hash)
    return row && sessionFrom(row)
  },
  async sessionsOf(accountId, page, over) {
    const list = {
      rows: SESSIONS.list,
      count: SESSIONS.count,
      where: clause(
        'account_id = ? AND created_at >= ? AND seen_at >= ?',
        accountId,
        over.created,
        over.seen,
      ),
      order: 'id DESC',
      after: ([id = null]: Position) => clause('id < ?', id),
      positionOf: ({ id }: RowOf<typeof SESSION>) => [id],
    }
    const { items, ...place } = await orderedPage(sql, list, page)
    return { items: items.map(sessionFrom), ...place }
  },
})

/** Sessions of the website, in SQL. */
export const sqlSessions = (sql: Sql): SessionWrites => ({
  ...sqlSessionReads(sql),
  async addSession(session, over) {
    const { hash, accountId, apiKeyId, createdAt, seenAt, provedAt, needsFactor, peer, program } = session
    await sql('DELETE FROM session WHERE created_at < ? OR seen_at < ?').run(over.created, over.seen)
    await sql(`DELETE FROM session WHERE id IN (SELECT id FROM session
      WHERE account_id = ? AND coalesce(api_key_id, 0) = ? ORDER BY id DESC LIMIT 1000000 OFFSET ?)`).run(
      accountId,
      apiKeyId ?? 0,
      over.max - 1,
    )
    const row = await sql(SESSIONS.add).get(
      hash,
      accountId,
      apiKeyId ?? null,
      createdAt,
      seenAt,
      provedAt,
      needsFactor ? 1 : 0,
      peer,
      program,
    )
    return existing(row).id
  },
  async touchSession(id, now) {
    await sql('UPDATE session SET seen_at = ? WHERE id = ?').run(now, id)
  },
  async renewSession(id, hash, { provedAt, hasFactor }) {
    await sql(
      `UPDATE session SET hash = ?, proved_at = ?${hasFactor ? ', needs_factor = 0' : ''} WHERE id = ?`,
    ).run(hash, provedAt, id)
  },
  async removeOtherSessions(accountId, except) {
    await sql('DELETE FROM session WHERE account_id = ? AND id <> ?').run(accountId, except ?? 0)
  },
  async needFactor(accountId, except) {
    await sql(
      'UPDATE session SET needs_factor = 1 WHERE account_id = ? AND api_key_id IS NULL AND id <> ?',
    ).run(accountId, except ?? 0)
  },
  async removeSession(id, accountId) {
    const { changes } = await sql('DELETE FROM session WHERE id = ? AND account_id = ?').run(id, accountId)
    return Number(changes) > 0
  },
})

const sessionFrom = (row: RowOf<typeof SESSION>): StoredSession => ({
  id: row.id,
  accountId: row.account_id,
  ...optional('apiKeyId', row.api_key_id),
  createdAt: row.created_at,
  seenAt: row.seen_at,
  provedAt: row.proved_at,
  needsFactor: isOn(row.needs_factor),
  peer: row.peer,
  program: row.program,
})
