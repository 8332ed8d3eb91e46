import { lockedOutUntil, type LoginOrigin, recordFailedLogin } from './failed-logins.ts'
import {
  type CallerDependencies,
  type ClientNetworks,
  lockoutOf,
  type NotChecked,
  refuseLogin,
  secondsUntil,
} from './caller.ts'
import { takeFactorCode } from './second-factors.ts'

interface GivenFactor {
  readonly account: { readonly id: number; readonly name: string }
  readonly code: string
}

/**
 * Whether a code of a person who has given the password is right. A wrong one is a failed login of the network, and of the
 * account: a person with its password could try from very many networks.
 */
export async function checkFactor(
  dependencies: CallerDependencies,
  { account, code }: GivenFactor,
  networks: ClientNetworks,
): Promise<boolean | NotChecked> {
  const { store, pepper, now, limits, audit } = dependencies
  const ofAccount: LoginOrigin = { endpoint: 'factor', network: account.name }
  const until = await store.read((r) => lockedOutUntil(r, ofAccount, { limits, now: now() }))
  const locked = until === undefined ? await lockoutOf(dependencies, networks) : secondsUntil(until, now())
  if (locked !== undefined) return locked
  const given = { accountId: account.id, code, now: now() }
  const isRight = await store.write(async (w) => takeFactorCode(w, pepper, given))
  if (isRight) return true
  await refuseLogin(dependencies, { username: account.name, isCode: true }, networks)
  const isLockedNow = await store.write(async (w) => recordFailedLogin(w, ofAccount, { limits, now: now() }))
  if (isLockedNow) audit({ kind: 'lockedOut', endpoint: 'factor', peer: networks.peer })
  return false
}
