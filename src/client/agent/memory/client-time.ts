import {
  after,
  between,
  type Duration,
  type Instant,
  longest,
  milliseconds,
  seconds,
} from '../../../shared/base/time.ts'
import type { ClockReading, Clocks } from '../../../shared/ports/clock.ts'

/** A moment of client time, and what the system's clocks showed at that moment. Saved with the state. */
export interface Anchor extends ClockReading {
  readonly at: Instant
}

/**
 * Client time advances evenly, even if the wall clock is set: within one boot the uptime decides. Across a reboot only the
 * wall clock can measure how long the machine was off, and it counts forward only: if it shows an earlier time (a machine
 * without a battery), no time has passed, so that a wait is never shortened.
 */
export interface ClientTime {
  now(): Instant
  /** Continues where an earlier process stopped. */
  resume(anchor: Anchor | undefined): void
  anchor(): Anchor
  /** What the wall clock shows at a moment of client time, to within a second. For display: a moment keeps its time. */
  wallAt(at: Instant): Instant
}

/** The clocks advance in steps of 1 and 10 ms, and NTP corrects one: only a larger difference is a clock that was set. */
const SAME_CLOCK = seconds(1)

export function clientTime(clocks: Clocks): ClientTime {
  let base: Anchor = startAt(clocks())
  let shown = milliseconds(0)
  const nowAt = (reading: ClockReading): Instant =>
    after(base.at, longest(milliseconds(0), milliseconds(reading.uptime - base.uptime)))
  return {
    now: () => nowAt(clocks()),
    resume: (anchor) => {
      const reading = clocks()
      base =
        anchor === undefined
          ? startAt(reading)
          : { ...reading, at: after(anchor.at, elapsed(anchor, reading)) }
    },
    anchor: () => {
      const reading = clocks()
      return { ...reading, at: nowAt(reading) }
    },
    wallAt: (at) => {
      const reading = clocks()
      const ahead = between(nowAt(reading), reading.wall)
      if (Math.abs(ahead - shown) >= SAME_CLOCK) shown = ahead
      return after(at, shown)
    },
  }
}

const startAt = (reading: ClockReading): Anchor => ({ ...reading, at: reading.wall })

/** How much client time passed between the two. */
function elapsed(anchor: Anchor, reading: ClockReading): Duration {
  const isSameBoot =
    anchor.boot !== undefined && anchor.boot === reading.boot && reading.uptime >= anchor.uptime
  const span = isSameBoot ? milliseconds(reading.uptime - anchor.uptime) : between(anchor.wall, reading.wall)
  return longest(milliseconds(0), span)
}
