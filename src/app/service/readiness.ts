import { systemClock } from '../../platform/clock/clock.ts'
import type { IsReady } from '../../server/http/health.ts'
import type { Store } from '../../server/store/store.ts'
import { clockFault } from './store/open-postgres.ts'

/** In milliseconds: probes of several balancers share one write. */
const MAX_PROBE_AGE = 1000
/** In milliseconds: a disk that takes longer is not ready. */
const TIMEOUT = 2000

/** Writes one row, at most once a second. */
export function readiness(store: Store, ending: AbortSignal): IsReady {
  let last: { readonly at: number; readonly result: Promise<boolean> } | undefined
  return async () => {
    if (ending.aborted) return false
    const now = performance.now()
    if (last === undefined || now - last.at > MAX_PROBE_AGE) last = { at: now, result: canWrite(store) }
    return last.result
  }
}

async function canWrite(store: Store): Promise<boolean> {
  const written = store.probe(systemClock.now()).then(
    // Blocks would end at wrong times, for all nodes.
    (at) => clockFault(systemClock.now() - at) === undefined,
    () => false,
  )
  return Promise.race([
    written,
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), TIMEOUT).unref()),
  ])
}
