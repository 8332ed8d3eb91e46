import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import {
  after,
  type Instant,
  isBefore,
  LAST_INSTANT,
  milliseconds,
  seconds,
} from '../../../shared/base/time.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import { StoreLocked } from '../errors.ts'
import { type CommitListener, Transaction } from './transaction.ts'
import type { Undo } from '../store.ts'

interface Job {
  /** When its caller is refused if another program still writes. */
  readonly deadline: Instant
  readonly work: () => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Settles the promise of one job, once the commit that it is part of is durable. */
type Settle = () => void

/** In milliseconds. */
const DELAY = 5000
/** A transaction of late jobs begins no other one after it. */
const LATE_TIME = milliseconds(10)
/** How long a job waits for another program that writes. */
const MAX_WAIT = seconds(5)
/** In milliseconds, between two attempts to begin; the first one is doubled. */
const PAUSES = { first: 1, longest: 16 } as const

/**
 * Group commit: requests that arrive in one turn of the event loop share one transaction, and so one flush to disk. Every
 * promise settles after the commit. If one job throws, the transaction is rolled back and all jobs run again with a
 * savepoint each, so that only the changes of the failed job are lost. Jobs may therefore run twice, and their effects
 * outside the store must allow that. While another program writes, such as an import, the jobs wait; the event loop does
 * not, because reads and name servers need it. Jobs that may take long, such as those of the API, are `late`: they have
 * transactions of their own, which end after some milliseconds, so that an update waits for one of them at most (decision
 * 0049).
 */
export class GroupCommit {
  readonly #transaction: Transaction
  readonly #clock: Clock
  readonly #queues: { first: Job[]; late: Job[] } = { first: [], late: [] }
  /** Whose transaction is next: they alternate while both wait. */
  #turn: 'first' | 'late' = 'first'
  #isBusy = false
  #isStopped = false
  /** Called when the next attempt to begin fails. */
  #untilLocked: (() => void)[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(database: DatabaseSync, clock: Clock, listener?: CommitListener) {
    this.#clock = clock
    this.#transaction = new Transaction(database, listener)
  }

  /** Runs the work in a transaction; resolves when its changes are durable. */
  async commit<T>(work: () => Promise<T>, queue: 'first' | 'late' = 'first'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deadline = after(this.#clock.now(), MAX_WAIT)
      this.#queues[queue].push({ deadline, work, resolve: (value) => resolve(value as T), reject })
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

  /** Resolves when the next transaction cannot begin because another program writes. */
  async untilLocked(): Promise<void> {
    return new Promise((resolve) => this.#untilLocked.push(resolve))
  }

  /** Registers what reverts a change outside the database if the current transaction is rolled back. */
  recordUndo(undo: Undo): void {
    this.#transaction.recordUndo(undo)
  }

  /** While another program writes, no job waits any longer. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#isStopped = true
  }

  async #run(): Promise<void> {
    const jobs: Job[] = []
    const { first, late } = this.#queues
    try {
      const settled = await this.#together(jobs).catch(async () => this.#apart(jobs))
      for (const settle of settled) settle()
    } catch (error) {
      for (const job of jobs) job.reject(error)
    }
    this.#turn = this.#turn === 'first' ? 'late' : 'first'
    this.#isBusy = first.length + late.length > 0
    if (this.#isBusy) setImmediate(() => void this.#run())
  }

  /** Runs the jobs in order in one transaction; throws, with nothing changed, if any of them does. */
  async #together(jobs: Job[]): Promise<readonly Settle[]> {
    return this.#inTransaction(jobs, async ({ work, resolve }) => {
      const value = await work()
      return () => resolve(value)
    })
  }

  /** The same, but a job that throws reverts only its own changes. */
  async #apart(jobs: Job[]): Promise<readonly Settle[]> {
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

  async #inTransaction(jobs: Job[], run: (job: Job) => Promise<Settle>): Promise<readonly Settle[]> {
    const settled: Settle[] = []
    if (!(await this.#begin(jobs))) return settled
    const end = after(this.#clock.now(), LATE_TIME)
    try {
      for (const job of jobs) {
        settled.push(await run(job))
        this.#leaveOut(jobs, { ran: settled.length, end })
      }
      this.#transaction.commit()
      return settled
    } catch (error) {
      this.#transaction.rollback()
      throw error
    }
  }

  /** Late jobs for which this transaction has no time. */
  #leaveOut(jobs: Job[], { ran, end }: { readonly ran: number; readonly end: Instant }): void {
    if (this.#turn === 'late' && !isBefore(this.#clock.now(), end))
      this.#queues.late.unshift(...jobs.splice(ran))
  }

  /** Begins when no other program writes, and takes what waits then; false if no job could wait that long. */
  async #begin(jobs: Job[]): Promise<boolean> {
    const { first, late } = this.#queues
    for (let span: number = PAUSES.first; ; span = Math.min(2 * span, PAUSES.longest)) {
      if (jobs.length + first.length + late.length === 0) return false
      const waiting = this.#untilLocked.splice(0)
      if (this.#hasBegun(jobs)) break
      for (const resolve of waiting) resolve()
      await this.#clock.sleep(after(this.#clock.now(), milliseconds(span)))
      const now = this.#isStopped ? LAST_INSTANT : this.#clock.now()
      for (const queue of [jobs, first, late]) refuseLate(queue, now)
    }
    if (jobs.length + this.#queues[this.#turn].length === 0)
      this.#turn = this.#turn === 'first' ? 'late' : 'first'
    jobs.push(...this.#queues[this.#turn].splice(0))
    return true
  }

  /** Where the database cannot be used at all, every job ends with that error. */
  #hasBegun(jobs: Job[]): boolean {
    try {
      return this.#transaction.begin()
    } catch (error) {
      for (const queue of Object.values(this.#queues)) jobs.push(...queue.splice(0))
      throw error
    }
  }
}

function refuseLate(jobs: Job[], now: Instant): void {
  const late = jobs.filter(({ deadline }) => !isBefore(now, deadline))
  jobs.splice(0, late.length)
  for (const job of late) job.reject(new StoreLocked('another program writes to the database'))
}
