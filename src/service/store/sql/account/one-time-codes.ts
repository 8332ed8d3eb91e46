import type { CodePurpose, CodeReads, CodeWrites, StoredCode } from '../../account/one-time-codes.ts'
import { columnList, existing, insert, type RowOf, select, selects } from '../../select.ts'
import { optional } from '../../values.ts'
import type { Sql } from '../statement.ts'

// biome-ignore format: a table
const CODE = {
  id: 'INTEGER', purpose: 'TEXT', account_id: 'INTEGER NULL', content: 'TEXT', created_at: 'TIME', expires_at: 'TIME',
} as const

export const ONE_TIME_CODES = selects({
  of: select(
    CODE,
    `SELECT ${columnList(CODE)} FROM one_time_code WHERE purpose = ? AND expires_at > ? ORDER BY id DESC`,
  ),
  with: select(
    CODE,
    `SELECT ${columnList(CODE)} FROM one_time_code WHERE hash = ? AND purpose = ? AND expires_at > ?`,
  ),
  take: select(
    CODE,
    `DELETE FROM one_time_code WHERE hash = ? AND purpose = ? AND expires_at > ? RETURNING ${columnList(CODE)}`,
  ),
  add: insert(
    'INSERT INTO one_time_code (hash, purpose, account_id, content, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  ),
})

export const sqlCodeReads = (sql: Sql): CodeReads => ({
  async codeWith(hash, purpose, now) {
    const row = await sql(ONE_TIME_CODES.with).get(hash, purpose, now)
    return row && codeFrom(row)
  },
  async codesFor(purpose, now) {
    return (await sql(ONE_TIME_CODES.of).all(purpose, now)).map(codeFrom)
  },
})

/** Codes that are used once, in SQL. */
export const sqlCodes = (sql: Sql): CodeWrites => ({
  ...sqlCodeReads(sql),
  async addCode({ hash, purpose, accountId, grant, createdAt, expiresAt }) {
    await sql('DELETE FROM one_time_code WHERE expires_at <= ?').run(createdAt)
    const row = await sql(ONE_TIME_CODES.add).get(
      hash,
      purpose,
      accountId ?? null,
      grant,
      createdAt,
      expiresAt,
    )
    return existing(row).id
  },
  async takeCode(hash, purpose, now) {
    const row = await sql(ONE_TIME_CODES.take).get(hash, purpose, now)
    return row && codeFrom(row)
  },
  async removeCodesOf(accountId, purpose) {
    await sql('DELETE FROM one_time_code WHERE account_id = ? AND purpose = ?').run(accountId, purpose)
  },
  async removeCode(id, purpose) {
    const { changes } = await sql('DELETE FROM one_time_code WHERE id = ? AND purpose = ?').run(id, purpose)
    return Number(changes) > 0
  },
})

const codeFrom = (row: RowOf<typeof CODE>): StoredCode => ({
  id: row.id,
  purpose: row.purpose as CodePurpose,
  ...optional('accountId', row.account_id),
  grant: row.content,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})
