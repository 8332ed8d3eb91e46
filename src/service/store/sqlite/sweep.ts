import { unpackBuckets } from '../buckets.ts'
import { FAILURES } from '../counter-rows.ts'
import { select, selects } from '../select.ts'
import type { SqliteSql } from './transaction.ts'

/** In seconds. Far longer than any window in which failed logins are counted. */
const RETENTION = 24 * 60 * 60
/** Rows per transaction; the requests in the same transaction wait for it. */
const BATCH = 500

export const SWEEP = selects({
  next: select(
    { peer: 'TEXT', ...FAILURES },
    'SELECT peer, buckets, blocked_until FROM login_failure WHERE peer > ? ORDER BY peer LIMIT ?',
  ),
})

/**
 * Deletes peers without a failed login for a day, because their number has no bound and would fill the disk. Each call
 * checks the next part of the table. `now` is in seconds.
 */
export function failureSweep(sql: SqliteSql): (now: number) => void {
  let position = ''
  return (now) => {
    const rows = sql(SWEEP.next).all(position, BATCH)
    for (const { peer, buckets, blocked_until: blockedUntil } of rows) {
      const last = Math.max(unpackBuckets(buckets).at(-1)?.start ?? 0, (blockedUntil ?? 0) / 1000)
      if (last < now - RETENTION) sql('DELETE FROM login_failure WHERE peer = ?').run(peer)
    }
    position = rows.length < BATCH ? '' : (rows.at(-1)?.peer ?? '')
  }
}
