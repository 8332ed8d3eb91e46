import { isAbsolute, join } from 'node:path'

/**
 * Where compiled code is cached: the folder that systemd sets, the system's folder for root, or the user's own folder.
 * Undefined on systems without file owners, and if the user turns the cache off.
 */
export function codeCacheFolder(environment: NodeJS.ProcessEnv, uid: number | undefined): string | undefined {
  const isUnwanted = (environment['NODE_DISABLE_COMPILE_CACHE'] ?? '') !== ''
  if (uid === undefined || isUnwanted) return undefined
  const folder = given(environment) ?? (uid === 0 ? '/var/cache/holdfast' : ownFolder(environment))
  return folder !== undefined && isAbsolute(folder) ? folder : undefined
}

const given = ({ CACHE_DIRECTORY = '' }: NodeJS.ProcessEnv): string | undefined =>
  CACHE_DIRECTORY.split(':').find((folder) => folder !== '')

function ownFolder({ HOME, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string | undefined {
  const caches = XDG_CACHE_HOME ?? (HOME === undefined ? undefined : join(HOME, '.cache'))
  return caches === undefined ? undefined : join(caches, 'holdfast')
}
