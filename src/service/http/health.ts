import { type PathHandler, textResponse } from './dispatch.ts'

/** Whether writes are possible now, or reads alone, and the service is not ending. */
export type IsReady = (kind: 'writes' | 'reads') => Promise<boolean>

/** For balancers and supervisors, without detail: the process is alive; it can take requests. */
export const healthHandler = (isReady: IsReady): PathHandler => ({
  matches: (path) => path === '/healthz' || path === '/readyz',
  handle: async ({ path, query }) => {
    const kind = query === 'reads' ? 'reads' : 'writes'
    const isWell = path === '/healthz' || (await isReady(kind))
    return isWell ? textResponse(200, 'ok\n') : textResponse(503, `not ready for ${kind}\n`)
  },
  logFields: () => ({}),
})
