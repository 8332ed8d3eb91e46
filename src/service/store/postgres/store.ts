import { setTimeout as sleep } from 'node:timers/promises'
import { after, between, type Duration, type Instant, milliseconds } from '../../../shared/base/time.ts'
import { withUnstoredUses } from '../cached-counters.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { Job } from './batch.ts'
import { BatchQueue, Places, Turns } from './batches.ts'
import type { PostgresPlace } from './connection.ts'
import { ConnectionPool } from './pool.ts'
import { CounterFlush } from './counter-flush.ts'
import { PostgresCounters } from './counters.ts'
import { LOCK_ZONES, withLocks } from './locks.ts'
import { probeWrites } from './probe.ts'
import type { PostgresSql } from './statements.ts'
import { inOneSnapshot, inSnapshot, inTransaction } from './transaction.ts'
import { sqlReading } from '../sql/reading.ts'
import { databaseIdentity } from './identity.ts'
import { keyNamesOf } from '../../model/tree.ts'
import { removeAndMark } from './gone-keys.ts'
import { withConsequences } from '../events.ts'
import { sqlWriting } from '../sql/writing.ts'
import { existing, select, selects } from '../select.ts'
import type { About, RequestWindow, SnapshotReads, Store, StoreReads, StoreWrites } from '../store.ts'
import { StoreBusy } from '../errors.ts'

export const REQUESTS = selects({
  countRequest: select(
    { since: 'INTEGER', count: 'INTEGER' },
    `INSERT INTO ration (account_id, since, count) VALUES ($1, $2, 1)
    ON CONFLICT (account_id) DO UPDATE SET
      count = CASE WHEN ration.since <= $2 - $3 THEN 1 ELSE ration.count + 1 END,
      since = CASE WHEN ration.since <= $2 - $3 THEN $2 ELSE ration.since END
    RETURNING since, count`,
  ),
})

interface Limited {
  readonly until: Instant
  readonly refuse: () => void
}

/** Ends what takes longer than a span, which is the same for all: one timer, which costs less than one for each. */
export class TimeLimit {
  readonly #clock: Clock
  readonly #span: Duration
  readonly #closing: AbortSignal
  /** In the order of their ends. */
  readonly #waiting = new Set<Limited>()
  #isWatching = false

  constructor(clock: Clock, span: Duration, closing: AbortSignal) {
    this.#clock = clock
    this.#span = span
    this.#closing = closing
  }

  /** The result of the work, or `StoreBusy` after the span. */
  async of<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(new StoreBusy('the database did not answer in time'))
      const waiting = { until: after(this.#clock.now(), this.#span), refuse }
      this.#waiting.add(waiting)
      const settle = async (): Promise<void> => {
        try {
          resolve(await work)
        } catch (error) {
          reject(error)
        } finally {
          this.#waiting.delete(waiting)
        }
      }
      void settle()
      if (!this.#isWatching) void this.#watch()
    })
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    // What is added meanwhile is visited too, and what has ended is not.
    for (const waiting of this.#waiting) {
      await this.#clock.sleep(waiting.until, this.#closing)
      // The end of the store ends its connections, and with them what waits.
      if (this.#closing.aborted) break
      if (this.#waiting.delete(waiting)) waiting.refuse()
    }
    this.#isWatching = false
  }
}

/** In milliseconds: counts that are not stored within this time at the end are lost. */
const MAX_CLOSING = 3000
/** In milliseconds: updates of all wait for what uses the counters, so that waits for no lock. */
const LOCK_WAIT = 10
/** In milliseconds: the server ends a statement earlier, and the connection does. */
const MARGIN = 400

/** The clock is monotonic. */
export const postgresStoreOn = (pool: ConnectionPool, clock: Clock): Store => new PostgresStore(pool, clock)
/** Its statements are not checked: see `open.ts`. */
export const postgresStore = (place: PostgresPlace, clock: Clock): Store =>
  postgresStoreOn(new ConnectionPool(place), clock)

/** The work reads counters in SQL, and the database lacks some of this node. */
class NotStored extends Error {}

/** A node stores what it has counted before it lists a key: the list is the same on every node. */
type CounterJoins = Pick<StoreReads, 'keyNamed' | 'keysOf' | 'clientsOf'>

const withCounters = (tables: CounterJoins, first: () => Promise<void>): CounterJoins => ({
  async keyNamed(username) {
    await first()
    return tables.keyNamed(username)
  },
  async keysOf(accountId, query) {
    await first()
    return tables.keysOf(accountId, query)
  },
  async clientsOf(accountId, page, filter) {
    await first()
    return tables.clientsOf(accountId, page, filter)
  },
})

/** Throws NotStored if the database lacks counters. */
type Check = () => Promise<void>
type Forgotten = Parameters<PostgresCounters['forget']>[0]

interface WriteOptions {
  readonly counters: PostgresCounters
  readonly check: Check
  readonly forget: (principal: Forgotten) => void
}

/**
 * Reads run in parallel, each in a snapshot. Writes that say in advance what they read run in batches. Other writes run in
 * parallel too, each in a transaction; locks separate those that conflict, also of other processes (decision 0042).
 */
class PostgresStore implements Store {
  readonly isShared = true
  readonly #pool: ConnectionPool
  readonly #clock: Clock
  /** For batches, and for jobs that they leave. */
  readonly #counters = new PostgresCounters()
  readonly #counterTurns = new Turns()
  /** Other writes: of one that waits for a lock, others have half of the connections. */
  readonly #writePlaces: Places
  readonly #batches: BatchQueue
  readonly #closing = new AbortController()
  /** No caller waits longer than it may, whatever the database does. */
  readonly #timeLimit: TimeLimit
  readonly #counterFlush: CounterFlush

  constructor(pool: ConnectionPool, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
    this.#timeLimit = new TimeLimit(clock, milliseconds(pool.place.wait + MARGIN), this.#closing.signal)
    this.#writePlaces = new Places(Math.max(1, Math.floor(pool.place.connections / 2)))
    this.#counterFlush = new CounterFlush({
      counters: this.#counters,
      turns: this.#counterTurns,
      counting: async (work) => this.#counting(work),
      closing: this.#closing.signal,
    })
    this.#batches = new BatchQueue({
      pool,
      clock,
      counters: this.#counters,
      turns: this.#counterTurns,
      inLine: async (job) => this.#inLine(job),
      alone: async ({ about, work }) =>
        this.#counting(async (sql) => {
          await sql.execute(LOCK_ZONES, about.hostnames)
          return work(this.#ownWrites(sql))
        }),
    })
  }

  async read<T>(work: (reading: StoreReads) => Promise<T>): Promise<T> {
    return this.#timeLimit.of(
      this.#withStoredCounters(async (check) =>
        inSnapshot(this.#pool, async (sql) => {
          const tables = sqlReading(sql)
          const counted = { ...tables, ...withUnstoredUses(tables, this.#counters) }
          return work({ ...counted, ...this.#counters.reads(sql), ...withCounters(counted, check) })
        }),
      ),
    )
  }

  async snapshot<T>(work: (reading: SnapshotReads) => Promise<T>): Promise<T> {
    return inOneSnapshot(this.#pool, async (sql) => work(sqlReading(sql)))
  }

  async write<T>(work: (writing: StoreWrites) => Promise<T>, about?: () => About): Promise<T> {
    const deadline = after(this.#clock.now(), milliseconds(this.#pool.place.wait))
    if (about === undefined)
      return this.#timeLimit.of(
        this.#withStoredCounters(async (check) =>
          this.#writePlaces.take(async () => this.#write(work, { check, deadline })),
        ),
      )
    const value = await this.#timeLimit.of(this.#batches.do({ about: about(), deadline, work }))
    if (this.#counters.dirtyCount > 0) this.#counterFlush.schedule()
    return value
  }

  async countRequest(accountId: number, now: Instant, span: number): Promise<RequestWindow> {
    return this.#timeLimit.of(
      inTransaction(this.#pool, async (sql) => {
        const [row] = await sql.rows(REQUESTS.countRequest, accountId, now, span)
        return existing(row)
      }),
    )
  }

  async probe(): Promise<Instant> {
    return this.#timeLimit.of(inTransaction(this.#pool, probeWrites))
  }

  checkpoint(): void {
    // The database does this itself.
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const flushed = this.#writePlaces
      .idle()
      .then(async () => this.#counterFlush.flushAll())
      .catch(() => undefined)
    // A database that cannot be reached must not prevent the end.
    await Promise.race([flushed, sleep(MAX_CLOSING, undefined, { ref: false })])
    await this.#pool.close()
  }

  /** A transaction with counters of its own, which are stored with it. */
  async #write<T>(
    work: (writing: StoreWrites) => Promise<T>,
    { check, deadline }: { readonly check: Check; readonly deadline: Instant },
  ): Promise<T> {
    let forgotten: Forgotten[] = []
    const value = await inTransaction(
      this.#pool,
      async (sql) => {
        forgotten = []
        const counters = new PostgresCounters()
        const result = await work(
          this.#writing(sql, { counters, check, forget: (one) => forgotten.push(one) }),
        )
        await counters.flushAll(sql)
        return result
      },
      { left: () => between(this.#clock.now(), deadline) },
    )
    for (const one of forgotten) this.#counters.forget(one)
    return value
  }

  #writing(sql: PostgresSql, { counters, check, forget }: WriteOptions): StoreWrites {
    const tables = withLocks(sqlWriting(sql), sql)
    const first = async (): Promise<void> => {
      await check()
      await counters.flushAll(sql)
    }
    const shown = { ...tables, ...withUnstoredUses(tables, this.#counters) }
    const writes: Omit<StoreWrites, 'passBlock' | 'databaseIdentity'> = {
      ...shown,
      ...counters.writes(sql),
      ...withCounters(shown, first),
      async unblock(principal) {
        counters.forget(principal)
        forget(principal)
        return tables.unblock(principal)
      },
      async removeKey(keyId, now) {
        const principal = { kind: 'key', id: keyId } as const
        counters.forget(principal)
        forget(principal)
        return tables.removeKey(keyId, now)
      },
    }
    const passing = withConsequences(writes)
    return {
      ...passing,
      databaseIdentity: async () => databaseIdentity(sql),
      // What a key has counted passes on, also what is not stored yet.
      removeKey: async (keyId, now) => first().then(async () => removeAndMark(passing, keyId, now)),
      async removeName(name, now) {
        if (keyNamesOf(name).size > 0) await first()
        return passing.removeName(name, now)
      },
    }
  }

  /** Some reads join the counters: the node first stores what it has not stored yet, and the work runs again. */
  async #withStoredCounters<T>(run: (check: Check) => Promise<T>): Promise<T> {
    try {
      return await run(async () => {
        if (this.#counters.dirtyCount > 0) throw new NotStored()
      })
    } catch (error) {
      if (!(error instanceof NotStored)) throw error
      await this.#counterFlush.flush()
      return run(async () => undefined)
    }
  }

  /** With the counters of this node. */
  #ownWrites(sql: PostgresSql): StoreWrites {
    const writes = { ...withLocks(sqlWriting(sql), sql), ...this.#counters.writes(sql) }
    return { ...withConsequences(writes), databaseIdentity: async () => databaseIdentity(sql) }
  }

  /** Its turn begins when its locks are granted, so that no other job waits for them. */
  async #inLine({ about, work, deadline }: Job): Promise<unknown> {
    const counters = this.#counters
    // Before its turn, the counters are those of other jobs.
    let endTurn: (() => void) | undefined
    const giveTurn = (): void => void (endTurn = endTurn?.() ?? undefined)
    try {
      const value = await inTransaction(
        this.#pool,
        async (sql) => {
          await sql.execute(LOCK_ZONES, about.hostnames)
          endTurn = await this.#counterTurns.begun()
          const result = await work(this.#ownWrites(sql))
          await counters.save(sql)
          return result
        },
        {
          left: () => between(this.#clock.now(), deadline),
          onFailure: () => {
            if (endTurn !== undefined) counters.rollback()
            giveTurn()
          },
        },
      )
      counters.settle()
      return value
    } finally {
      giveTurn()
    }
  }

  /** A transaction with the counters of this node, in its turn. */
  async #counting<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    const counters = this.#counters
    const value = await inTransaction(
      this.#pool,
      async (sql) => {
        const result = await work(sql)
        await counters.save(sql)
        return result
      },
      { onFailure: () => counters.rollback(), lockWait: LOCK_WAIT },
    )
    counters.settle()
    return value
  }
}
