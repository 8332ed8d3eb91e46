import { type ConcurrencyLimit, limitConcurrency } from '../../shared/base/concurrency.ts'
import { later } from '../../shared/platform/clock/timer.ts'
import type { DnsContext } from './handle.ts'
import type { Secondary } from './settings.ts'
import type { Store } from '../store/store.ts'

/**
 * Transfers of one secondary at a time: one that reads slowly delays only its own. Each snapshot has a connection to the
 * database, with at most 2 MB of cache. While one is open, SQLite cannot reuse its log (WAL), which grows by about 40 kB for
 * each update that is committed alone: by 10 updates a second, 240 MB in ten minutes.
 */
const MAX_PER_SECONDARY = 2
/** In milliseconds, for a whole transfer. The listener closes a connection that takes nothing for a minute. */
const MAX_DURATION = 600_000

/** Gives each secondary snapshots of its own. Rejects when a transfer takes too long: what it has sent is incomplete. */
export function snapshotsOf(store: Pick<Store, 'snapshot'>): DnsContext['snapshot'] {
  const limits = new Map<Secondary, ConcurrencyLimit>()
  return async (secondary, work) => {
    const limit = limits.get(secondary) ?? limitConcurrency(MAX_PER_SECONDARY)
    limits.set(secondary, limit)
    return limit(async () => store.snapshot(async (reads) => withinLimit(work(reads))))
  }
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let cancel = (): void => undefined
  const timeout = new Promise<never>((_, reject) => {
    cancel = later(MAX_DURATION, () => reject(new Error('the transfer takes too long')))
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    cancel()
  }
}
