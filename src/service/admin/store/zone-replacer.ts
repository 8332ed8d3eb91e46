import type { ReplaceZone } from '../../api/long-routes.ts'
import type { Store } from '../../store/store.ts'
import { type BulkClocks, HOST_CLOCKS } from './sweeper.ts'
import { replaceContent } from './zone-draft.ts'

/** The line of the account was too long for a step. */
class StepRefused extends Error {
  readonly retryAfter: number

  constructor(retryAfter: number) {
    super('a step of an import waited too long')
    this.retryAfter = retryAfter
  }
}

/** Replaces the content of a zone as `holdfast admin zone import` does; the service deletes what was there. */
export const zoneReplacer =
  (store: Store, requestFlush: () => void, clocks: BulkClocks = HOST_CLOCKS): ReplaceZone =>
  async (replacement, { inTurn, entry }) => {
    try {
      const outcome = await replaceContent(store, replacement, {
        clocks,
        inTurn: async (step) => {
          const taken = await inTurn(step)
          if ('retryAfter' in taken) throw new StepRefused(taken.retryAfter)
          return taken.value
        },
        record: async (w, { serial }) => w.addTrail([entry(serial)]),
      })
      requestFlush()
      return outcome
    } catch (error) {
      if (error instanceof StepRefused) return { retryAfter: error.retryAfter }
      throw error
    }
  }
