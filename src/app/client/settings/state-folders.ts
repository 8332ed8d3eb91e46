import { fallbackFolders } from '../../../platform/files/fallback-folders.ts'
import type { ResolvedSettings } from './settings.ts'

/** The configured folder, and those that are used while it is not writable. */
export const stateFoldersOf = ({ stateDir }: Pick<ResolvedSettings, 'stateDir'>): readonly string[] => [
  stateDir,
  ...fallbackFolders(stateDir, process.env),
]
