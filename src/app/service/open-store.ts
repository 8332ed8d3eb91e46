import { err, ok, type Result } from '../../base/result.ts'
import { makeFolder } from '../../platform/folder.ts'
import { sqliteStore } from '../../server/store/sqlite.ts'
import { StoreRefused } from '../../server/store/sqlite-open.ts'
import type { Store } from '../../server/store/store.ts'
import type { Failure } from '../failure.ts'

/** Opens the store in this folder and creates what is missing. */
export async function openStore(folder: string): Promise<Result<Store, Failure>> {
  try {
    await makeFolder(folder)
    return ok(sqliteStore(folder))
  } catch (error) {
    return err(storeFailure(folder, error))
  }
}

/** The failure for an error that the operator can fix; every other error is a bug and is thrown again. */
export function storeFailure(folder: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof StoreRefused) return { exit: 'configuration', messages: [message] }
  if (code === undefined) throw error
  return { exit: 'configuration', messages: [`the store in ${folder} cannot be opened: ${message}`] }
}
