import { dirname } from 'node:path'
import { mkdir, stat } from './promises.ts'

/**
 * Makes a folder with its missing parents; an existing folder is no error. Node's `recursive` option loops forever where the
 * file system reports ENOENT although the parent exists, as /proc does.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  const failure = await tryMkdir(path, mode)
  if (failure === undefined) return
  if (failure.code !== 'ENOENT' || dirname(path) === path) throw failure
  await makeFolder(dirname(path), mode)
  const secondFailure = await tryMkdir(path, mode)
  if (secondFailure !== undefined) throw secondFailure
}

/** The error, or undefined where the folder exists now. */
const tryMkdir = async (path: string, mode: number): Promise<NodeJS.ErrnoException | undefined> =>
  mkdir(path, { mode }).then(
    () => undefined,
    async (error: NodeJS.ErrnoException) => ((await isFolder(path)) ? undefined : error),
  )

const isFolder = async (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
