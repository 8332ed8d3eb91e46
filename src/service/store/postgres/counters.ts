import { CachedCounters, type CounterKind, type CounterTables } from '../cached-counters.ts'
import {
  type CounterReads,
  type CounterWrites,
  isBlockChange,
  isLockoutChange,
  NEVER_USED,
  NO_FAILURES,
  nochgKey,
  subjectOf,
} from '../counter-rows.ts'
import type { LastUse } from '../../model/rows.ts'
import { mergeBuckets, mergeFailures, mergeUsage } from '../counts.ts'
import {
  COUNTER_FROM,
  type CounterRow,
  type CounterValue,
  lockCounters,
  MAKE_COUNTERS,
  noCounters,
  readCounters,
  saveCounters,
  SWEEP_FAILURES,
} from './counter-rows.ts'
import { passOnCounts } from './gone-keys.ts'
import type { PostgresSql } from './statements.ts'
import type { Undo } from '../store.ts'

/** In milliseconds; failed logins that are older than a day are deleted. */
const RETENTION = 24 * 60 * 60 * 1000

/**
 * The counts of one node that are not stored yet. Stored counts are read again for each use, because other nodes count
 * and block too. The cache is synchronous, so rows are loaded before it is used, and its writes are collected and
 * stored at the end of the transaction.
 */
export class PostgresCounters {
  readonly #cached: CachedCounters
  readonly #loaded = noCounters()
  #unsaved = noCounters()
  #sweep: number | undefined
  readonly #undo: Undo[] = []

  constructor() {
    this.#cached = new CachedCounters(this.#tables(), (undo) => this.#undo.push(undo))
  }

  get dirtyCount(): number {
    return this.#cached.dirtyCount
  }

  /** Whether this transaction has changes that must be durable with it. */
  get hasUnsaved(): boolean {
    const { usage, nochgs, failures } = this.#unsaved
    return usage.size + nochgs.size + failures.size > 0
  }

  /** Of rows that are loaded. */
  get cached(): Pick<CachedCounters, 'reads' | 'writes'> {
    return this.#cached
  }

  unstoredUse(keyId: number): LastUse | undefined {
    return this.#cached.unstoredUse(keyId)
  }

  reads(sql: PostgresSql): CounterReads {
    const cached = this.#cached.reads()
    return {
      usageOf: async (principal) => {
        await this.load(sql, 'usage', [subjectOf(principal)])
        return cached.usageOf(principal)
      },
      nochgsOf: async (principal, hostname) => {
        await this.load(sql, 'nochgs', [nochgKey(principal, hostname)])
        return cached.nochgsOf(principal, hostname)
      },
      failuresOf: async (peer) => {
        await this.load(sql, 'failures', [peer])
        return cached.failuresOf(peer)
      },
    }
  }

  /** Locks the rows until the transaction ends, so that counts and blocks of other processes are not overwritten. */
  writes(sql: PostgresSql): CounterWrites {
    const [reads, writes] = [this.#cached.reads(), this.#cached.writes()]
    // A block that this transaction has set is in its row.
    const load = async (kind: CounterKind, key: string): Promise<void> => {
      await this.save(sql)
      await this.#lock(sql, kind, [key])
    }
    return {
      usageOf: async (principal) => {
        await load('usage', subjectOf(principal))
        return reads.usageOf(principal)
      },
      nochgsOf: async (principal, hostname) => {
        await load('nochgs', nochgKey(principal, hostname))
        return reads.nochgsOf(principal, hostname)
      },
      failuresOf: async (peer) => {
        await load('failures', peer)
        return reads.failuresOf(peer)
      },
      putUsage: async (principal, usage, last) => {
        await load('usage', subjectOf(principal))
        await writes.putUsage(principal, usage, last)
      },
      putNochgs: async (principal, hostname, buckets) => {
        await load('nochgs', nochgKey(principal, hostname))
        await writes.putNochgs(principal, hostname, buckets)
      },
      putFailures: async (peer, failures) => {
        await load('failures', peer)
        await writes.putFailures(peer, failures)
      },
    }
  }

  forget(principal: Parameters<CachedCounters['forget']>[0]): void {
    this.#cached.forget(principal)
  }

  /** Writes the changes that must be durable with this transaction. */
  async save(sql: PostgresSql): Promise<void> {
    const unsaved = this.#unsaved
    if (this.hasUnsaved) {
      this.#unsaved = noCounters()
      await saveCounters(sql, unsaved)
    }
    const sweep = this.#sweep
    this.#sweep = undefined
    if (sweep !== undefined)
      await sql.execute(SWEEP_FAILURES, sweep * 1000 - RETENTION, sweep - RETENTION / 1000)
  }

  /** The transaction is durable. */
  settle(): void {
    this.#undo.length = 0
  }

  recordUndo(undo: Undo): void {
    this.#undo.push(undo)
  }

  /** For `rollback`. */
  mark(): number {
    return this.#undo.length
  }

  /** Reverts all changes since the mark, or since the last transaction. */
  rollback(mark = 0): void {
    this.#unsaved = noCounters()
    this.#sweep = undefined
    for (const undo of this.#undo.splice(mark).toReversed()) undo()
  }

  dirtyKeys(): ReturnType<CachedCounters['dirtyKeys']> {
    return this.#cached.dirtyKeys()
  }

  /** Adds the counts of these keys to the stored ones. */
  async flush(sql: PostgresSql, kind: CounterKind, keys: readonly string[]): Promise<void> {
    await sql.execute(MAKE_COUNTERS[kind], keys)
    await this.#lock(sql, kind, keys)
    this.#cached.flushKeys(kind, keys)
    if (kind !== 'failures') await passOnCounts(sql, this.#unsaved)
    await this.save(sql)
  }

  async flushAll(sql: PostgresSql): Promise<void> {
    const keys = this.dirtyKeys()
    for (const kind of ['usage', 'nochgs', 'failures'] as const)
      if (keys[kind].length > 0) await this.flush(sql, kind, keys[kind].toSorted())
    await this.sweep(sql)
  }

  /** After failed logins were stored: deletes old ones. */
  async sweep(sql: PostgresSql): Promise<void> {
    this.#cached.flush(0)
    await this.save(sql)
  }

  /** After a flush: keeps only counts that are not stored; stored ones are read again. */
  invalidate(): void {
    this.#cached.invalidate()
  }

  async load(sql: PostgresSql, kind: CounterKind, keys: readonly string[]): Promise<void> {
    this.put(kind, keys, await readCounters(sql, kind, keys))
  }

  async #lock(sql: PostgresSql, kind: CounterKind, keys: readonly string[]): Promise<void> {
    this.put(kind, keys, await lockCounters(sql, kind, keys))
  }

  /** Remembers these rows as the stored counters of the keys. */
  put<K extends CounterKind>(kind: K, keys: readonly string[], rows: readonly CounterRow<K>[]): void {
    const loaded = this.#loaded[kind]
    for (const key of keys) loaded.delete(key)
    for (const row of rows) loaded.set(row.key, COUNTER_FROM[kind](row))
    for (const key of keys) this.#cached.refresh(kind, key)
  }

  /** Takes a loaded row once: it is read again for the next use. */
  #taken<K extends CounterKind>(kind: K, key: string, none: CounterValue<K>): CounterValue<K> {
    const rows = this.#loaded[kind]
    const row = rows.get(key) ?? none
    rows.delete(key)
    return row
  }

  #tables(): CounterTables {
    return {
      usage: {
        load: (key) => this.#taken('usage', key, NEVER_USED),
        save: (key, row) => this.#unsaved.usage.set(key, row),
        merge: mergeUsage,
        writesThrough: isBlockChange,
      },
      nochgs: {
        load: (key) => this.#taken('nochgs', key, []),
        save: (key, buckets) => this.#unsaved.nochgs.set(key, buckets),
        merge: mergeBuckets,
        writesThrough: () => false,
      },
      failures: {
        load: (key) => this.#taken('failures', key, NO_FAILURES),
        save: (key, failures) => this.#unsaved.failures.set(key, failures),
        merge: mergeFailures,
        writesThrough: isLockoutChange,
      },
      sweep: (now) => {
        this.#sweep = now
      },
    }
  }
}
