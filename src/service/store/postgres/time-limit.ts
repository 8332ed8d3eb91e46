import { after, type Duration, type Instant } from '../../../shared/base/time.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import { StoreBusy } from '../errors.ts'

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
