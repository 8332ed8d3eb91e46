import type { Credentials } from '../../net/basic.ts'
import type { Login, Principal } from '../model/rows.ts'
import type { Store } from '../store/store.ts'
import { type Pepper, isKeyedHashOf, isSlowHashOf, slowHash } from './hashes.ts'

/** Who these credentials are; undefined for a bad combination. A name that nobody has takes as long as a wrong password. */
export type Authenticate = (credentials: Credentials) => Promise<Principal | undefined>

/** Slow hashes run in Node's few worker threads; with more of them waiting than this, nobody can tell right from wrong. */
const MOST_WAITING = 64

export function authenticator(store: Store, pepper: Pepper): Authenticate {
  const decoy = slowHash('nobody has this password')
  let waiting = 0

  const checkSlowly = async (password: string, hash: Uint8Array): Promise<boolean> => {
    if (waiting >= MOST_WAITING) throw new Error('too many logins with account passwords at once')
    waiting++
    try {
      return await isSlowHashOf(password, hash)
    } finally {
      waiting--
    }
  }
  const isRight = async (login: Login | undefined, password: string): Promise<boolean> => {
    if (login?.kind === 'key') return isKeyedHashOf(pepper, password, login.hash)
    const matches = await checkSlowly(password, login?.hash ?? (await decoy))
    return matches && login !== undefined
  }
  return async ({ username, password }) => {
    const login = await store.read((r) => r.login(username))
    if (!(await isRight(login, password.reveal())) || login === undefined) return undefined
    const { kind, id, accountId } = login
    return { kind, id, accountId }
  }
}
