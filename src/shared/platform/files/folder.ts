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

/**
 * Whose permissions deny this user a path: the owner of the deepest part that can be seen, such as a volume that was
 * made for another user. Undefined where it belongs to this user.
 */
export async function denial(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return dirname(path) === path ? undefined : denial(dirname(path))
  const own = process.getuid?.()
  if (own === undefined || own === 0 || found.uid === own) return undefined
  const remedy = found.uid === 0 ? '' : `; give it to user ${own} (chown), or run as user ${found.uid}`
  return `${path} belongs to user ${found.uid}, and this program runs as user ${own}${remedy}`
}

export const isDenial = ({ code }: NodeJS.ErrnoException): boolean => code === 'EACCES' || code === 'EPERM'

/** Whether every user of this host may read the file; a path without a file is not readable. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true && (found.mode & 0o004) !== 0
}

/** Whether the group or all others may do anything. */
export const isOpenToOthers = (mode: number): boolean => (mode & 0o077) !== 0
