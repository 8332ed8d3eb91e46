import { parseAddress } from '../../net/address.ts'
import type { Buckets, FailedLogins, LastUse, Principal } from '../model/rows.ts'
import { packBuckets, unpackBuckets } from './buckets.ts'
import type { CounterTable } from './counter-cache.ts'
import { mergeBuckets, mergeFailures, mergeUsage, type UsageRow } from './counts.ts'
import { instantOf, type Row, type Sql } from './sqlite-values.ts'
import type { StoreReads, StoreWrites } from './store.ts'

export const subjectOf = ({ kind, id }: Pick<Principal, 'kind' | 'id'>): string => `${kind}:${id}`

const NEVER_USED: UsageRow = { usage: { requests: [], refusals: [], nondescriptive: 0 } }

export const usageCounters = (sql: Sql): CounterTable<UsageRow> => ({
  load(subject) {
    const row = sql(
      'SELECT request_buckets, refusal_buckets, blocked_until, nondescriptive, used_at, agent, peer, reply FROM usage WHERE subject = ?',
    ).get(subject)
    return row === undefined ? NEVER_USED : usageFrom(row)
  },
  save(subject, { usage, last }) {
    if (last === undefined) return
    sql(`INSERT OR REPLACE INTO usage (subject, request_buckets, refusal_buckets, blocked_until, nondescriptive, used_at, agent, peer, reply)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      subject,
      packBuckets(usage.requests),
      packBuckets(usage.refusals),
      usage.blockedUntil ?? null,
      usage.nondescriptive,
      last.at,
      last.agent,
      last.peer,
      last.reply,
    )
  },
  merge: mergeUsage,
  // An operator may lift a block as soon as it is reported, in another process.
  writesThrough: (base, ours) => base.usage.blockedUntil !== ours.usage.blockedUntil,
})

function usageFrom(row: Row): UsageRow {
  const blockedUntil = instantOf(row['blocked_until'])
  const last = lastUseFrom(row)
  return {
    usage: {
      requests: unpackBuckets(row['request_buckets']),
      refusals: unpackBuckets(row['refusal_buckets']),
      nondescriptive: Number(row['nondescriptive']),
      ...(blockedUntil !== undefined && { blockedUntil }),
    },
    ...(last !== undefined && { last }),
  }
}

function lastUseFrom(row: Row): LastUse | undefined {
  const [at, peer] = [instantOf(row['used_at']), parseAddress(String(row['peer']))]
  if (at === undefined || peer === undefined) return undefined
  return { at, agent: String(row['agent']), peer, reply: String(row['reply']) }
}

/** Subject and hostname; a subject contains no blank. */
export const nochgKey = (principal: Principal, hostname: string): string =>
  `${subjectOf(principal)} ${hostname}`
export function isNochgOf(principal: Pick<Principal, 'kind' | 'id'>): (key: string) => boolean {
  const prefix = `${subjectOf(principal)} `
  return (key) => key.startsWith(prefix)
}
const partsOf = (key: string): readonly [subject: string, hostname: string] => {
  const at = key.indexOf(' ')
  return [key.slice(0, at), key.slice(at + 1)]
}

export const nochgCounters = (sql: Sql): CounterTable<Buckets> => ({
  load: (key) =>
    unpackBuckets(
      sql('SELECT buckets FROM nochg WHERE subject = ? AND hostname = ?').get(...partsOf(key))?.['buckets'],
    ),
  save: (key, buckets) =>
    void sql('INSERT OR REPLACE INTO nochg (subject, hostname, buckets) VALUES (?, ?, ?)').run(
      ...partsOf(key),
      packBuckets(buckets),
    ),
  merge: mergeBuckets,
  writesThrough: () => false,
})

/** One object for all: nearly every peer has no failed logins. */
const NO_FAILURES: FailedLogins = { buckets: [] }

export const failureCounters = (sql: Sql): CounterTable<FailedLogins> => ({
  load(peer) {
    const row = sql('SELECT buckets, blocked_until FROM login_failure WHERE peer = ?').get(peer)
    if (row === undefined) return NO_FAILURES
    const blockedUntil = instantOf(row['blocked_until'])
    return {
      buckets: unpackBuckets(row['buckets']),
      ...(blockedUntil !== undefined && { blockedUntil }),
    }
  },
  save: (peer, { buckets, blockedUntil }) =>
    void sql('INSERT OR REPLACE INTO login_failure (peer, buckets, blocked_until) VALUES (?, ?, ?)').run(
      peer,
      packBuckets(buckets),
      blockedUntil ?? null,
    ),
  merge: mergeFailures,
  writesThrough: (base, ours) => base.blockedUntil !== ours.blockedUntil,
})

export type CounterReads = Pick<StoreReads, 'usageOf' | 'nochgsOf' | 'failuresOf'>
export type CounterWrites = CounterReads & Pick<StoreWrites, 'putUsage' | 'putNochgs' | 'putFailures'>

/** The counters as they are stored, without the cache. */
export const storedCounters = (sql: Sql): CounterReads => ({
  usageOf: async (principal) => usageCounters(sql).load(subjectOf(principal)).usage,
  nochgsOf: async (principal, hostname) => nochgCounters(sql).load(nochgKey(principal, hostname)),
  failuresOf: async (peer) => failureCounters(sql).load(peer),
})
