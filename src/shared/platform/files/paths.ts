import { join } from 'node:path'

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
