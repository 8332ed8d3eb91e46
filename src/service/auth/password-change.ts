import type { Credentials, Secret } from '../../shared/base/secret.ts'
import type { PasswordChange } from '../model/rows.ts'
import {
  type CallerDependencies,
  checkedLogin,
  type ClientNetworks,
  CROWD_SECONDS,
  type NotChecked,
  refuseLogin,
} from './caller.ts'

/**
 * Checks the present password of an account as a login does, and hashes the next one; undefined if the present one is wrong,
 * which counts as a failed login. Nothing is changed: the slow hashes run before the transaction.
 */
export const passwordChanger =
  (dependencies: CallerDependencies) =>
  async (
    present: Credentials,
    next: Secret,
    networks: ClientNetworks,
  ): Promise<PasswordChange | NotChecked | undefined> => {
    const login = await checkedLogin(dependencies, present, networks)
    if (login === undefined) await refuseLogin(dependencies, { username: present.username }, networks)
    if (login === undefined || 'retryAfter' in login) return login
    const to = await dependencies.passwords.hashSlow(next, networks.share)
    return to === undefined ? { retryAfter: CROWD_SECONDS } : { from: login.hash, to }
  }
