import type { Credentials } from '../../net/basic.ts'
import type { Secret } from '../../net/secret.ts'
import type { Login, Principal } from '../model/rows.ts'
import type { Store } from '../store/store.ts'
import { isKeyedHashOf, isSlowHashOf, type Pepper, slowHash } from './hashes.ts'

/** Whether a password is the one of a login, or of nobody's: a name that nobody has takes as long as a wrong password. */
export interface Passwords {
  /** For a generated key; undefined where it takes a slow hash to tell. */
  isRightAtOnce(login: Login | undefined, password: Secret): boolean | undefined
  isRight(login: Login | undefined, password: Secret): Promise<boolean>
}

/** Slow hashes run in Node's few worker threads; with more of them waiting than this, nobody can tell right from wrong. */
const MAX_WAITING = 64

export function passwordsBy(pepper: Pepper): Passwords {
  const decoy = slowHash('nobody has this password')
  let waiting = 0

  const checkSlowly = async (password: string, hash: Uint8Array): Promise<boolean> => {
    if (waiting >= MAX_WAITING) throw new Error('too many logins with account passwords at once')
    waiting++
    try {
      return await isSlowHashOf(password, hash)
    } finally {
      waiting--
    }
  }
  const isRightAtOnce: Passwords['isRightAtOnce'] = (login, password) =>
    login?.kind === 'key' ? isKeyedHashOf(pepper, password.reveal(), login.hash) : undefined
  return {
    isRightAtOnce,
    async isRight(login, password) {
      const atOnce = isRightAtOnce(login, password)
      if (atOnce !== undefined) return atOnce
      const matches = await checkSlowly(password.reveal(), login?.hash ?? (await decoy))
      return matches && login !== undefined
    },
  }
}

/** Who these credentials are; undefined for a bad combination. */
export type Authenticate = (credentials: Credentials) => Promise<Principal | undefined>

export const authenticator =
  (store: Store, passwords: Passwords): Authenticate =>
  async ({ username, password }) => {
    const login = await store.read((r) => r.login(username))
    return (await passwords.isRight(login, password)) ? login : undefined
  }
