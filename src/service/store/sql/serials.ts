import type { PublishWrites } from '../published.ts'
import { existing, select, selects } from '../select.ts'
import type { Sql } from './statement.ts'

export const SERIALS = selects({
  lastJournalStep: select({ at: 'TIME NULL' }, 'SELECT max(at) AS at FROM dns_journal'),
  /** Of a step of the journal, or of a zone. */
  lastChange: select(
    { at: 'TIME' },
    `SELECT max(at) AS at FROM (SELECT max(at) AS at FROM dns_journal
      UNION ALL SELECT coalesce(max(updated_at), ?) FROM zone) AS last`,
  ),
})

/** By the shortest pause between two flushes. */
const MAX_FLUSHES_PER_SECOND = 50
/** In milliseconds: a standby is not further behind when it takes over. */
const MAX_LOST = 3_600_000

/** Secondaries fetch the whole zones. */
async function forgetSteps(sql: Sql): Promise<void> {
  await sql('DELETE FROM dns_journal').run()
  await sql(`INSERT INTO dns_dirty SELECT id, '' FROM dns_zone WHERE TRUE ON CONFLICT DO NOTHING`).run()
}

/** Serials that are raised above those of a store that is lost, in SQL. */
export const sqlSerials = (
  sql: Sql,
): Pick<PublishWrites, 'raiseSerialsAfter' | 'raiseLostSerials' | 'raiseSerial'> => ({
  async raiseSerialsAfter(now) {
    const { at: last } = existing(await sql(SERIALS.lastChange).get(now))
    const seconds = Math.max(0, (now - last) / 1000)
    // RFC 1982 §3.2: a serial is higher only within half of all numbers.
    const raise = Math.min(Math.ceil(seconds * MAX_FLUSHES_PER_SECOND) + 1, 2 ** 31 - 1)
    await sql('UPDATE dns_zone SET serial = (serial + ?) & 4294967295').run(raise)
    await forgetSteps(sql)
  },
  async raiseLostSerials(now) {
    const last = existing(await sql(SERIALS.lastJournalStep).get()).at ?? now - MAX_LOST
    const span = Math.min(Math.max(0, now - last), MAX_LOST)
    const raise = Math.ceil((span / 1000) * MAX_FLUSHES_PER_SECOND) + 1
    const clock = Math.floor(now / 1000) >>> 0
    // RFC 1982: a lost step may have had the number of its second.
    await sql(`UPDATE dns_zone SET serial = ((CASE WHEN ((?1 - serial) & 4294967295) BETWEEN 1 AND 2147483647
      THEN ?1 ELSE serial END) + ?2) & 4294967295`).run(clock, raise)
    await forgetSteps(sql)
  },
  async raiseSerial(zoneId, serial) {
    // By RFC 1982; a serial that is 2**31 away is neither newer nor older.
    const { changes } = await sql(`UPDATE dns_zone SET serial = ?1
      WHERE id = ?2 AND ((?1 - serial) & 4294967295) BETWEEN 1 AND 2147483648`).run(serial, zoneId)
    if (changes === 0) return
    await sql('DELETE FROM dns_journal WHERE zone_id = ?').run(zoneId)
    await sql(`INSERT INTO dns_dirty VALUES (?, '') ON CONFLICT DO NOTHING`).run(zoneId)
  },
})
