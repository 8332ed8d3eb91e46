import { steadyClock, systemClock } from '../../shared/platform/clock/clock.ts'
import { later } from '../../shared/platform/clock/timer.ts'
import type { IsReady } from '../http/health.ts'
import type { Store } from '../store/store.ts'
import { clockFault } from '../admin/store/open-postgres.ts'

/** In milliseconds: probes of several balancers share one write. */
const MAX_PROBE_AGE = 1000
/** In milliseconds: a disk that takes longer is not ready. */
const TIMEOUT = 2000

/** Writes one row, or reads one, at most once a second each. */
export function readiness(store: Store, ending: AbortSignal): IsReady {
  const probes = { writes: async () => canWrite(store), reads: async () => canRead(store) }
  const last: Partial<
    Record<keyof typeof probes, { readonly at: number; readonly result: Promise<boolean> }>
  > = {}
  return async (kind) => {
    if (ending.aborted) return false
    const now = steadyClock.now()
    const recent = last[kind]
    if (recent !== undefined && now - recent.at <= MAX_PROBE_AGE) return recent.result
    const result = inTime(probes[kind]())
    last[kind] = { at: now, result }
    return result
  }
}

const inTime = async (probed: Promise<boolean>): Promise<boolean> =>
  Promise.race([
    probed.catch(() => false),
    new Promise<boolean>((resolve) => later(TIMEOUT, () => resolve(false))),
  ])

/** Blocks would end at wrong times, for all nodes, where the clock is wrong. */
const canWrite = async (store: Store): Promise<boolean> =>
  clockFault(systemClock.now() - (await store.probe(systemClock.now()))) === undefined

async function canRead(store: Store): Promise<boolean> {
  await store.read(async (r) => r.hasAccounts())
  return true
}
