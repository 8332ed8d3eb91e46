import {
  after,
  type Duration,
  type Instant,
  isBefore,
  milliseconds,
  seconds,
} from '../../shared/base/time.ts'

/** What took at least this long to find is not found again for so many times as long, and at most for this long. */
const SLOW = milliseconds(10)
const TIMES_AS_LONG = 100
const MAX_AGE = seconds(30)
const MAX_CACHED = 1000

interface CachedFind {
  readonly value?: unknown
  readonly until?: Instant
  readonly running?: Promise<unknown>
}

/**
 * A part of a page that no one should wait for: undefined while it is found for the first time. `key`: who
 * sees it.
 */
export type CostCache = <T>(key: string, find: () => Promise<T>) => Promise<T | undefined>

/** `pause` resolves after the time that a page waits. */
export function costCache(now: () => Instant, pause: () => Promise<void>): CostCache {
  const all = new Map<string, CachedFind>()
  const put = (key: string, cached: CachedFind): void => {
    all.delete(key)
    all.set(key, cached)
    const [oldest] = all.keys()
    if (all.size > MAX_CACHED && oldest !== undefined) all.delete(oldest)
  }
  const run = async <T>(key: string, find: () => Promise<T>): Promise<T> => {
    const begun = now()
    try {
      const value = await find()
      const took = now() - begun
      const age = Math.min(took * TIMES_AS_LONG, MAX_AGE) as Duration
      put(key, took < SLOW ? {} : { value, until: after(now(), age) })
      return value
    } catch (error) {
      all.delete(key)
      throw error
    }
  }
  return async <T>(key: string, find: () => Promise<T>) => {
    const cached = all.get(key) ?? {}
    if (cached.until !== undefined && isBefore(now(), cached.until)) return cached.value as T
    const running = (cached.running as Promise<T> | undefined) ?? run(key, find)
    if (cached.running === undefined) put(key, { ...cached, running })
    const found = await Promise.race([running, pause()])
    return found ?? (cached.value as T | undefined)
  }
}
