import type { Credentials } from '../../net/basic.ts'
import type { Secret } from '../../net/secret.ts'
import type { Login, Principal } from '../model/rows.ts'
import type { Store } from '../store/store.ts'
import { isKeyedHashOf, isSlowHashOf, type Pepper, slowHash } from './hashes.ts'

/** Checks passwords. An unknown login takes as long as a wrong account password, so that names cannot be probed. */
export interface PasswordChecker {
  /** For a generated key; undefined if the check takes a slow hash. */
  checkFast(login: Login | undefined, password: Secret): boolean | undefined
  check(login: Login | undefined, password: Secret): Promise<boolean>
}

/** Slow hashes run in Node's few worker threads. Above this number of them `check` rejects: a delay would be too long. */
const MAX_QUEUED_CHECKS = 64

export function passwordChecker(pepper: Pepper): PasswordChecker {
  const decoy = slowHash('the password of unknown logins')
  let queued = 0

  const checkSlow = async (password: string, hash: Uint8Array): Promise<boolean> => {
    if (queued >= MAX_QUEUED_CHECKS) throw new Error('too many concurrent logins with account passwords')
    queued++
    try {
      return await isSlowHashOf(password, hash)
    } finally {
      queued--
    }
  }
  const checkFast: PasswordChecker['checkFast'] = (login, password) =>
    login?.kind === 'key' ? isKeyedHashOf(pepper, password.reveal(), login.hash) : undefined
  return {
    checkFast,
    async check(login, password) {
      const isRight = checkFast(login, password)
      if (isRight !== undefined) return isRight
      const isMatch = await checkSlow(password.reveal(), login?.hash ?? (await decoy))
      return isMatch && login !== undefined
    },
  }
}

/** The principal of these credentials; undefined for a bad combination. */
export type Authenticate = (credentials: Credentials) => Promise<Principal | undefined>

export const authenticator =
  (store: Store, passwords: PasswordChecker): Authenticate =>
  async ({ username, password }) => {
    const login = await store.read((r) => r.login(username))
    return (await passwords.check(login, password)) ? login : undefined
  }
