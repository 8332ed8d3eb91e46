import { StoreBusy } from '../errors.ts'
import type { Job } from './batch.ts'

/** In milliseconds, between two attempts; each pause is twice as long as the one before. */
const PAUSES = { first: 10, longest: 250 } as const

interface HeldOptions {
  /** In milliseconds. */
  readonly now: () => number
  readonly sleep: (span: number) => Promise<unknown>
  /** Tries them again, before all others. */
  readonly retry: (jobs: readonly Job[]) => void
}

/** Jobs whose rows other sessions have locked. They are tried again until their deadlines; no other job waits for them. */
export class HeldJobs {
  readonly #options: HeldOptions
  #jobs: Job[] = []
  #pause: number = PAUSES.first
  #lastRetry = Number.NEGATIVE_INFINITY

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
    const { now, sleep, retry } = this.#options
    const isAgain = now() - this.#lastRetry < 2 * PAUSES.longest
    this.#pause = isAgain ? Math.min(2 * this.#pause, PAUSES.longest) : PAUSES.first
    await sleep(this.#pause)
    this.#lastRetry = now()
    const jobs = this.#jobs.splice(0)
    const isOver = ({ deadline }: Job): boolean => deadline <= this.#lastRetry
    for (const { reject } of jobs.filter(isOver))
      reject(new StoreBusy('another session has locked what is to be changed'))
    retry(jobs.filter((job) => !isOver(job)))
  }
}
