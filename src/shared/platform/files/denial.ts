import { dirname } from 'node:path'
import { stat } from './promises.ts'

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
