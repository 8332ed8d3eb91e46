import { join } from 'node:path'
import envPaths from 'env-paths'

const PROGRAM = 'holdfast'

/** Where systemd, or else the system's own custom, keeps a program's things (systemd.exec(5), XDG). */
export interface Paths {
  readonly config: string
  readonly state: string
  /** For the control socket; undefined where the system has no such place. */
  readonly runtime: string | undefined
}

export function systemPaths(environment: NodeJS.ProcessEnv, isRoot: boolean): Paths {
  const own = envPaths(PROGRAM, { suffix: '' })
  const everybody = process.platform === 'linux' && isRoot
  return {
    config: first(environment['CONFIGURATION_DIRECTORY']) ?? (everybody ? join('/etc', PROGRAM) : own.config),
    runtime:
      first(environment['RUNTIME_DIRECTORY']) ??
      (everybody ? join('/run', PROGRAM) : below(environment['XDG_RUNTIME_DIR'])),
    state: first(environment['STATE_DIRECTORY']) ?? (everybody ? join('/var/lib', PROGRAM) : own.data),
  }
}

const below = (folder: string | undefined): string | undefined =>
  folder === undefined || folder === '' ? undefined : join(folder, PROGRAM)

/** systemd gives several folders with colons between them. */
const first = (folders: string | undefined): string | undefined =>
  folders?.split(':').find((folder) => folder !== '')
