import { after, type Duration, type Instant, isBefore, seconds } from '../../shared/base/time.ts'
import type { Clock } from '../../shared/ports/clock.ts'

/** Longer than the answer of a round is reused, and than a change takes to reach router and outside services. */
const DELAY: Duration = seconds(2)

interface SecondRoundOptions {
  readonly clock: Clock
  readonly requestLook: () => void
  readonly signal: AbortSignal
}

/** What one round cannot show, because the line may have changed between two of its answers: a second round must agree. */
export class SecondRound {
  readonly #options: SecondRoundOptions
  #first: { readonly what: string; readonly at: Instant } | undefined

  constructor(options: SecondRoundOptions) {
    this.#options = options
  }

  /** A second round is due: it must ask outside services again, although nothing near has changed. */
  get isOpen(): boolean {
    return this.#first !== undefined
  }

  /** Whether a round a while ago showed the same; the first time, another round is requested. */
  isConfirmed(what: string | undefined): boolean {
    const now = this.#options.clock.now()
    const first = this.#first
    if (what !== undefined && first?.what === what) {
      const isEarly = isBefore(now, after(first.at, DELAY))
      // The look that is due would get the answer of this round.
      if (isEarly && isBefore(first.at, now)) void this.#lookAgain(after(now, DELAY))
      if (!isEarly) this.#first = undefined
      return !isEarly
    }
    this.#first = what === undefined ? undefined : { what, at: now }
    if (what !== undefined) void this.#lookAgain(after(now, DELAY))
    return false
  }

  async #lookAgain(at: Instant): Promise<void> {
    const { clock, signal, requestLook } = this.#options
    await clock.sleep(at, signal)
    if (!signal.aborted) requestLook()
  }
}
