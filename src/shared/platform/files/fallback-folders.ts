import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Folders for the state where `stateDir` cannot be written, in order: below the runtime folder of the user, below the
 * temporary folder of the system. The name derives from `stateDir`, so that two state folders do not share one.
 */
export function fallbackFolders(stateDir: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const uid = process.getuid?.() ?? 0
  const name = `state-${createHash('sha256').update(stateDir).digest('hex').slice(0, 12)}`
  const runtime = [environment['XDG_RUNTIME_DIR'], `/run/user/${uid}`].flatMap((folder) =>
    folder === undefined || folder === '' ? [] : [join(folder, 'holdfast', name)],
  )
  return [...new Set([...runtime, join(tmpdir(), `holdfast-${uid}`, name)])]
}
