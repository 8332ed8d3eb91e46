import { after, type Instant, isBefore, milliseconds } from '../../../shared/base/time.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import { StoreBusy } from '../errors.ts'
import type { Job } from './batch.ts'

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
export class HeldJobs {
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
