import { type Instant, isBefore } from '../../base/time.ts'
import { parseBasic } from '../../net/basic.ts'
import { type FailedLoginLimits, lockedOutUntil, recordFailedLogin } from '../abuse/failed-logins.ts'
import type { Caller } from '../rules/access.ts'
import type { Store } from '../store/store.ts'
import { keyedHash, type Pepper } from './hashes.ts'
import type { Authenticate } from './login.ts'

export interface CallerDependencies {
  readonly store: Store
  readonly pepper: Pepper
  readonly authenticate: Authenticate
  readonly now: () => Instant
  readonly limits: FailedLoginLimits
}

/** The caller of the management API; `retryAfter` in seconds for a peer that is locked out; undefined for bad credentials. */
export type IdentifiedCaller = Caller | { readonly retryAfter: number } | undefined

/**
 * Accepts an account with its password, or an API key as a bearer token or as the password of an empty username. All bad
 * credentials get the same answer in the same time: see `PasswordChecker`.
 */
export const callerIdentifier =
  (dependencies: CallerDependencies) =>
  async (authorization: string | undefined, network: string): Promise<IdentifiedCaller> => {
    const { store, now, limits } = dependencies
    const until = await store.read((r) => lockedOutUntil(r, network, now()))
    if (until !== undefined) return { retryAfter: Math.ceil((until - now()) / 1000) }
    if (authorization === undefined) return undefined
    const caller = await callerFor(dependencies, authorization)
    if (caller === undefined)
      await store.write(async (w) => recordFailedLogin(w, network, { limits, now: now() }))
    return caller
  }

async function callerFor(
  dependencies: CallerDependencies,
  authorization: string,
): Promise<Caller | undefined> {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  if (token !== undefined) return callerByKey(dependencies, token)
  const credentials = parseBasic(authorization)
  if (credentials === undefined) return undefined
  if (credentials.username === '') return callerByKey(dependencies, credentials.password.reveal())
  const principal = await dependencies.authenticate(credentials)
  // A DDNS key only updates addresses.
  if (principal?.kind !== 'account') return undefined
  const account = await dependencies.store.read((r) => r.account(principal.accountId))
  return account === undefined ? undefined : { account, isReadOnly: false }
}

async function callerByKey(
  { store, pepper, now }: CallerDependencies,
  key: string,
): Promise<Caller | undefined> {
  const apiKey = await store.read((r) => r.apiKeyByHash(keyedHash(pepper, key)))
  if (apiKey === undefined || (apiKey.expiresAt !== undefined && !isBefore(now(), apiKey.expiresAt)))
    return undefined
  const account = await store.read((r) => r.account(apiKey.accountId))
  if (account === undefined) return undefined
  const zones = apiKey.scopes.flatMap((scope) => (scope.startsWith('zone:') ? [scope.slice(5)] : []))
  return { account, isReadOnly: apiKey.scopes.includes('read'), ...(zones.length > 0 && { zones }) }
}
