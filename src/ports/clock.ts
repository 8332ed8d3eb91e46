import type { Duration, Instant } from '../base/time.ts'

/** Our own time, and waiting. */
export interface Clock {
  now(): Instant
  /** Resolves at the moment, or as soon as the signal says so; never rejects. */
  sleep(until: Instant, signal: AbortSignal): Promise<void>
  /** A signal that fires when the span is over. Holds no process open. */
  deadline(span: Duration): AbortSignal
}

/** What the system's clocks say at one moment. */
export interface ClockReading {
  /** The time of day, which may be set to anything at any time. */
  readonly wall: Instant
  /** Which boot of the machine this is; undefined where the system does not tell. */
  readonly boot: string | undefined
  /** Since that boot, sleep included; never goes back within one boot. */
  readonly uptime: Duration
}
export type Clocks = () => ClockReading

/** Numbers in [0, 1) for jitter. */
export type Random = () => number

/** When to look next. Pure: the same moment always gives the same answer; jitter is the caller's. */
export interface Schedule {
  nextAfter(now: Instant): Instant
}
