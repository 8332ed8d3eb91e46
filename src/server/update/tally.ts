import type { Duration, Instant } from '../../base/time.ts'

/** Moments kept as whole seconds, so that a tally of days fits in a few bytes each. */
const inSeconds = (at: Instant): number => Math.floor(at / 1000)

export interface Limit {
  readonly most: number
  readonly within: Duration
}

/** One more of a thing at this moment; only as many moments are kept as the limit needs to be judged. */
export function counted(
  moments: readonly number[],
  now: Instant,
  { most, within }: Limit,
): readonly number[] {
  const since = inSeconds(now) - within / 1000
  return [...moments.filter((moment) => moment > since), inSeconds(now)].slice(-(most + 1))
}

/** Whether there were more than the limit allows in its span, this moment included. */
export const exceeds = (moments: readonly number[], { most }: Limit): boolean => moments.length > most
