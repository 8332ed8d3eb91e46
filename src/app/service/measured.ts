import { isApiPath } from '../../server/api/handle.ts'
import type { RequestHandler } from '../../server/http/listen.ts'
import type { ServiceMetrics } from '../../server/metrics/service-metrics.ts'
import type { Store } from '../../server/store/store.ts'
import { isUpdatePath } from '../../server/update/handle.ts'

/** In seconds. */
const now = (): number => performance.now() / 1000

/** The same store, with another `write`. */
const withWrite = (store: Store, write: Store['write']): Store => ({
  read: async (work) => store.read(work),
  snapshot: async (work) => store.snapshot(work),
  checkpoint: () => store.checkpoint(),
  close: async () => store.close(),
  ...(store.countRequest !== undefined && { countRequest: store.countRequest }),
  ...(store.probe !== undefined && { probe: store.probe }),
  write,
})

/** The same store; its transactions are measured. */
export const measuredStore = (store: Store, metrics: ServiceMetrics): Store =>
  withWrite(store, async (work, about) => {
    const began = now()
    metrics.queued(1)
    try {
      return await store.write(work, about)
    } finally {
      metrics.queued(-1)
      metrics.written(now() - began)
    }
  })

/** The same store; `onWrite` is called after every write. */
export const observedStore = (store: Store, onWrite: () => void): Store =>
  withWrite(store, async (work, about) => {
    const value = await store.write(work, about)
    onWrite()
    return value
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
