import { err, ok, type Result } from '../../base/result.ts'
import type { OperationResult } from '../../server/admin/operation.ts'
import type { Failure } from '../failure.ts'
import { findStore, openStore } from './open-store.ts'

/** An operation of `holdfast admin` on a store as a whole: its folder need not hold one yet. */
export interface StoreOperation {
  readonly parameters: string
  readonly summary: string
  readonly run: (folder: string, args: readonly string[]) => Promise<Result<OperationResult, Failure>>
}

export const STORE_OPERATIONS: Readonly<Record<string, StoreOperation>> = {
  init: {
    parameters: '',
    summary: 'make a new, empty store; an existing one is left as it is',
    run: async (folder) => {
      if (findStore(folder).kind === 'whole')
        return err({
          exit: 'configuration',
          messages: [`there is a store in ${folder} already; it is unchanged`],
        })
      const made = await openStore(folder, { mayMake: true })
      if (!made.ok) return made
      await made.value.store.close()
      return ok({
        lines: [
          `made a store in ${folder}`,
          'next: holdfast admin plan add basic, holdfast admin account add NAME basic',
        ],
        data: { store: folder },
      })
    },
  },
}
