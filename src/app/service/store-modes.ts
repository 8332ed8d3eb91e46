import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StoreRefused } from '../../server/store/sqlite-open.ts'

/** The bits of the group and of all others. */
const OTHERS = 0o077
/** What the store and SQLite write there. */
const STORE_FILE = /^(hash\.key|holdfast\.db)/

/**
 * The store contains hashes and addresses. A folder that others may enter is refused: the operator made it so, and may have
 * a reason that a silent change would break. The files in it become private.
 */
export function closeToOthers(folder: string): void {
  const mode = statSync(folder).mode & 0o777
  if ((mode & OTHERS) !== 0)
    throw new StoreRefused(
      `${folder} is open to other users of this host (mode ${mode.toString(8)}): run chmod 700 ${folder}`,
    )
  for (const name of readdirSync(folder).filter((one) => STORE_FILE.test(one))) {
    const path = join(folder, name)
    const { mode: fileMode } = statSync(path)
    if ((fileMode & OTHERS) !== 0) chmodSync(path, 0o600)
  }
}
