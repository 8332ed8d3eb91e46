import { after, type Instant, isBefore, milliseconds } from '../../../base/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import { StoreBusy } from '../errors.ts'
import type { Job } from './batch.ts'

/** In milliseconds, between two attempts; each pause is twice as long as the one before. */
const PAUSES = { first: 10, longest: 250 } as const

interface HeldOptions {
  readonly clock: Clock
  /** Tries them again, before all others. */
  readonly retry: (jobs: readonly Job[]) => void
}

/** Jobs whose rows other sessions have locked. They are tried again until their deadlines; no other job waits for them. */
export class HeldJobs {
  readonly #options: HeldOptions
  #jobs: Job[] = []
  #pause: number = PAUSES.first
  #lastRetry: Instant | undefined

  constructor(options: HeldOptions) {
    this.#options = options
  }

  /** Whether a job of this login is held: later ones run after it. */
  has(username: string): boolean {
    return this.#jobs.some(({ about }) => about.username === username)
  }

  add(jobs: readonly Job[]): void {
    const isFirst = this.#jobs.length === 0
    this.#jobs.push(...jobs)
    if (isFirst && jobs.length > 0) void this.#retry()
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
    retry(jobs.filter((job) => !isOver(job)))
  }
}
