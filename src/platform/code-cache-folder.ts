import { isAbsolute, join } from 'node:path'

/**
 * Where compiled code is kept: the folder that systemd gives, that of the system for root, or the user's own. Undefined
 * where a file has no owner that could be checked, and where the user wants no cache.
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
