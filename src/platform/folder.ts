import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it that are missing. Node's own `recursive` never ends where the file system says of a
 * new folder that its parent is missing, which is there: /proc does.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  const failed = await tried(path, mode)
  if (failed?.code !== 'ENOENT' || dirname(path) === path) {
    if (failed !== undefined) throw failed
    return
  }
  await makeFolder(dirname(path), mode)
  const again = await tried(path, mode)
  if (again !== undefined) throw again
}

/** Why the folder is not there after all. */
const tried = async (path: string, mode: number): Promise<NodeJS.ErrnoException | undefined> =>
  mkdir(path, { mode }).then(
    () => undefined,
    async (error: NodeJS.ErrnoException) => ((await isFolder(path)) ? undefined : error),
  )

const isFolder = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
