import { systemPaths } from '../platform/files/paths.ts'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { err, ok, type Result } from '../base/result.ts'
import { path as pathReader } from '../settings/reader.ts'

export const isRoot = (): boolean => process.getuid?.() === 0

/** The configuration, state and runtime folders of the current user. */
export const paths = (): ReturnType<typeof systemPaths> => systemPaths(process.env, isRoot())

/** Expands a leading "~" to the home folder of the current user. */
export function expandHome(path: string): Result<string, string> {
  const read = pathReader.read(path)
  if (!read.ok) return read
  if (path !== '~' && !path.startsWith('~/')) return ok(path)
  const home = homeFolder()
  return home === undefined
    ? err('starts with "~", but this user has no home folder; write the whole path')
    : ok(join(home, path.slice(1)))
}

/** os.homedir() throws for a user id without a passwd entry. */
function homeFolder(): string | undefined {
  try {
    const home = homedir()
    return home === '' ? undefined : home
  } catch {
    return undefined
  }
}
