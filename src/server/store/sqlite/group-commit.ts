import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { type CommitListener, Transaction } from './transaction.ts'
import type { Undo } from '../undo.ts'

interface Job {
  readonly work: () => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Settles the promise of one job, once the commit that it is part of is durable. */
type Settle = () => void

const DELAY = 5000

/**
 * Group commit: requests that arrive in one turn of the event loop share one transaction, and so one flush to disk. Every
 * promise settles after the commit. If one job throws, the transaction is rolled back and all jobs run again with a
 * savepoint each, so that only the changes of the failed job are lost. Jobs may therefore run twice, and their effects
 * outside the store must allow that.
 */
export class GroupCommit {
  readonly #transaction: Transaction
  #queue: Job[] = []
  #isBusy = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(database: DatabaseSync, listener?: CommitListener) {
    this.#transaction = new Transaction(database, listener)
  }

  /** Runs the work in a transaction; resolves when its changes are durable. */
  async commit<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: (value) => resolve(value as T), reject })
      if (this.#isBusy) return
      this.#isBusy = true
      setImmediate(() => void this.#run())
    })
  }

  /** Runs the work within five seconds; further calls until then have no effect. */
  schedule(work: () => Promise<void>): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      // The next write reports a full disk to its caller; the changes stay dirty until then.
      void work().catch(() => undefined)
    }, DELAY).unref()
  }

  /** Registers what reverts a change outside the database if the current transaction is rolled back. */
  recordUndo(undo: Undo): void {
    this.#transaction.recordUndo(undo)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    const jobs = this.#queue
    this.#queue = []
    try {
      const settled = await this.#runTogether(jobs).catch(async () => this.#runApart(jobs))
      for (const settle of settled) settle()
    } catch (error) {
      for (const job of jobs) job.reject(error)
    }
    this.#isBusy = this.#queue.length > 0
    if (this.#isBusy) setImmediate(() => void this.#run())
  }

  /** Runs the jobs in order in one transaction; throws, with nothing changed, if any of them does. */
  async #runTogether(jobs: readonly Job[]): Promise<readonly Settle[]> {
    return this.#inTransaction(jobs, async ({ work, resolve }) => {
      const value = await work()
      return () => resolve(value)
    })
  }

  /** The same, but a job that throws reverts only its own changes. */
  async #runApart(jobs: readonly Job[]): Promise<readonly Settle[]> {
    return this.#inTransaction(jobs, async ({ work, resolve, reject }) => {
      const rollback = this.#transaction.savepoint()
      try {
        const value = await work()
        this.#transaction.release()
        return () => resolve(value)
      } catch (error) {
        rollback()
        return () => reject(error)
      }
    })
  }

  async #inTransaction(jobs: readonly Job[], run: (job: Job) => Promise<Settle>): Promise<readonly Settle[]> {
    this.#transaction.begin()
    try {
      const settled: Settle[] = []
      for (const job of jobs) settled.push(await run(job))
      this.#transaction.commit()
      return settled
    } catch (error) {
      this.#transaction.rollback()
      throw error
    }
  }
}
