import { setTimeout as sleep } from 'node:timers/promises'
import type { Turns } from './batches.ts'
import type { CounterKind } from '../cached-counters.ts'
import type { PostgresCounters } from './counters.ts'
import { StoreBusy } from '../errors.ts'
import type { PostgresSql } from './statements.ts'

/** In milliseconds: counters are durable within this time, if no other session holds them. */
const DELAY = 5000
/** In milliseconds, between two attempts at the end of the store. */
const PAUSE = 50
/** Counters that are stored together; updates wait for them. */
const AT_ONCE = 1000
/** Attempts of one flush that may meet a lock: a single row that is locked among the thousand takes ten. */
const MAX_LOCKED = 64

interface FlushOptions {
  readonly counters: PostgresCounters
  readonly turns: Turns
  /** A transaction with the counters of this node, which waits for no lock. */
  readonly counting: (work: (sql: PostgresSql) => Promise<void>) => Promise<void>
  readonly closing: AbortSignal
}

/** Stores what a node has counted, a little later and some at a time, so that updates can run in between. */
export class CounterFlush {
  readonly #options: FlushOptions
  #isDue = false

  constructor(options: FlushOptions) {
    this.#options = options
  }

  schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    const { counters, closing } = this.#options
    const flush = async (): Promise<void> => {
      await sleep(DELAY, undefined, { ref: false, signal: closing })
      this.#isDue = false
      await this.flush().catch(() => undefined)
      // What could not be stored is tried again, also if no update follows.
      if (counters.dirtyCount > 0) this.schedule()
    }
    // The end of the store ends the pause.
    void flush().catch(() => undefined)
  }

  /** Stores what is dirty now, but for what other sessions have locked. */
  async flush(): Promise<void> {
    const { counters, turns } = this.#options
    const keys = counters.dirtyKeys()
    let left = MAX_LOCKED
    const storeKeys = async (kind: CounterKind, some: readonly string[]): Promise<void> => {
      const isStored = await this.#inTurn(async (sql) => counters.flush(sql, kind, some)).then(
        () => true,
        unlessLocked,
      )
      if (isStored || some.length === 1 || --left <= 0) return
      const half = Math.ceil(some.length / 2)
      for (const part of [some.slice(0, half), some.slice(half)]) await storeKeys(kind, part)
    }
    for (const kind of ['usage', 'nochgs', 'failures'] as const)
      for (let at = 0; at < keys[kind].length; at += AT_ONCE)
        await storeKeys(kind, keys[kind].slice(at, at + AT_ONCE).toSorted())
    if (keys.failures.length > 0) await this.#inTurn(async (sql) => counters.sweep(sql))
    // Stored counts are read again; only those that are not stored are kept.
    await turns.take(async () => counters.invalidate())
  }

  /** Until all is stored. Rejects if the database is away, or its connections are closed. */
  async flushAll(): Promise<void> {
    await this.flush()
    while (this.#options.counters.dirtyCount > 0) {
      await sleep(PAUSE, undefined, { ref: false })
      await this.flush()
    }
  }

  async #inTurn(work: (sql: PostgresSql) => Promise<void>): Promise<void> {
    const { turns, counting } = this.#options
    await turns.take(async () =>
      counting(async (sql) => {
        await sql('SET LOCAL synchronous_commit = off').run()
        await work(sql)
      }),
    )
  }
}

/** Counters that another session has locked are stored with the next flush. */
function unlessLocked(error: unknown): false {
  if (!(error instanceof StoreBusy)) throw error
  return false
}
