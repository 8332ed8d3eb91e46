import { setTimeout as sleep } from 'node:timers/promises'
import { type Duration, after, instant } from '../base/time.ts'
import type { Clock, Dice, Schedule } from '../ports/clock.ts'

/** Timers count milliseconds in 31 bits, and drift from a wall clock that is set; so long waits are short ones in a row. */
const LONGEST_NAP = 60_000

export const systemClock: Clock = {
  now: () => instant(Date.now()),
  async sleep(until, signal) {
    while (!signal.aborted && Date.now() < until) {
      const span = Math.min(until - Date.now(), LONGEST_NAP)
      await sleep(Math.max(span, 1), undefined, { signal }).catch(() => undefined)
    }
  },
  deadline: (span) => AbortSignal.timeout(span),
}

export const systemDice: Dice = () => Math.random()

/** Looks at even distances. */
export const everyInterval = (interval: Duration): Schedule => ({ nextAfter: (now) => after(now, interval) })
