import type { Duration, Instant } from '../base/time.ts'

/** The time of day, and waiting. */
export interface Clock {
  now(): Instant
  /** Resolves at the moment, or as soon as the signal says so; never rejects. */
  sleep(until: Instant, signal: AbortSignal): Promise<void>
  /** A signal that fires when the span is over. Holds no process open. */
  deadline(span: Duration): AbortSignal
}

/** Numbers in [0, 1) for jitter. */
export type Dice = () => number

/** When to look next. Pure: the same moment always gives the same answer; jitter is the caller's. */
export interface Schedule {
  nextAfter(now: Instant): Instant
}
