import { join } from 'node:path'

const PROGRAM = 'holdfast'

/** Where systemd, or else the system's own custom, keeps a program's things (systemd.exec(5), XDG). */
export interface SystemPaths {
  /** The first two are asked for when needed: where nothing else says them, the home folder is looked up. */
  config(): Promise<string>
  state(): Promise<string>
  /** For the control socket; undefined where the system has no such place. */
  readonly runtime: string | undefined
}

export function systemPaths(environment: NodeJS.ProcessEnv, isRoot: boolean): SystemPaths {
  const everybody = process.platform === 'linux' && isRoot
  return {
    config: async () =>
      first(environment['CONFIGURATION_DIRECTORY']) ??
      (everybody ? join('/etc', PROGRAM) : (await ownPaths()).config),
    state: async () =>
      first(environment['STATE_DIRECTORY']) ??
      (everybody ? join('/var/lib', PROGRAM) : (await ownPaths()).data),
    runtime:
      first(environment['RUNTIME_DIRECTORY']) ??
      (everybody ? join('/run', PROGRAM) : below(environment['XDG_RUNTIME_DIR'])),
  }
}

/** env-paths asks for the home folder when it is loaded; a user that no database knows has none, and Node throws. */
async function ownPaths(): Promise<{ readonly config: string; readonly data: string }> {
  try {
    const { default: envPaths } = await import('env-paths')
    return envPaths(PROGRAM, { suffix: '' })
  } catch {
    return { config: join('/.config', PROGRAM), data: join('/.local/share', PROGRAM) }
  }
}

const below = (folder: string | undefined): string | undefined =>
  folder === undefined || folder === '' ? undefined : join(folder, PROGRAM)

/** systemd gives several folders with colons between them. */
const first = (folders: string | undefined): string | undefined =>
  folders?.split(':').find((folder) => folder !== '')
