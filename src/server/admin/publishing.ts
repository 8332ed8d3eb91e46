import { ok } from '../../base/result.ts'
import { type PublishingStatus, STATUS_FACT } from '../publish/status.ts'
import type { Operations } from './operation.ts'
import { formatTable } from './table.ts'

/** What the running service last said about its secondaries. */
export const PUBLISHING_OPERATIONS: Operations = {
  publishing: {
    parameters: '',
    summary: 'show whether each secondary has fetched the published zones',
    run: async ({ w }) => {
      const text = await w.fact(STATUS_FACT)
      if (text === undefined)
        return ok({
          lines: ['no secondary: set secondaries, and start the service'],
          data: { at: null, secondaries: [] },
        })
      const { at, secondaries } = JSON.parse(text) as PublishingStatus
      const late = secondaries.flatMap(({ name, late: zones }) =>
        zones.map((zone) => ({ secondary: name, ...zone })),
      )
      return ok({
        lines: [
          `as of ${at}`,
          ...formatTable(secondaries.map(({ late: _, ...secondary }) => secondary)),
          ...(late.length === 0 ? [] : ['', 'behind:', ...formatTable(late)]),
        ],
        data: { at, secondaries },
      })
    },
  },
}
