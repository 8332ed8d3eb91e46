import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { scratch, type Service, serviceIn } from '../e2e/processes.ts'

export interface OldProofService extends Service {
  /** All who have signed in did so long ago: before the next important change, the console asks for a proof. */
  readonly ageProofs: () => void
}

/** `holdfast serve --dev` with its store in a folder that the test knows. */
export async function oldProofService(...args: readonly string[]): Promise<OldProofService> {
  const folder = scratch()
  const at = await serviceIn({ TMPDIR: folder }, ...args)
  return { ...at, ageProofs: () => ageProofs(storeIn(folder)) }
}

/** Where a service with this temporary folder has its store. */
export const storeIn = (folder: string): string =>
  join(folder, readdirSync(folder).find((name) => name.startsWith('holdfast-dev-')) ?? '')

function ageProofs(store: string): void {
  const database = new DatabaseSync(join(store, 'holdfast.db'), { timeout: 5000 })
  try {
    database.exec('UPDATE session SET proved_at = 0')
  } finally {
    database.close()
  }
}
