import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Where the state of a folder that cannot be written is kept instead: in the user's runtime folder, else in the system's
 * temporary folder. Each configured folder has one of its own there.
 */
export function fallbackFolders(stateDir: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const uid = process.getuid?.() ?? 0
  const own = `state-${createHash('sha256').update(stateDir).digest('hex').slice(0, 12)}`
  const runtime = [environment['XDG_RUNTIME_DIR'], `/run/user/${uid}`].flatMap((folder) =>
    folder === undefined || folder === '' ? [] : [join(folder, 'holdfast', own)],
  )
  return [...new Set([...runtime, join(tmpdir(), `holdfast-${uid}`, own)])]
}
