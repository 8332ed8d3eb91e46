import { dirname, join, resolve } from 'node:path'
import type { DraftAccount } from './draft.ts'
import { isRoot, paths } from '../../shared/program/paths.ts'
import { CONFIG_NAMES } from '../settings/system-config.ts'
import { isThere } from './new-files.ts'
import { CREDENTIAL_STORE, PASSWORD_CREDENTIAL, ROOT_PASSWORD_FILE } from '../settings/password-files.ts'

/** Where a new configuration and its passwords are written, and with which rights. */
export interface SetupPaths {
  readonly config: string
  readonly configMode: number
  readonly folderMode: number
  /** The password files are those that the unit of the system loads. */
  readonly isSystemWide: boolean
  readonly passwordFile: (account: Pick<DraftAccount, 'name'>, isOnly: boolean) => string
}

/**
 * The usual configuration file, or the one that the user names. For the daemon of the system, the passwords are in files of
 * root that its unit loads as credentials, because the user of the unit can read the configuration only.
 */
export async function setupPaths(output: string | undefined): Promise<SetupPaths> {
  // A password file is found from any folder, so its path is absolute.
  const config = output === undefined ? join(await paths().config(), CONFIG_NAMES[0]) : resolve(output)
  const isSystemWide = isRoot() && config === `/etc/holdfast/${CONFIG_NAMES[0]}`
  const isRootTaken = isSystemWide && (await isThere(ROOT_PASSWORD_FILE))
  return {
    config,
    configMode: isSystemWide ? 0o644 : 0o600,
    folderMode: isSystemWide ? 0o755 : 0o700,
    isSystemWide,
    passwordFile: ({ name }, isOnly) => {
      if (!isSystemWide) return join(dirname(config), `${name}.password`)
      return isOnly && !isRootTaken
        ? ROOT_PASSWORD_FILE
        : join(CREDENTIAL_STORE, `${PASSWORD_CREDENTIAL}.${name}`)
    },
  }
}

/** The rights of a password file, and of its folder where that is made. */
export const PASSWORD_MODE = 0o600
export const passwordFolderMode = (paths: SetupPaths, path: string): number =>
  dirname(path) === dirname(paths.config) ? paths.folderMode : 0o700
