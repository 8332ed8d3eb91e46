import { isBefore } from '../../shared/base/time.ts'
import type { Buckets, FailedLogins, LastUse, Principal } from '../model/rows.ts'
import { CounterCache, type CounterTable } from './counter-cache.ts'
import type { UsageRow } from './counts.ts'
import { type CounterReads, type CounterWrites, isNochgOf, nochgKey, subjectOf } from './counter-rows.ts'
import type { KeyUse, RecordReads } from './records.ts'
import type { Undo } from './store.ts'

/** Upper bound per counter type. Keys and names are finite; failed-login peers are not. */
const MAX_CACHED = 100_000

export type CounterKind = 'usage' | 'nochgs' | 'failures'

/** Where the counters are stored. */
export interface CounterTables {
  readonly usage: CounterTable<UsageRow>
  readonly nochgs: CounterTable<Buckets>
  readonly failures: CounterTable<FailedLogins>
  /** Deletes old failed logins; `now` in seconds. */
  readonly sweep: (now: number) => void
}

/** All counters of the service, with the caches that write them back. */
export class CachedCounters {
  readonly #usage: CounterCache<UsageRow>
  readonly #nochgs: CounterCache<Buckets>
  readonly #failures: CounterCache<FailedLogins>
  readonly #sweep: (now: number) => void
  /** The start of the bucket of the newest failed login since the last flush, in seconds. */
  #lastFailure: number | undefined

  constructor({ usage, nochgs, failures, sweep }: CounterTables, recordUndo: (undo: Undo) => void) {
    const options = { recordUndo, maxCached: MAX_CACHED }
    this.#usage = new CounterCache(usage, options)
    this.#nochgs = new CounterCache(nochgs, options)
    this.#failures = new CounterCache(failures, options)
    this.#sweep = sweep
  }

  get dirtyCount(): number {
    return this.#usage.dirtyCount + this.#nochgs.dirtyCount + this.#failures.dirtyCount
  }

  reads(): CounterReads {
    return {
      usageOf: async (principal) => this.#usage.get(subjectOf(principal)).usage,
      nochgsOf: async (principal, hostname) => this.#nochgs.get(nochgKey(principal, hostname)),
      failuresOf: async (peer) => this.#failures.get(peer),
    }
  }

  /** The last use of a key, if it is not stored yet. */
  unstoredUse(keyId: number): LastUse | undefined {
    return this.#usage.unstored(subjectOf({ kind: 'key', id: keyId }))?.last
  }

  writes(): CounterWrites {
    return {
      ...this.reads(),
      putUsage: async (principal, usage, last) => {
        const subject = subjectOf(principal)
        const isBlockChanged = this.#usage.get(subject).usage.blockedUntil !== usage.blockedUntil
        this.#usage.put(subject, { usage, last })
        if (isBlockChanged) this.#nochgs.flushMatching(isNochgOf(principal))
      },
      putNochgs: async (principal, hostname, buckets) =>
        this.#nochgs.put(nochgKey(principal, hostname), buckets),
      putFailures: async (peer, failures) => {
        this.#lastFailure = failures.buckets.at(-1)?.start ?? this.#lastFailure
        this.#failures.put(peer, failures)
      },
    }
  }

  /** Drops all counters of a key or an account. */
  forget(principal: Pick<Principal, 'kind' | 'id'>): void {
    const subject = subjectOf(principal)
    this.#usage.forget((key) => key === subject)
    this.#nochgs.forget(isNochgOf(principal))
  }

  invalidate(): void {
    this.#usage.invalidate()
    this.#nochgs.invalidate()
    this.#failures.invalidate()
  }

  /** The keys of what is dirty now. */
  dirtyKeys(): Readonly<Record<CounterKind, readonly string[]>> {
    return {
      usage: this.#usage.dirtyKeys(),
      nochgs: this.#nochgs.dirtyKeys(),
      failures: this.#failures.dirtyKeys(),
    }
  }

  /** Another process may have counted: what is stored is read again. */
  refresh(kind: CounterKind, key: string): void {
    this.#cacheOf(kind).refresh(key)
  }

  /** Stores the dirty ones among these. */
  flushKeys(kind: CounterKind, keys: readonly string[]): void {
    this.#cacheOf(kind).flushKeys(keys)
  }

  /** Queues what is dirty now. The function it returns reports whether all of that is stored. */
  beginFlush(): () => boolean {
    const rounds = [this.#usage.beginFlush(), this.#nochgs.beginFlush(), this.#failures.beginFlush()]
    return () => rounds.every((isDone) => isDone())
  }

  /** Stores up to `max` queued counters. */
  flush(max: number): void {
    let left = max
    for (const cache of [this.#usage, this.#nochgs, this.#failures]) left -= cache.flush(left)
    // Rows are added only while logins fail.
    if (this.#lastFailure !== undefined) this.#sweep(this.#lastFailure)
    this.#lastFailure = undefined
  }

  #cacheOf(kind: CounterKind): Pick<CounterCache<never>, 'refresh' | 'flushKeys'> {
    return { usage: this.#usage, nochgs: this.#nochgs, failures: this.#failures }[kind]
  }
}

/** The last use of a key that is counted here and not stored yet. */
interface UnstoredUses {
  unstoredUse(keyId: number): LastUse | undefined
}

type KeyReads = Pick<RecordReads, 'keyNamed' | 'keysOf' | 'keysOfNames'>

/**
 * Shows what is not stored yet, so that a list needs not wait until it is: under load, every key of the service is used
 * between two reads. Blocks are stored at once.
 */
export function withUnstoredUses(tables: KeyReads, counters: UnstoredUses): KeyReads {
  const withUse = <K extends { readonly lastUse?: KeyUse }>(key: K, id: number): K => {
    const use = counters.unstoredUse(id)
    if (use === undefined || (key.lastUse !== undefined && isBefore(use.at, key.lastUse.at))) return key
    const { at, agent, peer: address, reply } = use
    return { ...key, lastUse: { at, agent, address, reply } }
  }
  return {
    async keyNamed(username) {
      const key = await tables.keyNamed(username)
      return key && withUse(key, key.id)
    },
    async keysOf(accountId, query) {
      const list = await tables.keysOf(accountId, query)
      return { ...list, items: list.items.map((key) => withUse(key, key.id)) }
    },
    keysOfNames: async (accountId, nameIds) =>
      (await tables.keysOfNames(accountId, nameIds)).map((key) => withUse(key, key.keyId)),
  }
}
