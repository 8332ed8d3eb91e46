import { isBefore } from '../../shared/base/time.ts'
import type { Buckets, FailedLogins, LastUse, Principal } from '../model/rows.ts'
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

/**
 * The keys of counters to store, round by round in the order of the keys: adjacent rows share a page, which is written
 * once.
 */
class FlushQueue {
  #keys: readonly string[] = []
  #taken = 0
  readonly #recordUndo: (undo: Undo) => void

  constructor(recordUndo: (undo: Undo) => void) {
    this.#recordUndo = recordUndo
  }

  /**
   * Appends these keys, so that earlier rounds do not wait for them. The function it returns reports whether all of
   * the queue up to here is taken.
   */
  add(counters: Iterable<{ readonly key: string }>): () => boolean {
    const queued = new Set(this.#keys)
    const added = Array.from(counters, ({ key }) => key).filter((key) => !queued.has(key))
    this.#keys = [...this.#keys, ...added.toSorted()]
    const end = this.#taken + this.#keys.length
    return () => this.#taken >= end
  }

  take(max: number): readonly string[] {
    const first = this.#keys.slice(0, max)
    this.#keys = this.#keys.slice(max)
    this.#taken += first.length
    this.#recordUndo(() => {
      this.#keys = [...first, ...this.#keys]
      this.#taken -= first.length
    })
    return first
  }
}

/** How one kind of counter is stored, and how it is merged when another process counted too. */
export interface CounterTable<T> {
  readonly load: (key: string) => T
  readonly save: (key: string, value: T) => void
  /** `base` is the value as loaded, `ours` the value after our changes, `theirs` the value in the store now. */
  readonly merge: (base: T, ours: T, theirs: T) => T
  /** Whether a change must be stored immediately instead of with the next flush. */
  readonly writesThrough: (base: T, ours: T) => boolean
}

/** Mutable for speed: every request reads some, and there is one for each name. */
interface CachedCounter<T> {
  readonly key: string
  value: T
  /** The value in the store, as far as this process has seen. */
  base: T
  isInvalidated: boolean
  isCached: boolean
  /** Changed, and not stored yet. */
  isDirty: boolean
}

interface CacheOptions {
  /** Receives what reverts each change, for a transaction that is rolled back. */
  readonly recordUndo: (undo: Undo) => void
  /** No more counters are kept once they are stored: each takes some hundred bytes. */
  readonly maxCached: number
}

/** Evicting one counter at a time is slow: each search passes the dirty ones again. */
const EVICTED_SHARE = 1 / 8

/**
 * A write-back cache of counters. They change with every request, and losing some seconds of them is acceptable, so
 * their changes are collected and stored together a little later.
 */
export class CounterCache<T> {
  readonly #table: CounterTable<T>
  readonly #options: CacheOptions
  /** In the order of their insertion: the oldest are evicted first. */
  readonly #cached = new Map<string, CachedCounter<T>>()
  readonly #dirty = new Set<CachedCounter<T>>()
  readonly #queue: FlushQueue

  constructor(table: CounterTable<T>, options: CacheOptions) {
    this.#table = table
    this.#options = options
    this.#queue = new FlushQueue(options.recordUndo)
  }

  /** How many counters are changed and not stored yet. */
  get dirtyCount(): number {
    return this.#dirty.size
  }

  get(key: string): T {
    const counter = this.#counterFor(key)
    if (!counter.isCached && this.#makeRoom()) this.#place(counter, true, false)
    return counter.value
  }

  put(key: string, value: T): void {
    const counter = this.#counterFor(key)
    this.#recordUndo(counter)
    counter.value = value
    this.#place(counter, true, true)
    if (this.#table.writesThrough(counter.base, value)) this.#store(counter)
  }

  /** Drops these counters, as if nothing had been counted. */
  forget(isMatch: (key: string) => boolean): void {
    for (const counter of [...this.#cached.values()].filter(({ key }) => isMatch(key))) {
      this.#recordUndo(counter)
      this.#place(counter, false, false)
    }
  }

  /** Another process wrote, or a transaction was rolled back: only changes that are not stored yet remain valid. */
  invalidate(): void {
    for (const counter of this.#cached.values())
      if (counter.isDirty) counter.isInvalidated = true
      else this.#place(counter, false, false)
  }

  /** The value, if it is changed and not stored yet. */
  unstored(key: string): T | undefined {
    const counter = this.#cached.get(key)
    return counter?.isDirty === true ? counter.value : undefined
  }

  dirtyKeys(): readonly string[] {
    return Array.from(this.#dirty, ({ key }) => key)
  }

  /** What is stored of this one is read again when it is next used. */
  refresh(key: string): void {
    const counter = this.#cached.get(key)
    if (counter?.isDirty === true) counter.isInvalidated = true
    else if (counter !== undefined) this.#place(counter, false, false)
  }

  /** Queues all dirty counters. The function it returns reports whether these, and all queued before, are stored. */
  beginFlush(): () => boolean {
    return this.#queue.add(this.#dirty)
  }

  /** Stores up to `max` queued counters; returns how many it took from the queue. */
  flush(max: number): number {
    const keys = this.#queue.take(max)
    this.flushKeys(keys)
    return keys.length
  }

  /** Stores the dirty counters among these. */
  flushMatching(isMatch: (key: string) => boolean): void {
    this.flushKeys(this.dirtyKeys().filter(isMatch))
  }

  flushKeys(keys: readonly string[]): void {
    for (const key of keys) if (this.#cached.get(key)?.isDirty === true) this.#store(this.#counterFor(key))
  }

  #counterFor(key: string): CachedCounter<T> {
    const counter = this.#cached.get(key)
    if (counter === undefined) return newCounter(key, this.#table.load(key))
    if (counter.isInvalidated) {
      this.#recordUndo(counter)
      const base = this.#table.load(key)
      counter.value = this.#table.merge(counter.base, counter.value, base)
      counter.base = base
      counter.isInvalidated = false
    }
    return counter
  }

  #store(counter: CachedCounter<T>): void {
    this.#table.save(counter.key, counter.value)
    this.#recordUndo(counter)
    counter.base = counter.value
    this.#place(counter, this.#cached.size <= this.#options.maxCached, false)
  }

  #recordUndo(counter: CachedCounter<T>): void {
    const { value, base, isInvalidated, isCached, isDirty } = counter
    this.#options.recordUndo(() => {
      Object.assign(counter, { value, base, isInvalidated })
      this.#place(counter, isCached, isDirty)
    })
  }

  #place(counter: CachedCounter<T>, isCached: boolean, isDirty: boolean): void {
    if (isCached !== counter.isCached) {
      if (isCached) this.#cached.set(counter.key, counter)
      else this.#cached.delete(counter.key)
      counter.isCached = isCached
    }
    if (isDirty === counter.isDirty) return
    if (isDirty) this.#dirty.add(counter)
    else this.#dirty.delete(counter)
    counter.isDirty = isDirty
  }

  /** Whether one more counter fits. Evicts clean counters; dirty ones stay. */
  #makeRoom(): boolean {
    const { maxCached } = this.#options
    const target = Math.floor(maxCached * (1 - EVICTED_SHARE))
    if (this.#cached.size < maxCached) return true
    if (this.#dirty.size >= target) return false
    for (const counter of this.#cached.values()) {
      if (!counter.isDirty) this.#place(counter, false, false)
      if (this.#cached.size <= target) break
    }
    return true
  }
}

const newCounter = <T>(key: string, base: T): CachedCounter<T> => ({
  key,
  value: base,
  base,
  isInvalidated: false,
  isCached: false,
  isDirty: false,
})
