import {
  after,
  between,
  type Duration,
  type Instant,
  instant,
  longest,
  milliseconds,
} from '../../base/time.ts'
import type { ClockReading, Clocks } from '../../ports/clock.ts'

/** Where our own time stood when the state was written, and what the system's clocks said then. */
export interface Anchor extends ClockReading {
  readonly at: Instant
}

/**
 * Our own time goes on evenly, whatever is done to the wall clock: within one boot the uptime decides. Over a boot only
 * the wall clock knows how long the machine was off, and it is believed forward only: one that stands in the past (a
 * machine without a battery) says that no time has passed, so that a wait is served in full.
 */
export interface ClientTime {
  now(): Instant
  /** Goes on where an earlier process stopped. */
  resume(anchor: Anchor | undefined): void
  anchor(): Anchor
  /** What the wall clock shows, or will show, at a moment of ours. For people. */
  wallAt(at: Instant): Instant
}

export function clientTime(clocks: Clocks): ClientTime {
  let base: Anchor = startOf(clocks())
  const now = (reading: ClockReading): Instant =>
    after(base.at, longest(milliseconds(0), between(moment(base.uptime), moment(reading.uptime))))
  return {
    now: () => now(clocks()),
    resume: (anchor) => {
      const reading = clocks()
      base =
        anchor === undefined
          ? startOf(reading)
          : { ...reading, at: after(anchor.at, elapsed(anchor, reading)) }
    },
    anchor: () => {
      const reading = clocks()
      return { ...reading, at: now(reading) }
    },
    wallAt: (at) => {
      const reading = clocks()
      return after(reading.wall, between(now(reading), at))
    },
  }
}

const startOf = (reading: ClockReading): Anchor => ({ ...reading, at: reading.wall })
const moment = (span: Duration): Instant => instant(span)

/** How much of our time went by between the two. */
function elapsed(anchor: Anchor, reading: ClockReading): Duration {
  const isSameBoot =
    anchor.boot !== undefined && anchor.boot === reading.boot && reading.uptime >= anchor.uptime
  const span = isSameBoot
    ? between(moment(anchor.uptime), moment(reading.uptime))
    : between(anchor.wall, reading.wall)
  return longest(milliseconds(0), span)
}
