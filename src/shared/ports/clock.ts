import { after, type Duration, type Instant, milliseconds } from '../base/time.ts'

/** The current time, and waiting. */
export interface Clock {
  now(): Instant
  /** Resolves at `until`, or when one of the signals aborts; never rejects. */
  sleep(until: Instant, ...ends: readonly AbortSignal[]): Promise<void>
  /** A signal that aborts after the span. Does not keep the process alive. */
  deadline(span: Duration): AbortSignal
}

/** Resolves in the next turn of the event loop, after what has arrived meanwhile. */
export type NextTurn = () => Promise<void>

/** The clocks of the system, read together. */
export interface ClockReading {
  /** The time of day, which can be set to any value at any time. */
  readonly wall: Instant
  /** Identifies the current boot; undefined where the system has no boot id. */
  readonly boot: string | undefined
  /** Time since that boot, including suspend; monotonic within one boot. */
  readonly uptime: Duration
}
export type Clocks = () => ClockReading

/** Numbers in [0, 1) for jitter. */
export type Random = () => number

/** This number of octets, which cannot be guessed, for identifiers and nonces. */
export type Entropy = (octets: number) => Uint8Array

/** When to check the address next. Pure: the caller adds jitter. */
export interface Schedule {
  nextAfter(now: Instant): Instant
}

/** Resolves after this many milliseconds of the clock, or when the signal aborts. */
export const pause = async (
  clock: Clock,
  span: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> => clock.sleep(after(clock.now(), milliseconds(span)), signal)
