import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../shared/ports/clock.ts'
import { type BatchConnection, Held, type Job, Overtaken, runBatch } from './batch.ts'
import type { ConnectionPool } from './pool.ts'
import type { PostgresCounters } from './counters.ts'
import { StoreAway, StoreBusy } from '../errors.ts'
import { inOneTrip, inSnapshot, isWorthAnotherTry, toStoreError } from './transaction.ts'
import { after, type Instant, isBefore, milliseconds } from '../../../shared/base/time.ts'

/** In milliseconds, between two attempts; each pause is twice as long as the one before. */
const PAUSES = { first: 10, longest: 250 } as const

interface HeldOptions {
  readonly clock: Clock
  /** Waits in the queue of the locks of the job, and runs it then. */
  readonly inLine: (job: Job) => Promise<void>
  /** Tries them again, before all others. */
  readonly retry: (jobs: readonly Job[]) => void
}

/** Jobs that wait in the queues of locks at a time: each has a connection. */
const MAX_IN_LINE = 2

/**
 * Jobs whose rows other sessions have locked; no other job waits for them. A few wait in the queues of the database, where
 * those that write without a pause have to let them pass; the others are tried again until their deadlines.
 */
class HeldJobs {
  readonly #options: HeldOptions
  #jobs: Job[] = []
  readonly #inLine = new Set<Job>()
  #pause: number = PAUSES.first
  #lastRetry: Instant | undefined

  constructor(options: HeldOptions) {
    this.#options = options
  }

  /** Whether a job of this login is held: later ones run after it. */
  has(username: string): boolean {
    return [...this.#jobs, ...this.#inLine].some(({ about }) => about.username === username)
  }

  add(jobs: readonly Job[]): void {
    const isFirst = this.#jobs.length === 0
    this.#jobs.push(...jobs)
    if (isFirst && jobs.length > 0) void this.#retry()
  }

  /** Those that have waited longest; of each login the first. */
  #toLine(): void {
    const waiting = this.#jobs.toSorted((one, other) => one.deadline - other.deadline)
    for (const job of waiting) {
      if (this.#inLine.size >= MAX_IN_LINE) return
      if ([...this.#inLine].some(({ about }) => about.username === job.about.username)) continue
      this.#jobs.splice(this.#jobs.indexOf(job), 1)
      this.#inLine.add(job)
      void this.#options.inLine(job).finally(() => {
        this.#inLine.delete(job)
        this.#toLine()
      })
    }
  }

  async #retry(): Promise<void> {
    const { clock, retry } = this.#options
    const isAgain =
      this.#lastRetry !== undefined &&
      isBefore(clock.now(), after(this.#lastRetry, milliseconds(2 * PAUSES.longest)))
    this.#pause = isAgain ? Math.min(2 * this.#pause, PAUSES.longest) : PAUSES.first
    await clock.sleep(after(clock.now(), milliseconds(this.#pause)))
    const now = clock.now()
    this.#lastRetry = now
    const jobs = this.#jobs.splice(0)
    const isOver = ({ deadline }: Job): boolean => !isBefore(now, deadline)
    for (const { reject } of jobs.filter(isOver))
      reject(new StoreBusy('another session has locked what is to be changed'))
    this.#jobs.push(...jobs.filter((job) => !isOver(job)))
    this.#toLine()
    const isBehind = ({ about }: Job): boolean =>
      [...this.#inLine].some((one) => one.about.username === about.username)
    const [behind, others] = [this.#jobs.filter(isBehind), this.#jobs.filter((job) => !isBehind(job))]
    this.#jobs = behind
    retry(others)
    if (behind.length > 0) void this.#retry()
  }
}

/** Further jobs wait for the next batch. */
const MAX_JOBS = 256

/** A queue for everything that uses the counters of this node: one task at a time. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  async take<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task, task)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Resolves when it is the turn of the caller, with what ends it. */
  async begun(): Promise<() => void> {
    return new Promise((begin) => void this.take(async () => new Promise<void>((end) => begin(end))))
  }
}

/** At most so many tasks at a time; the others wait in their order. */
export class Places {
  readonly #count: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.#count = count
    this.#free = count
  }

  /** Resolves when all tasks before this call have ended. */
  async idle(): Promise<void> {
    let held = 0
    let release = (): void => undefined
    const isIdle = new Promise<void>((resolve) => (release = resolve))
    const hold = async (): Promise<void> => {
      held++
      if (held === this.#count) release()
      await isIdle
    }
    await Promise.all(Array.from({ length: this.#count }, async () => this.take(hold)))
  }

  async take<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

interface BatchOptions {
  readonly clock: Clock
  readonly pool: ConnectionPool
  readonly counters: PostgresCounters
  readonly turns: Turns
  /** Runs one job when its locks are granted: the sessions that want them are served in their order. */
  readonly inLine: (job: Job) => Promise<unknown>
  /** Runs one job in a transaction of its own, which waits for no lock. */
  readonly alone: (job: Job) => Promise<unknown>
}

/**
 * Jobs that say in advance what they will read. All that wait share one round trip to the database, and a second one if they
 * change something; a transaction for each job takes seven.
 */
export class BatchQueue {
  readonly #options: BatchOptions
  readonly #connection: BatchConnection
  readonly #held: HeldJobs
  /** Jobs whose own transactions met a lock. */
  readonly #locked = new WeakSet<Job>()
  #jobs: Job[] = []
  #isDue = false

  constructor(options: BatchOptions) {
    const { pool, clock } = options
    this.#options = options
    this.#held = new HeldJobs({
      clock,
      inLine: async (job) => options.inLine(job).then(job.resolve, job.reject),
      retry: (jobs) => {
        this.#jobs.unshift(...jobs)
        this.#schedule()
      },
    })
    this.#connection = {
      read: async (work) => inSnapshot(pool, work, 'sentAtOnce'),
      change: async (work) => inOneTrip(pool, work),
    }
  }

  async do<T>(
    job: Pick<Job, 'about' | 'deadline'> & { readonly work: (writing: never) => Promise<T> },
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { about, deadline, work } = job as Pick<Job, 'about' | 'deadline' | 'work'>
      this.#jobs.push({ about, deadline, work, resolve: (value) => resolve(value as T), reject })
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
      await this.#run(this.#leftBy(jobs))
    })
  }

  /** Those that need not wait for one that is held. */
  #leftBy(jobs: readonly Job[]): readonly Job[] {
    const isHeld = ({ about }: Job): boolean => this.#held.has(about.username)
    this.#held.add(jobs.filter(isHeld))
    return jobs.filter((job) => !isHeld(job))
  }

  async #run(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return
    const left = await this.#together(jobs).catch((error: unknown) => {
      // Jobs that already wait would wait for another attempt to connect, so they fail now.
      const failed = error instanceof StoreAway ? [...jobs, ...this.#jobs.splice(0)] : jobs
      for (const { reject } of failed) reject(error)
      return []
    })
    await this.#alone(left)
  }

  /** One after the other; those that met a lock before come last, up to the first that meets one again. */
  async #alone(jobs: readonly Job[]): Promise<void> {
    const again = jobs.filter((job) => this.#locked.has(job))
    const held: Job[] = []
    let lockedAgain: string | undefined
    for (const job of [...jobs.filter((one) => !again.includes(one)), ...again]) {
      const { username } = job.about
      const isBehind = held.some(({ about }) => about.username === username)
      const isLater = lockedAgain !== undefined && again.includes(job)
      if (!isBehind && !isLater && !(await this.#isLocked(job))) continue
      held.push(job)
      if (again.includes(job)) lockedAgain ??= username
    }
    // The next time, others are tried before it.
    this.#held.add(held.filter(({ about }) => about.username !== lockedAgain))
    this.#held.add(held.filter(({ about }) => about.username === lockedAgain))
  }

  /** Runs the job, unless it meets a lock. */
  async #isLocked(job: Job): Promise<boolean> {
    try {
      job.resolve(await this.#options.alone(job))
    } catch (error) {
      if (error instanceof StoreBusy) {
        this.#locked.add(job)
        return true
      }
      job.reject(error)
    }
    return false
  }

  /** Resolves with the jobs that need transactions of their own. */
  async #together(all: readonly Job[]): Promise<readonly Job[]> {
    const { counters } = this.#options
    const alone: Job[] = []
    // Those that met a lock are no longer tried with others.
    const [again, others] = parted(
      all,
      all.filter((job) => this.#locked.has(job)),
    )
    alone.push(...again)
    let jobs = others
    for (let attempt = 1; jobs.length > 0; attempt++) {
      const done = await runBatch(jobs, counters, this.#connection).catch((error: unknown) => ({ error }))
      if (!('error' in done)) {
        counters.settle()
        done.settle()
        return [...alone, ...done.left]
      }
      counters.rollback()
      const left = this.#withoutLocked(jobs, done.error, attempt)
      alone.push(...left.alone)
      jobs = left.jobs
      if (left.isRepeated) await sleep(2 ** attempt)
    }
    return alone
  }

  /** What is left of a batch after this error; throws it if another attempt is of no use. */
  #withoutLocked(jobs: readonly Job[], error: unknown, attempt: number): LeftJobs {
    const isHeld = error instanceof Held
    if (isHeld || (error instanceof Overtaken && attempt > 1)) {
      const [those, others] = parted(jobs, error.jobs)
      if (isHeld) this.#held.add(those)
      return { jobs: others, alone: isHeld ? [] : those, isRepeated: false }
    }
    if (!(error instanceof Overtaken) && !isWorthAnotherTry(error, attempt)) throw toStoreError(error)
    return { jobs, alone: [], isRepeated: true }
  }
}

interface LeftJobs {
  readonly jobs: readonly Job[]
  /** For transactions of their own. */
  readonly alone: readonly Job[]
  /** The same jobs, after a pause. */
  readonly isRepeated: boolean
}

/** These jobs with what the same logins ask for, and the other ones. */
function parted(jobs: readonly Job[], those: readonly Job[]): readonly [readonly Job[], readonly Job[]] {
  const usernames = new Set(those.map(({ about }) => about.username))
  const isOne = ({ about }: Job): boolean => usernames.has(about.username)
  return [jobs.filter(isOne), jobs.filter((job) => !isOne(job))]
}
