import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE_FILES } from '../../store/sqlite/files.ts'
import { isOpenToOthers } from '../../../shared/platform/files/folder.ts'
import { StoreRefused } from '../../store/errors.ts'
import { HASH_KEY_FILE, PREVIOUS_HASH_KEY_FILE } from './hash-key.ts'

/** What the store and SQLite write there. */
const STORE_FILES = [HASH_KEY_FILE, PREVIOUS_HASH_KEY_FILE, ...DATABASE_FILES]

/**
 * The store contains hashes and addresses. A folder that others may enter is refused: the operator made it so, and may have
 * a reason that a silent change would break. The files in it become private.
 */
export function closeToOthers(folder: string): void {
  refuseIfOpen(folder)
  for (const name of STORE_FILES) closeFile(join(folder, name))
}

/** Throws StoreRefused if other users may enter the folder. */
export function refuseIfOpen(folder: string): void {
  const mode = statSync(folder).mode & 0o777
  if (isOpenToOthers(mode))
    throw new StoreRefused(
      `${folder} is open to other users of this host (mode ${mode.toString(8)}): run chmod 700 ${folder}`,
    )
}

/** Through a descriptor: root would else change what a symbolic link names, in a folder that another user may write. */
function closeFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || !isOpenToOthers(found.mode)) return
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (fstatSync(file).isFile()) fchmodSync(file, 0o600)
  } finally {
    closeSync(file)
  }
}
