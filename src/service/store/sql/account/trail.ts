import type { Instant } from '../../../../shared/base/time.ts'
import { MAX_TRAIL, type TrailEntry } from '../../../model/trail.ts'
import {
  mergedTrail,
  type ScannedTrail,
  type TrailFilter,
  type TrailPart,
  type TrailQuery,
  type TrailReads,
  type TrailWrites,
} from '../../account/trail.ts'
import { columnList, existing, type RowOf, select, selects } from '../../select.ts'
import { optional } from '../../values.ts'
import { type Clause, clause, joined } from '../clause.ts'
import type { Sql } from '../statement.ts'

/** In SQL, the number of the next entry. PostgreSQL has a sequence instead. */
const NEXT = '(SELECT coalesce(max(n), 0) + 1 FROM trail WHERE account_id = ?1 AND is_update = ?2)'

// biome-ignore format: a table
const ENTRY = {
  n: 'INTEGER', at: 'TIME', actor: 'TEXT', peer: 'TEXT', operation: 'TEXT', subject: 'TEXT', dns_type: 'TEXT NULL', went: 'TEXT NULL',
  came: 'TEXT NULL',
} as const
const NEWEST = 'FROM trail WHERE account_id = ? AND is_update = ? AND n < ? ORDER BY n DESC'

export const TRAIL = selects({
  /** Of the newest entries before a number, those that match. */
  page: select(
    ENTRY,
    `SELECT ${columnList(ENTRY)} FROM (SELECT ${columnList(ENTRY)} ${NEWEST} LIMIT ?) AS newest WHERE TRUE
      ORDER BY n DESC LIMIT ?`,
  ),
  nth: select({ n: 'INTEGER', at: 'TIME' }, `SELECT n, at ${NEWEST} LIMIT 1 OFFSET ?`),
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

/** Entries of one part that a page with a filter looks at: there is no index for the filters. */
export const MAX_SCANNED = 5000

/** The reads of the trail, in SQL. */
export const sqlTrailReads = (sql: Sql): TrailReads => ({
  trailPage: async (accountId, query) =>
    sql.atOneMoment(async () => {
      const { updates, others } = query.place ?? NEWEST_PLACE
      const scan = async (isUpdate: boolean, before: number): Promise<ScannedTrail> =>
        scanned(sql, { accountId, isUpdate }, { ...query, before })
      return mergedTrail(await scan(true, updates), await scan(false, others), query.limit)
    }),
})

const NEWEST_PLACE = { updates: Number.MAX_SAFE_INTEGER, others: Number.MAX_SAFE_INTEGER }

async function scanned(
  sql: Sql,
  part: TrailPart,
  { before, filter, limit }: TrailQuery & { readonly before: number },
): Promise<ScannedTrail> {
  if (before === 0) return { before, entries: [] }
  const conditions = conditionsOf(filter)
  const where = joined('AND', conditions, 'TRUE')
  const depth = conditions.length === 0 ? limit : Math.max(limit, MAX_SCANNED)
  const from = [part.accountId, part.isUpdate ? 1 : 0, before]
  const rows = await sql(TRAIL.page.where(where.sql)).all(...from, depth, ...where.values, limit)
  const end = rows.length === limit ? rows.at(-1) : await sql(TRAIL.nth).get(...from, depth - 1)
  const entries = rows.map((row) => ({ ...entryFrom(row), ...part, n: row.n }))
  return { before, entries, ...(end !== undefined && { end: { n: end.n, at: end.at } }) }
}

function conditionsOf({ zone, subject, operation, actor, from, to }: TrailFilter): readonly Clause[] {
  const equal = (column: string, value: string | undefined): readonly Clause[] =>
    value === undefined ? [] : [clause(`${column} = ?`, value)]
  return [
    ...(zone === undefined ? [] : [inZone(zone)]),
    ...equal('subject', subject),
    ...equal('operation', operation),
    ...equal('actor', actor),
    ...(from === undefined ? [] : [clause('at >= ?', from)]),
    ...(to === undefined ? [] : [clause('at < ?', to)]),
  ]
}

const inZone = (zone: string): Clause =>
  clause(
    'subject = ? OR (length(subject) > ? AND substr(subject, length(subject) - ?) = ?)',
    zone,
    zone.length,
    zone.length,
    `.${zone}`,
  )

const entryFrom = (row: RowOf<typeof ENTRY>) => ({
  at: row.at,
  actor: row.actor,
  peer: row.peer,
  operation: row.operation,
  subject: row.subject,
  ...optional('dnsType', row.dns_type),
  ...optional('before', row.went),
  ...optional('after', row.came),
})

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
