import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { type BatchConnection, type Job, Overtaken, runBatch } from './batch.ts'
import type { ConnectionPool } from './pool.ts'
import type { PostgresCounters } from './counters.ts'
import { StoreAway } from '../errors.ts'
import { inSnapshot, inOneTrip, isWorthAnotherTry, toStoreError } from './transaction.ts'

/** Further jobs wait for the next batch. */
const MAX_JOBS = 256
/** Attempts of a batch whose values another process changes; its jobs then run one by one. */
const MAX_OVERTAKEN = 3

/** A queue for everything that uses the counters of this node: one task at a time. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  async take<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task, task)
    this.#last = result.catch(() => undefined)
    return result
  }
}

interface BatchOptions {
  readonly pool: ConnectionPool
  readonly counters: PostgresCounters
  readonly turns: Turns
  /** Runs one job in a transaction of its own. */
  readonly alone: (job: Job) => Promise<unknown>
}

/**
 * Jobs that say in advance what they will read. All that wait share one round trip to the database, and a second one if they
 * change something; a transaction for each job takes seven.
 */
export class BatchQueue {
  readonly #options: BatchOptions
  readonly #connection: BatchConnection
  #jobs: Job[] = []
  #isDue = false

  constructor(options: BatchOptions) {
    const { pool } = options
    this.#options = options
    this.#connection = {
      read: async (work) => inSnapshot(pool, work),
      change: async (work) => inOneTrip(pool, work),
    }
  }

  async do<T>(job: Pick<Job, 'about'> & { readonly work: (writing: never) => Promise<T> }): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { about, work } = job as Pick<Job, 'about' | 'work'>
      this.#jobs.push({ about, work, resolve: (value) => resolve(value as T), reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    void this.#options.turns.take(async () => {
      // Jobs of the same turn of the event loop share a batch.
      await turn()
      this.#isDue = false
      const jobs = this.#jobs.splice(0, MAX_JOBS)
      if (this.#jobs.length > 0) this.#schedule()
      await this.#run(jobs)
    })
  }

  async #run(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return
    const left = await this.#together(jobs).catch((error: unknown) => {
      // Jobs that already wait would wait for another attempt to connect, so they fail now.
      const failed = error instanceof StoreAway ? [...jobs, ...this.#jobs.splice(0)] : jobs
      for (const { reject } of failed) reject(error)
      return []
    })
    for (const job of left) await this.#options.alone(job).then(job.resolve, job.reject)
  }

  /** Resolves with the jobs that need transactions of their own. */
  async #together(jobs: readonly Job[]): Promise<readonly Job[]> {
    const { counters } = this.#options
    for (let attempt = 1; ; attempt++) {
      const done = await runBatch(jobs, counters, this.#connection).catch((error: unknown) => ({ error }))
      if (!('error' in done)) {
        counters.settle()
        done.settle()
        return done.left
      }
      counters.rollback()
      if (!isAgain(done.error, attempt)) return overtaken(jobs, done.error)
      await sleep(2 ** attempt)
    }
  }
}

const isAgain = (error: unknown, attempt: number): boolean =>
  error instanceof Overtaken ? attempt < MAX_OVERTAKEN : isWorthAnotherTry(error, attempt)

/** Jobs whose values other processes change repeatedly run one by one, in transactions with locks. */
function overtaken(jobs: readonly Job[], error: unknown): readonly Job[] {
  if (error instanceof Overtaken) return jobs
  throw toStoreError(error)
}
