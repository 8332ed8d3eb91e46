import { after, days, type Instant, minutes } from '../../../shared/base/time.ts'
import type { Buckets } from '../../model/rows.ts'
import type { Sanction } from '../account/sanctions.ts'
import { nochgParts, subjectOf } from '../counter-rows.ts'
import type { UsageRow } from '../counts.ts'
import { select, selects } from '../select.ts'
import { sqlSanctions } from '../sql/account/sanctions.ts'
import type { StoreWrites } from '../store.ts'
import type { PostgresSql } from './statements.ts'

/** Other nodes store what they have counted of a key some seconds later. */
const KEPT = minutes(1)
const LONGEST_WINDOW = days(1)

export const GONE_KEYS_OF = selects({
  keys: select(
    { account_id: 'INTEGER', source: 'TEXT', ends_at: 'TIME' },
    `SELECT account_id, source, ends_at FROM sanction WHERE subject = '' AND source = ANY($1::text[]) ORDER BY source`,
  ),
})

/**
 * Removes a key, and records its account for the nodes that still count for it: they find the account and its later
 * keys by this row.
 */
export async function removeAndMark(
  w: Pick<StoreWrites, 'keyRestrictions' | 'removeKey' | 'putSanction'>,
  keyId: number,
  now: Instant,
): Promise<void> {
  const key = await w.keyRestrictions(keyId)
  await w.removeKey(keyId, now)
  if (key === undefined) return
  const counts = { requests: [], refusals: [], nochgs: [] }
  const source = subjectOf({ kind: 'key', id: keyId })
  const restrictions = { lastKeyId: key.lastKeyId, isBlocked: false, isLocked: false }
  await w.putSanction(key.accountId, {
    ...counts,
    ...restrictions,
    subject: '',
    source,
    endsAt: after(now, KEPT),
  })
}

interface CountedRows {
  readonly usage: ReadonlyMap<string, UsageRow>
  readonly nochgs: ReadonlyMap<string, Buckets>
}

/** The row of a key that is gone is gone too, so a flush has only what this node has counted since the last one. */
function withCounted(one: Buckets, counted: Buckets): Buckets {
  const counts = new Map(one.map(({ start, count }) => [start, count]))
  for (const { start, count } of counted) counts.set(start, (counts.get(start) ?? 0) + count)
  return Array.from(counts, ([start, count]) => ({ start, count })).toSorted((a, b) => a.start - b.start)
}

/** What this node has counted of keys that another one has removed passes on, too (decision 0062). */
export async function passOnCounts(sql: PostgresSql, counted: CountedRows): Promise<void> {
  const nochgs = [...counted.nochgs].map(([key, buckets]) => [...nochgParts(key), buckets] as const)
  const subjects = new Set([...counted.usage.keys(), ...nochgs.map(([subject]) => subject)])
  const w = sqlSanctions(sql)
  for (const { account_id: accountId, source, ends_at: end } of await sql.rows(GONE_KEYS_OF.keys, [
    ...subjects,
  ])) {
    const { requests = [], refusals = [] } = counted.usage.get(source)?.usage ?? {}
    const own = nochgs.filter(([subject]) => subject === source)
    // A group is counted by its username.
    const hostnames = own.filter(([, name]) => name.includes('.'))
    const group = own.filter(([, name]) => !name.includes('.')).flatMap(([, , buckets]) => [...buckets])
    const rows = await w.sanctionsOf(accountId, ['', ...hostnames.map(([, name]) => name)])
    const row = rows.find((one) => one.subject === '' && one.source === source)
    if (row === undefined) continue
    const put = async (one: Sanction, more: Buckets): Promise<void> =>
      w.putSanction(accountId, {
        ...one,
        requests: withCounted(one.requests, requests),
        refusals: withCounted(one.refusals, refusals),
        nochgs: withCounted(one.nochgs, more),
        endsAt: after(end, LONGEST_WINDOW),
      })
    await put(row, group)
    for (const [, subject, buckets] of hostnames) {
      const left = rows.find((one) => one.subject === subject && one.source === '')
      await put(left ?? { ...row, requests: [], refusals: [], nochgs: [], subject, source: '' }, buckets)
    }
  }
}
