import type { Credentials, Secret } from '../../shared/base/secret.ts'
import type { Login } from '../model/rows.ts'
import {
  isKeyedHashOf,
  isPreviousHashOf,
  isSlowHashOf,
  isUsername,
  keyedHash,
  type Pepper,
  slowHash,
} from './hashes.ts'
import { slowChecks } from './slow-checks.ts'

/** Checks the password of a login that was looked up by the username of these credentials. */
export interface PasswordChecker {
  /**
   * For a DDNS key, and for an unknown username of the form of one: it takes as long as for a wrong password of a key.
   * Undefined if the check takes a slow hash.
   */
  checkFast(login: Login | undefined, credentials: Credentials): boolean | undefined
  /**
   * Whether these credentials would be refused by the login that refused the last ones with their username. It may have
   * changed since, so it decides nothing; it tells what need not be looked up in advance.
   */
  isLikelyRefused(credentials: Credentials): boolean
  /** The hash to store after a right login, where the stored one is of the previous hash key. */
  renewedHash(login: Login, credentials: Credentials): Uint8Array | undefined
  /**
   * With the slow hash: an unknown username takes as long as a wrong password. Undefined if too many of these checks wait;
   * the password is then not checked. `network`: the share of the client, see `shareOf`.
   */
  checkSlow(login: Login | undefined, credentials: Credentials, network: string): Promise<boolean | undefined>
  /** The slow hash of a new password, in the turns of the checks; undefined if too many of them wait. */
  hashSlow(password: Secret, network: string): Promise<Uint8Array | undefined>
}

/** Hashes of no password, which take as long to check as those of one. */
const DECOYS = { fast: new Uint8Array(32), slow: new Uint8Array(48) } as const

/** Usernames whose last password was wrong, with the hash that refused it. */
const MAX_REFUSED = 10_000

/** Invented names share one turn, so that no number of them delays the accounts that exist by more than one check each. */
const UNKNOWN = 'unknown'

export function passwordChecker(pepper: Pepper): PasswordChecker {
  const run = slowChecks()
  const refused = new Map<string, Uint8Array>()
  // A store that looks nothing up in advance does not ask.
  let isAsked = false
  const note = (username: string, hash: Uint8Array | undefined): void => {
    if (refused.size >= MAX_REFUSED) refused.clear()
    if (hash === undefined) refused.delete(username)
    else refused.set(username, hash)
  }
  return {
    checkFast(login, { username, password }) {
      if (login?.kind === 'account') return undefined
      if (login === undefined && !isUsername(username)) return undefined
      const hash = login?.hash ?? DECOYS.fast
      const isRight = isKeyedHashOf(pepper, password.reveal(), hash) && login !== undefined
      if (isAsked) note(username, isRight ? undefined : hash)
      return isRight
    },
    isLikelyRefused({ username, password }) {
      isAsked = true
      const hash = refused.get(username)
      return hash !== undefined && !isKeyedHashOf(pepper, password.reveal(), hash)
    },
    renewedHash({ kind, hash }, { password }) {
      const isOld = kind === 'key' && isPreviousHashOf(pepper, password.reveal(), hash)
      return isOld ? keyedHash(pepper, password.reveal()) : undefined
    },
    async checkSlow(login, { password }, network) {
      const hash = login?.hash ?? DECOYS.slow
      const isMatch = await run(login === undefined ? UNKNOWN : network, async () =>
        isSlowHashOf(password.reveal(), hash),
      )
      return isMatch === undefined ? undefined : isMatch && login !== undefined
    },
    hashSlow: async (password, network) => run(network, async () => slowHash(password.reveal())),
  }
}
