import { isReadableByOthers } from '../../../shared/platform/files/folder.ts'
import type { StorePlace } from './place.ts'

/**
 * Warnings about secrets of a shared database that other users of this host
 * can read. A folder is refused then (`store/modes.ts`).
 */
export async function openSecrets(place: StorePlace): Promise<readonly string[]> {
  if (typeof place === 'string') return []
  const files = [place.passwordFile, place.hashKeyFile].filter((path) => path !== undefined)
  const open = await Promise.all(files.map(isReadableByOthers))
  return files
    .filter((_, at) => open[at])
    .map((path) => `${path} contains a secret and is readable by other users; run chmod 600 ${path}`)
}
