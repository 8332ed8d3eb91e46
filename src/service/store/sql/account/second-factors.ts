import type { FactorKind, FactorReads, FactorWrites, StoredFactor } from '../../account/second-factors.ts'
import { columnList, existing, insert, type RowOf, select, selects } from '../../select.ts'
import { isOn, optional } from '../../values.ts'
import type { Sql } from '../statement.ts'

// biome-ignore format: a table
const FACTOR = {
  id: 'INTEGER', account_id: 'INTEGER', kind: 'TEXT', description: 'TEXT', content: 'BLOB', counter: 'INTEGER',
  is_confirmed: 'FLAG', created_at: 'TIME', used_at: 'TIME NULL',
} as const

/** In SQL, a row if the account has one. */
export const hasFactor = (accountId: string): string =>
  `SELECT 1 AS found FROM second_factor WHERE account_id = ${accountId} AND is_confirmed = 1 AND kind <> 'recovery'`

export const SECOND_FACTORS = selects({
  has: select({ found: 'INTEGER' }, `${hasFactor('?')} LIMIT 1`),
  passkey: select(
    { found: 'INTEGER' },
    `SELECT 1 AS found FROM second_factor WHERE kind = 'passkey' AND substr(content, 1, ?) = ? LIMIT 1`,
  ),
  of: select(FACTOR, `SELECT ${columnList(FACTOR)} FROM second_factor WHERE account_id = ? ORDER BY id`),
  sealed: select(
    { id: 'INTEGER', account_id: 'INTEGER', content: 'BLOB' },
    `SELECT id, account_id, content FROM second_factor WHERE kind = 'totp'`,
  ),
  add: insert(`INSERT INTO second_factor
    (account_id, kind, description, content, counter, is_confirmed, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`),
})

export const sqlFactorReads = (sql: Sql): FactorReads => ({
  async hasFactor(accountId) {
    return (await sql(SECOND_FACTORS.has).get(accountId)) !== undefined
  },
  async hasPasskey(start) {
    return (await sql(SECOND_FACTORS.passkey).get(start.length, start)) !== undefined
  },
  async factorsOf(accountId) {
    return (await sql(SECOND_FACTORS.of).all(accountId)).map(factorFrom)
  },
})

/** Second factors of accounts, in SQL. */
export const sqlFactors = (sql: Sql): FactorWrites => ({
  ...sqlFactorReads(sql),
  async addFactor({ accountId, kind, description, content, counter, isConfirmed, createdAt }) {
    const flag = isConfirmed ? 1 : 0
    const row = await sql(SECOND_FACTORS.add).get(
      accountId,
      kind,
      description,
      content,
      counter,
      flag,
      createdAt,
    )
    return existing(row).id
  },
  async useFactor(id, { counter, now }) {
    const { changes } = await sql(`UPDATE second_factor SET counter = ?1, used_at = ?2, is_confirmed = 1
      WHERE id = ?3 AND (kind <> 'totp' OR counter < ?1)`).run(counter, now, id)
    return Number(changes) > 0
  },
  async removeFactor(id, accountId) {
    const { changes } = await sql('DELETE FROM second_factor WHERE id = ? AND account_id = ?').run(
      id,
      accountId,
    )
    return Number(changes) > 0
  },
  async removeFactors(accountId, _now, kind) {
    await sql(
      'DELETE FROM second_factor WHERE account_id = ?1 AND (CAST(?2 AS TEXT) IS NULL OR kind = ?2)',
    ).run(accountId, kind ?? null)
  },
  async sealedFactors() {
    const rows = await sql(SECOND_FACTORS.sealed).all()
    return rows.map(({ id, account_id: accountId, content }) => ({ id, accountId, content }))
  },
  async resealFactor(id, content) {
    await sql('UPDATE second_factor SET content = ? WHERE id = ?').run(content, id)
  },
})

const factorFrom = (row: RowOf<typeof FACTOR>): StoredFactor => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind as FactorKind,
  description: row.description,
  content: row.content,
  counter: row.counter,
  isConfirmed: isOn(row.is_confirmed),
  createdAt: row.created_at,
  ...optional('usedAt', row.used_at),
})
