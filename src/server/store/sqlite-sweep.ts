import { unpackRing } from './ring.ts'
import type { Sql } from './sqlite-values.ts'

/** In seconds. Far beyond every span in which failed logins are counted. */
const KEPT_FOR = 24 * 60 * 60
/** Rows that are looked at in one transaction beside requests, which wait for it. */
const AT_ONCE = 500

/**
 * Of strangers there is no end, and a row for each would fill the disk in time: whoever has not failed for a day is forgotten.
 * Goes round the table bit by bit. `now` is in seconds.
 */
export function failureSweep(sql: Sql): (now: number) => void {
  let reached = ''
  return (now) => {
    const rows = sql(
      'SELECT peer, ring, deaf_until FROM login_failure WHERE peer > ? ORDER BY peer LIMIT ?',
    ).all(reached, AT_ONCE)
    for (const { peer = null, ring, deaf_until: blockedUntil } of rows) {
      const last = Math.max(unpackRing(ring).at(-1) ?? 0, Number(blockedUntil ?? 0) / 1000)
      if (last < now - KEPT_FOR) sql('DELETE FROM login_failure WHERE peer = ?').run(peer)
    }
    reached = rows.length < AT_ONCE ? '' : String(rows.at(-1)?.['peer'])
  }
}
