import { type PathHandler, textResponse } from './dispatch.ts'

/** Whether a write is possible now, and the service is not ending. */
export type IsReady = () => Promise<boolean>

/** For balancers and supervisors, without detail: the process is alive; it can take requests. */
export const healthHandler = (isReady: IsReady): PathHandler => ({
  matches: (path) => path === '/healthz' || path === '/readyz',
  handle: async ({ path }) => {
    const isWell = path === '/healthz' || (await isReady())
    return isWell ? textResponse(200, 'ok\n') : textResponse(503, 'not ready\n')
  },
  logFields: () => ({}),
})
