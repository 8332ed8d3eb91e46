import { isAbsolute } from 'node:path'

const FOLDERS = ['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'] as const

/**
 * A folder of the environment that is empty or relative counts as not given (XDG Base Directory Specification): what is kept
 * would otherwise lie in whatever folder the program was started from. Without HOME, the user database says the home.
 */
export function forgetRelative(environment: NodeJS.ProcessEnv): void {
  for (const name of FOLDERS) if (!isAbsolute(environment[name] ?? '')) delete environment[name]
}
