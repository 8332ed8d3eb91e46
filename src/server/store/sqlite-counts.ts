import { parseAddress } from '../../net/address.ts'
import type { FailedLogins, LastUse, Principal, Usage } from '../model/rows.ts'
import { type CounterCache, type CounterTable, counterCache, type Undo } from './counter-cache.ts'
import { mergeFailures, mergeMoments, mergeUsage, type UsageRow } from './counts.ts'
import { packRing, unpackRing } from './ring.ts'
import { failureSweep } from './sqlite-sweep.ts'
import { instantOf, type Row, type Sql } from './sqlite-values.ts'
import type { StoreReads, StoreWrites } from './store.ts'

export const subjectOf = ({ kind, id }: Pick<Principal, 'kind' | 'id'>): string => `${kind}:${id}`

const NEVER_USED: UsageRow = { usage: { requests: [], refusals: [], undescriptive: 0 } }

const uses = (sql: Sql): CounterTable<UsageRow> => ({
  load(subject) {
    const row = sql(
      'SELECT requests_ring, refusals_ring, blocked_until, undescriptive, used_at, agent, peer, reply FROM usage WHERE subject = ?',
    ).get(subject)
    return row === undefined ? NEVER_USED : useFrom(row)
  },
  save(subject, { usage, last }) {
    if (last === undefined) return
    sql(`INSERT OR REPLACE INTO usage (subject, requests_ring, refusals_ring, blocked_until, undescriptive, used_at, agent, peer, reply)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      subject,
      packRing(usage.requests),
      packRing(usage.refusals),
      usage.blockedUntil ?? null,
      usage.undescriptive,
      last.at,
      last.agent,
      last.peer,
      last.reply,
    )
  },
  merge: mergeUsage,
  // Whoever was told of a block can have it lifted at once, by another process.
  writesThrough: (base, ours) => base.usage.blockedUntil !== ours.usage.blockedUntil,
})

function useFrom(row: Row): UsageRow {
  const blockedUntil = instantOf(row['blocked_until'])
  const last = lastFrom(row)
  return {
    usage: {
      requests: unpackRing(row['requests_ring']),
      refusals: unpackRing(row['refusals_ring']),
      undescriptive: Number(row['undescriptive']),
      ...(blockedUntil !== undefined && { blockedUntil }),
    },
    ...(last !== undefined && { last }),
  }
}

function lastFrom(row: Row): LastUse | undefined {
  const [at, peer] = [instantOf(row['used_at']), parseAddress(String(row['peer']))]
  if (at === undefined || peer === undefined) return undefined
  return { at, agent: String(row['agent']), peer, reply: String(row['reply']) }
}

/** By subject and hostname; no subject has a blank in it. */
const nochgKey = (subject: string, hostname: string): string => `${subject} ${hostname}`
const isOf =
  (subject: string) =>
  (key: string): boolean =>
    key.startsWith(`${subject} `)
const partsOf = (key: string): readonly [subject: string, hostname: string] => {
  const at = key.indexOf(' ')
  return [key.slice(0, at), key.slice(at + 1)]
}

const nochgs = (sql: Sql): CounterTable<readonly number[]> => ({
  load: (key) =>
    unpackRing(
      sql('SELECT ring FROM nochg WHERE subject = ? AND hostname = ?').get(...partsOf(key))?.['ring'],
    ),
  save: (key, moments) =>
    void sql('INSERT OR REPLACE INTO nochg (subject, hostname, ring) VALUES (?, ?, ?)').run(
      ...partsOf(key),
      packRing(moments),
    ),
  merge: mergeMoments,
  writesThrough: () => false,
})

/** One for all: nearly every peer that asks has none. */
const NO_FAILURES: FailedLogins = { moments: [] }

const failures = (sql: Sql): CounterTable<FailedLogins> => ({
  load(peer) {
    const row = sql('SELECT ring, deaf_until FROM login_failure WHERE peer = ?').get(peer)
    if (row === undefined) return NO_FAILURES
    const blockedUntil = instantOf(row['deaf_until'])
    return {
      moments: unpackRing(row['ring']),
      ...(blockedUntil !== undefined && { blockedUntil: blockedUntil }),
    }
  },
  save: (peer, { moments, blockedUntil }) =>
    void sql('INSERT OR REPLACE INTO login_failure (peer, ring, deaf_until) VALUES (?, ?, ?)').run(
      peer,
      packRing(moments),
      blockedUntil ?? null,
    ),
  merge: mergeFailures,
  writesThrough: (base, ours) => base.blockedUntil !== ours.blockedUntil,
})

export type CounterReads = Pick<StoreReads, 'usageOf' | 'nochgsOf' | 'failuresOf'>
export type CounterWrites = CounterReads & Pick<StoreWrites, 'putUsage' | 'putNochgs' | 'putFailures'>

/** Counts as they are written down. */
export const storedCounters = (sql: Sql): CounterReads => ({
  usageOf: async (who) => uses(sql).load(subjectOf(who)).usage,
  nochgsOf: async (who, hostname) => nochgs(sql).load(nochgKey(subjectOf(who), hostname)),
  failuresOf: async (peer) => failures(sql).load(peer),
})

/** Counts at hand, and what keeps them and the store together. */
export interface CachedCounters extends CounterWrites {
  /** Everything that a key or an account did. */
  forget(who: Pick<Principal, 'kind' | 'id'>): void
  invalidate(): void
  /** Begins to write down all that is due now; gives what tells whether that is done. */
  beginFlush(): () => boolean
  /** Goes on with it, with no more than `most`. */
  flush(most: number): void
  due(): number
}

/** Of each kind: there are so many keys, names and households of ours. Of strangers there is no end. */
const MAX_CACHED = 100_000

export function cachedCounters(sql: Sql, note: (undo: Undo) => void): CachedCounters {
  const byUse = counterCache(uses(sql), note, MAX_CACHED)
  const byNochg = counterCache(nochgs(sql), note, MAX_CACHED)
  const byPeer = counterCache(failures(sql), note, MAX_CACHED)
  const all: readonly Pick<CounterCache<unknown>, 'invalidate' | 'beginFlush' | 'flush' | 'due'>[] = [
    byUse,
    byNochg,
    byPeer,
  ]
  const sweep = failureSweep(sql)
  let lastFailure: number | undefined
  return {
    usageOf: async (who): Promise<Usage> => byUse.get(subjectOf(who)).usage,
    putUsage: async (who, usage, last) => {
      const subject = subjectOf(who)
      const isBlock = byUse.get(subject).usage.blockedUntil !== usage.blockedUntil
      byUse.put(subject, { usage, last })
      if (isBlock) byNochg.flushMatching(isOf(subject))
    },
    nochgsOf: async (who, hostname) => byNochg.get(nochgKey(subjectOf(who), hostname)),
    putNochgs: async (who, hostname, moments) => byNochg.put(nochgKey(subjectOf(who), hostname), moments),
    failuresOf: async (peer) => byPeer.get(peer),
    putFailures: async (peer, counted) => {
      lastFailure = counted.moments.at(-1) ?? lastFailure
      byPeer.put(peer, counted)
    },
    forget(who) {
      const subject = subjectOf(who)
      byUse.forget((key) => key === subject)
      byNochg.forget(isOf(subject))
    },
    invalidate: () => {
      for (const one of all) one.invalidate()
    },
    beginFlush: () => {
      const ends = all.map((one) => one.beginFlush())
      return () => ends.every((isOver) => isOver())
    },
    flush: (most) => {
      let left = most
      for (const one of all) left -= one.flush(left)
      // While nobody fails, nothing is added.
      if (lastFailure !== undefined) sweep(lastFailure)
      lastFailure = undefined
    },
    due: () => all.reduce((sum, { due }) => sum + due, 0),
  }
}
