import type { Duration, Instant } from '../../base/time.ts'

/** Moments kept as whole seconds, so that a tally of days fits in a few bytes each. */
const inSeconds = (at: Instant): number => Math.floor(at / 1000)

export interface Limit {
  readonly max: number
  readonly window: Duration
}

/** One more of a thing at this moment, oldest first; only as many moments are kept as the limit needs to be judged. */
export function withEvent(
  moments: readonly number[],
  now: Instant,
  { max, window }: Limit,
): readonly number[] {
  const at = inSeconds(now)
  const since = at - window / 1000
  const recent = (moments[0] ?? at) > since ? moments : moments.filter((moment) => moment > since)
  const added = recent.slice(Math.max(recent.length - max, 0)).concat(at)
  // A clock that was put back.
  return (recent.at(-1) ?? at) > at ? added.toSorted((a, b) => a - b) : added
}

/** Whether there were more than the limit allows in its span, this moment included. */
export const exceeds = (moments: readonly number[], { max }: Limit): boolean => moments.length > max
