import { steadyClock } from '../../shared/platform/clock/clock.ts'
import { isApiPath } from '../api/handle.ts'
import type { RequestHandler } from '../http/listen.ts'
import type { ServiceMetrics } from './service-metrics.ts'
import { StoreBusy } from '../store/errors.ts'
import type { Store } from '../store/store.ts'
import { isUpdatePath } from '../update/handle.ts'

/** In seconds. */
const now = (): number => steadyClock.now() / 1000

interface WriteObserver {
  readonly metrics: Pick<ServiceMetrics, 'queued' | 'wasBusy' | 'written'>
  /** Called after every write. */
  readonly onWrite: () => void
}

/** The same store; its writes are observed. `Required`: without a member, even an optional one, it does not compile. */
export const observedStore = (store: Store, { metrics, onWrite }: WriteObserver): Required<Store> => ({
  isShared: store.isShared,
  read: async (work) => store.read(work),
  snapshot: async (work) => store.snapshot(work),
  probe: async (at) => store.probe(at),
  countRequest: async (...request) => store.countRequest(...request),
  checkpoint: () => store.checkpoint(),
  close: async () => store.close(),
  async write(work, about) {
    const began = now()
    metrics.queued(1)
    try {
      const value = await store.write(work, about)
      onWrite()
      return value
    } catch (error) {
      if (error instanceof StoreBusy) metrics.wasBusy()
      throw error
    } finally {
      metrics.queued(-1)
      metrics.written(now() - began)
    }
  },
})

/** The same handler; its requests are measured. */
export const measuredHandler =
  (handle: RequestHandler, metrics: ServiceMetrics): RequestHandler =>
  async (request) => {
    const began = now()
    const response = await handle(request)
    metrics.answered(partOf(request.path), response, now() - began)
    return response
  }

function partOf(path: string): 'update' | 'api' | 'other' {
  if (isUpdatePath(path)) return 'update'
  return isApiPath(path) ? 'api' : 'other'
}
