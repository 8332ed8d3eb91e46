import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'

const PROGRAM = 'holdfast'

/**
 * The folders of the program: those that systemd sets (systemd.exec(5)), else /etc, /var/lib and /run for root, else XDG.
 */
interface SystemPaths {
  /** A function, because it may have to look up the home folder. */
  config(): Promise<string>
  state(): Promise<string>
  /** For the control socket; undefined where there is no runtime folder. */
  readonly runtime: string | undefined
}

export function systemPaths(environment: NodeJS.ProcessEnv, isRoot: boolean): SystemPaths {
  const isSystemWide = process.platform === 'linux' && isRoot
  return {
    config: async () =>
      first(environment['CONFIGURATION_DIRECTORY']) ??
      (isSystemWide ? join('/etc', PROGRAM) : (await userPaths()).config),
    state: async () =>
      first(environment['STATE_DIRECTORY']) ??
      (isSystemWide ? join('/var/lib', PROGRAM) : (await userPaths()).data),
    runtime:
      first(environment['RUNTIME_DIRECTORY']) ??
      (isSystemWide ? join('/run', PROGRAM) : below(environment['XDG_RUNTIME_DIR'])),
  }
}

/** Loading env-paths throws for a user without a home folder, because os.homedir() does. */
async function userPaths(): Promise<{ readonly config: string; readonly data: string }> {
  try {
    const { default: envPaths } = await import('env-paths')
    return envPaths(PROGRAM, { suffix: '' })
  } catch {
    return { config: join('/.config', PROGRAM), data: join('/.local/share', PROGRAM) }
  }
}

const below = (folder: string | undefined): string | undefined =>
  folder === undefined || folder === '' ? undefined : join(folder, PROGRAM)

/** systemd separates several folders with colons. */
const first = (folders: string | undefined): string | undefined =>
  folders?.split(':').find((folder) => folder !== '')

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
