import type { Instant } from '../../../base/time.ts'
import { MAX_TRAIL, type TrailEntry } from '../../model/trail.ts'
import type { TrailPart, TrailWrites } from '../trail.ts'
import { existing, select, selects } from '../select.ts'
import type { Sql } from './statement.ts'

/** In SQL, the number of the next entry. PostgreSQL has a sequence instead. */
const NEXT = '(SELECT coalesce(max(n), 0) + 1 FROM trail WHERE account_id = ?1 AND is_update = ?2)'

export const TRAIL = selects({
  last: select(
    { n: 'INTEGER' },
    'SELECT n FROM trail WHERE account_id = ? AND is_update = ? ORDER BY n DESC LIMIT 1',
  ),
  nextPart: select(
    { account_id: 'INTEGER', is_update: 'FLAG' },
    `SELECT account_id, is_update FROM trail WHERE (account_id, is_update) > (?, ?)
      ORDER BY account_id, is_update LIMIT 1`,
  ),
})

/** Entries between two looks for those that are too many, so that there is room for as many. */
const INTERVAL = 1000
/** Entries that one look for old ones deletes. */
const OLD_ENTRIES = 500

/** RETURNING would take half as long again. */
const ADD = `INSERT INTO trail (account_id, is_update, n, at, actor, peer, operation, subject, dns_type, went, came)
  VALUES (?1, ?2, ${NEXT}, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`
const PART = 'account_id = ?1 AND is_update = ?2'
const TOO_MANY = `DELETE FROM trail WHERE ${PART} AND n <=
  (SELECT n FROM trail WHERE ${PART} ORDER BY n DESC LIMIT 1 OFFSET ?3)`
const TOO_OLD = `DELETE FROM trail WHERE ${PART} AND n <=
  (SELECT max(n) FROM (SELECT n, at FROM trail WHERE ${PART} ORDER BY n LIMIT ${OLD_ENTRIES}) AS oldest WHERE at < ?3)`

export const trailValues = (entry: TrailEntry) =>
  [
    entry.accountId,
    entry.isUpdate ? 1 : 0,
    entry.at,
    entry.actor,
    entry.peer,
    entry.operation,
    entry.subject,
    entry.dnsType ?? null,
    entry.before ?? null,
    entry.after ?? null,
  ] as const

/** Who changed what, in SQL (decision 0051). */
export const sqlTrail = (sql: Sql): TrailWrites => ({
  async addTrail(entries) {
    const [part] = entries
    if (part === undefined) return
    for (const entry of entries) await sql(ADD).run(...trailValues(entry))
    const { n } = existing(await sql(TRAIL.last).get(part.accountId, part.isUpdate ? 1 : 0))
    if (n % INTERVAL < entries.length) await keepNewest(sql, part, INTERVAL)
  },
  async pruneTrail(after, before) {
    const row = await sql(TRAIL.nextPart).get(after.accountId, after.isUpdate ? 1 : 0)
    if (row === undefined) return undefined
    const part: TrailPart = { accountId: row.account_id, isUpdate: row.is_update === 1 }
    await prune(sql, part, before)
    return part
  },
})

async function keepNewest(sql: Sql, { accountId, isUpdate }: TrailPart, room = 0): Promise<void> {
  const max = MAX_TRAIL[isUpdate ? 'updates' : 'others'] - room
  await sql(TOO_MANY).run(accountId, isUpdate ? 1 : 0, max)
}

async function prune(sql: Sql, { accountId, isUpdate }: TrailPart, before: Instant): Promise<void> {
  await keepNewest(sql, { accountId, isUpdate })
  await sql(TOO_OLD).run(accountId, isUpdate ? 1 : 0, before)
}
