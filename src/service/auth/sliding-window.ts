import type { Duration, Instant } from '../../shared/base/time.ts'
import type { Buckets } from '../model/rows.ts'

export interface Limit {
  readonly max: number
  /** Whole minutes, so that a bucket is whole seconds. */
  readonly window: Duration
}

/** The memory and the work of one event are bounded by this number, not by the limit. */
const BUCKETS_PER_WINDOW = 60

/** In seconds. */
export const bucketLength = ({ window }: Pick<Limit, 'window'>): number => window / 1000 / BUCKETS_PER_WINDOW

/**
 * Counts one event; keeps only the buckets that lie in the window as a whole. An event is therefore counted no longer than
 * the window, and at most one bucket less: a block never comes before that of an exact window, and at most one bucket
 * after it. Buckets of the future are dropped, because the clock was set back: kept, they would count for as long as the
 * clock was ahead. So a small step back loses only the events of that step.
 */
export function withEvent(buckets: Buckets, now: Instant, limit: Limit): Buckets {
  const length = bucketLength(limit)
  const current = Math.floor(now / 1000 / length) * length
  const windowStart = (now - limit.window) / 1000
  const earlier = buckets.filter(({ start }) => start > windowStart && start < current)
  const count = buckets.find(({ start }) => start === current)?.count ?? 0
  return [...earlier, { start: current, count: count + 1 }]
}

/** The buckets with the most events in the window. */
export function busiest(all: readonly Buckets[], now: Instant, { window }: Limit): Buckets {
  const eventsOf = (buckets: Buckets): number =>
    buckets.reduce((sum, { start, count }) => sum + (start > (now - window) / 1000 ? count : 0), 0)
  const [first = [], ...others] = all
  return others.reduce((most, one) => (eventsOf(one) > eventsOf(most) ? one : most), first)
}

/** Whether the buckets contain more events than the limit. */
export const exceeds = (buckets: Buckets, { max }: Limit): boolean =>
  buckets.reduce((sum, { count }) => sum + count, 0) > max
