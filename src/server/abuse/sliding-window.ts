import type { Duration, Instant } from '../../base/time.ts'

/** Timestamps are stored in seconds, in 32 bits each. */
const inSeconds = (at: Instant): number => Math.floor(at / 1000)

export interface Limit {
  readonly max: number
  readonly window: Duration
}

/** Adds an event; oldest first. Keeps no more timestamps than `exceeds` needs. */
export function withEvent(
  timestamps: readonly number[],
  now: Instant,
  { max, window }: Limit,
): readonly number[] {
  const at = inSeconds(now)
  const since = at - window / 1000
  const recent =
    (timestamps[0] ?? at) > since ? timestamps : timestamps.filter((timestamp) => timestamp > since)
  const added = recent.slice(Math.max(recent.length - max, 0)).concat(at)
  // The clock may have been set back.
  return (recent.at(-1) ?? at) > at ? added.toSorted((a, b) => a - b) : added
}

/** Whether the window contains more events than the limit, the last one included. */
export const exceeds = (timestamps: readonly number[], { max }: Limit): boolean => timestamps.length > max
