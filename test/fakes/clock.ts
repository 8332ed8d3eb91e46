import { type Duration, type Instant, instant } from '../../src/shared/base/time.ts'
import type { Clock } from '../../src/shared/ports/clock.ts'

/** A clock that advances only by `pass`, and runs the timers on the way. */
export interface VirtualClock extends Clock {
  pass(span: Duration): Promise<void>
}

export function virtualClock(): VirtualClock {
  let now: Instant = instant(0)
  let waiting: { readonly at: number; readonly wake: () => void }[] = []
  const schedule = (at: number, wake: () => void): void => void waiting.push({ at, wake })
  return {
    now: () => now,
    sleep: async (until, ...ends) =>
      new Promise((done) => {
        if (ends.some(({ aborted }) => aborted) || until <= now) return done()
        // Each listener that stays makes the next one slower.
        const wake = (): void => {
          for (const end of ends) end.removeEventListener('abort', wake)
          done()
        }
        for (const end of ends) end.addEventListener('abort', wake)
        schedule(until, wake)
      }),
    deadline: (span) => {
      const over = new AbortController()
      schedule(now + span, () => over.abort())
      return over.signal
    },
    pass: async (span) => {
      const end = now + span
      for (;;) {
        for (let turn = 0; turn < 50; turn++) await Promise.resolve()
        const [next] = waiting.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (next === undefined) break
        now = Math.max(now, next.at) as Instant
        waiting = waiting.filter((one) => one !== next)
        next.wake()
      }
      now = end as Instant
    },
  }
}
