import type { Sanction, SanctionReads, SanctionWrites } from '../../account/sanctions.ts'
import { packBuckets, unpackBuckets } from '../../buckets.ts'
import { columnList, type RowOf, select, selects } from '../../select.ts'
import { isOn, optional } from '../../values.ts'
import { isShown } from '../../hidden.ts'
import type { Sql } from '../statement.ts'

// biome-ignore format: a table
const SANCTION = {
  subject: 'TEXT', source: 'TEXT', last_key_id: 'INTEGER', requests: 'BLOB', refusals: 'BLOB', nochgs: 'BLOB',
  blocked_until: 'TIME NULL', is_blocked: 'FLAG', is_locked: 'FLAG', ends_at: 'TIME NULL',
} as const

/** In SQL: whether the operator's word on a deleted key passes to this one. */
export const passedOn = (flag: 'is_blocked' | 'is_locked'): string =>
  `EXISTS (SELECT 1 FROM sanction WHERE sanction.account_id = ddns_key.account_id AND subject = ''
    AND sanction.${flag} = 1 AND last_key_id < ddns_key.id)`

export const SANCTIONS = selects({
  of: select(
    SANCTION,
    `SELECT ${columnList(SANCTION)} FROM sanction WHERE account_id = ? ORDER BY subject, source`,
  ),
  ofSubjects: select(
    SANCTION,
    `SELECT ${columnList(SANCTION)} FROM sanction WHERE account_id = ?
    AND subject IN (SELECT value FROM json_each(?)) ORDER BY subject, source`,
  ),
  ofSource: select(
    { account_id: 'INTEGER' },
    `SELECT account_id FROM sanction WHERE source = ? AND (is_blocked = 1 OR is_locked = 1) LIMIT 1`,
  ),
  group: select(
    { account_id: 'INTEGER', is_locked: 'FLAG' },
    `SELECT account_id, CASE WHEN is_locked = 1 OR ${passedOn('is_locked')} THEN 1 ELSE 0 END AS is_locked FROM ddns_key
    WHERE username = ? AND ${isShown('username')}`,
  ),
  standing: select(
    {
      account_id: 'INTEGER',
      username: 'TEXT',
      is_blocked: 'FLAG',
      is_locked: 'FLAG',
      last_key_id: 'INTEGER',
    },
    `SELECT account_id, username, is_blocked, is_locked, (SELECT max(id) FROM ddns_key AS own
      WHERE own.account_id = ddns_key.account_id) AS last_key_id FROM ddns_key
    WHERE id = ? AND ${isShown('username')}`,
  ),
})

export const sqlSanctionReads = (sql: Sql): SanctionReads => ({
  async sanctionsOf(accountId, subjects) {
    const rows =
      subjects === undefined
        ? await sql(SANCTIONS.of).all(accountId)
        : await sql(SANCTIONS.ofSubjects).all(accountId, JSON.stringify(subjects))
    return rows.map(sanctionFrom)
  },
  async groupNamed(username) {
    const row = await sql(SANCTIONS.group).get(username)
    return row && { accountId: row.account_id, isLocked: isOn(row.is_locked) }
  },
  async keyRestrictions(keyId) {
    const row = await sql(SANCTIONS.standing).get(keyId)
    return (
      row && {
        accountId: row.account_id,
        username: row.username,
        isBlocked: isOn(row.is_blocked),
        isLocked: isOn(row.is_locked),
        lastKeyId: row.last_key_id,
      }
    )
  },
})

const PUT = `INSERT INTO sanction
  (account_id, subject, source, last_key_id, requests, refusals, nochgs, blocked_until, is_blocked, is_locked, ends_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, subject, source) DO UPDATE SET
  last_key_id = excluded.last_key_id, requests = excluded.requests, refusals = excluded.refusals,
  nochgs = excluded.nochgs, blocked_until = excluded.blocked_until, is_blocked = excluded.is_blocked,
  is_locked = excluded.is_locked, ends_at = excluded.ends_at`

/** What outlives DDNS keys, in SQL. */
export const sqlSanctions = (sql: Sql): Omit<SanctionWrites, 'passBlock'> => ({
  ...sqlSanctionReads(sql),
  async coverSanctions(accountId, { source, subjects, until }) {
    await sql(`DELETE FROM sanction WHERE account_id = ? AND source <> ? AND source <> '' AND is_blocked = 0
      AND is_locked = 0 AND blocked_until <= ? AND subject IN (SELECT value FROM json_each(?))`).run(
      accountId,
      source,
      until,
      JSON.stringify(subjects),
    )
  },
  async forgetSanctions(accountId, now) {
    await sql('DELETE FROM sanction WHERE account_id = ? AND ends_at <= ?').run(accountId, now)
  },
  async putSanction(accountId, one) {
    await sql(PUT).run(
      accountId,
      one.subject,
      one.source,
      one.lastKeyId,
      packBuckets(one.requests),
      packBuckets(one.refusals),
      packBuckets(one.nochgs),
      one.blockedUntil ?? null,
      one.isBlocked ? 1 : 0,
      one.isLocked ? 1 : 0,
      one.endsAt ?? null,
    )
  },
  async accountOfSanction(source) {
    return (await sql(SANCTIONS.ofSource).get(source))?.account_id
  },
  async unlockSanctions({ accountId, source, keyId = 0 }) {
    await sql(`UPDATE sanction SET is_locked = 0, ends_at = CASE WHEN is_blocked = 1 THEN NULL
      ELSE coalesce(blocked_until, 0) END
      WHERE account_id = ? AND is_locked = 1 AND (source = ? OR ${IS_PASSED})`).run(accountId, source, keyId)
  },
  async liftSanctions(which) {
    if ('hostname' in which) {
      await sql('DELETE FROM sanction WHERE subject = ?').run(which.hostname)
      return
    }
    const { accountId, source, keyId = 0 } = which
    if (source === undefined) await sql('DELETE FROM sanction WHERE account_id = ?').run(accountId)
    else
      await sql(`DELETE FROM sanction WHERE account_id = ?
        AND (source = ? OR ${IS_GONE} AND is_blocked = 0 AND is_locked = 0 OR ${IS_PASSED})`).run(
        accountId,
        source,
        keyId,
      )
  },
})

const IS_GONE = 'NOT EXISTS (SELECT 1 FROM ddns_key WHERE username = source)'
/** Of a key that was gone before the one with this id was made: it concerns that one. */
const IS_PASSED = `last_key_id < ? AND ${IS_GONE}`

const sanctionFrom = (row: RowOf<typeof SANCTION>): Sanction => ({
  subject: row.subject,
  source: row.source,
  lastKeyId: row.last_key_id,
  requests: unpackBuckets(row.requests),
  refusals: unpackBuckets(row.refusals),
  nochgs: unpackBuckets(row.nochgs),
  ...optional('blockedUntil', row.blocked_until),
  isBlocked: isOn(row.is_blocked),
  isLocked: isOn(row.is_locked),
  ...optional('endsAt', row.ends_at),
})
