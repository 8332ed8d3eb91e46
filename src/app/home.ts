import { homedir } from 'node:os'
import { join } from 'node:path'
import { err, ok, type Result } from '../base/result.ts'
import { path as pathReader } from '../config/reader.ts'

/** A path with "~" for the home folder of the user who runs this. */
export function expandHome(path: string): Result<string, string> {
  const read = pathReader.read(path)
  if (!read.ok) return read
  if (path !== '~' && !path.startsWith('~/')) return ok(path)
  const home = homeFolder()
  return home === undefined
    ? err('"~" stands for the home folder, and this user has none; write the whole path')
    : ok(join(home, path.slice(1)))
}

/** A user id without an entry in the password file has none. */
function homeFolder(): string | undefined {
  try {
    const home = homedir()
    return home === '' ? undefined : home
  } catch {
    return undefined
  }
}
