import { ok } from '../../shared/base/result.ts'
import { LOAD_FACT, type LoadStatus } from '../store/store.ts'
import type { Operations } from './operation.ts'
import { formatTable } from './table.ts'

/** What the running service last said about its load. */
export const LOAD_OPERATIONS: Operations = {
  load: {
    parameters: '',
    summary: 'show the ten accounts whose requests to /v1 take the most time of the running service',
    run: async ({ w }) => {
      const text = await w.fact(LOAD_FACT)
      if (text === undefined)
        return ok({
          lines: ['no load is stored yet; the service stores it a minute after it starts'],
          data: { at: null, heaviest: [] },
        })
      const { at, heaviest } = JSON.parse(text) as LoadStatus
      return ok({ lines: [`as of ${at}`, ...formatTable(heaviest)], data: { at, heaviest } })
    },
  },
}
