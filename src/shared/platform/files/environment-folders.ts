import { isAbsolute } from 'node:path'

const FOLDERS = ['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'] as const

/**
 * Deletes folder variables that are empty or relative (XDG Base Directory Specification): they would put files into the
 * working directory. Without HOME, the home folder comes from the user database.
 */
export function dropRelativeFolders(environment: NodeJS.ProcessEnv): void {
  for (const name of FOLDERS) if (!isAbsolute(environment[name] ?? '')) delete environment[name]
}
