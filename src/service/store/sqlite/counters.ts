import type { Buckets, FailedLogins } from '../../model/rows.ts'
import { packBuckets, unpackBuckets } from '../buckets.ts'
import type { CounterTable, CounterTables } from '../cached-counters.ts'
import {
  type CounterReads,
  FAILURES,
  failuresFrom,
  isBlockChange,
  isLockoutChange,
  NEVER_USED,
  NO_FAILURES,
  nochgKey,
  nochgParts,
  subjectOf,
  USAGE,
  USAGE_COLUMNS,
  usageFrom,
  usageValues,
} from '../counter-rows.ts'
import { mergeBuckets, mergeFailures, mergeUsage, type UsageRow } from '../counts.ts'
import { isShown } from '../hidden.ts'
import { columnList, select, selects } from '../select.ts'
import type { SqliteSql } from './transaction.ts'
import { failureSweep } from './sweep.ts'

export const SQLITE_COUNTERS = selects({
  usage: select(USAGE, `SELECT ${USAGE_COLUMNS} FROM usage WHERE subject = ?`),
  nochgs: select({ buckets: 'BLOB' }, 'SELECT buckets FROM nochg WHERE subject = ? AND hostname = ?'),
  failures: select(FAILURES, `SELECT ${columnList(FAILURES)} FROM login_failure WHERE peer = ?`),
})

/** The key or the account is still there: what was counted before it was removed, here or by another process, is dropped. */
const IS_THERE = `CASE WHEN ?1 LIKE 'key:%'
    THEN EXISTS (SELECT 1 FROM ddns_key WHERE id = CAST(substr(?1, 5) AS INTEGER) AND ${isShown('username')})
    ELSE EXISTS (SELECT 1 FROM account WHERE id = CAST(substr(?1, 9) AS INTEGER) AND ${isShown('name')}) END`

const usageCounters = (sql: SqliteSql): CounterTable<UsageRow> => ({
  load(subject) {
    const row = sql(SQLITE_COUNTERS.usage).get(subject)
    return row === undefined ? NEVER_USED : usageFrom(row)
  },
  save(subject, row) {
    if (row.last === undefined) return
    sql(`INSERT OR REPLACE INTO usage (subject, ${USAGE_COLUMNS})
      SELECT ?1, ?, ?, ?, ?, ?, ?, ?, ? WHERE ${IS_THERE}`).run(subject, ...usageValues(row, row.last))
  },
  merge: mergeUsage,
  writesThrough: isBlockChange,
})

const nochgCounters = (sql: SqliteSql): CounterTable<Buckets> => ({
  load(key) {
    const row = sql(SQLITE_COUNTERS.nochgs).get(...nochgParts(key))
    return row === undefined ? [] : unpackBuckets(row.buckets)
  },
  save: (key, buckets) =>
    void sql(
      `INSERT OR REPLACE INTO nochg (subject, hostname, buckets) SELECT ?1, ?, ? WHERE ${IS_THERE}`,
    ).run(...nochgParts(key), packBuckets(buckets)),
  merge: mergeBuckets,
  writesThrough: () => false,
})

const failureCounters = (sql: SqliteSql): CounterTable<FailedLogins> => ({
  load(peer) {
    const row = sql(SQLITE_COUNTERS.failures).get(peer)
    return row === undefined ? NO_FAILURES : failuresFrom(row)
  },
  save: (peer, { buckets, blockedUntil }) =>
    void sql('INSERT OR REPLACE INTO login_failure (peer, buckets, blocked_until) VALUES (?, ?, ?)').run(
      peer,
      packBuckets(buckets),
      blockedUntil ?? null,
    ),
  merge: mergeFailures,
  writesThrough: isLockoutChange,
})

export const sqliteCounters = (sql: SqliteSql): CounterTables => ({
  usage: usageCounters(sql),
  nochgs: nochgCounters(sql),
  failures: failureCounters(sql),
  sweep: failureSweep(sql),
})

/** The counters as they are stored, without the cache. */
export const storedCounters = (sql: SqliteSql): CounterReads => ({
  usageOf: async (principal) => usageCounters(sql).load(subjectOf(principal)).usage,
  nochgsOf: async (principal, hostname) => nochgCounters(sql).load(nochgKey(principal, hostname)),
  failuresOf: async (peer) => failureCounters(sql).load(peer),
})
