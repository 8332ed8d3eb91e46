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

/** Who may use the management API; `retryAfter` in seconds for a peer that has been wrong too often. */
export type Identified = Caller | { readonly retryAfter: number } | undefined

/**
 * Account and password, or an API key: as a bearer token, or as the password of an empty user. The same answer for
 * whatever is wrong, in the same time: see `authenticate`.
 */
export const identifier =
  (gate: CallerDependencies) =>
  async (authorization: string | undefined, network: string): Promise<Identified> => {
    const { store, now, limits } = gate
    const until = await store.read((r) => lockedOutUntil(r, network, now()))
    if (until !== undefined) return { retryAfter: Math.ceil((until - now()) / 1000) }
    if (authorization === undefined) return undefined
    const caller = await callerFor(gate, authorization)
    if (caller === undefined)
      await store.write(async (w) => recordFailedLogin(w, network, { limits, now: now() }))
    return caller
  }

async function callerFor(gate: CallerDependencies, authorization: string): Promise<Caller | undefined> {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  if (token !== undefined) return callerByKey(gate, token)
  const credentials = parseBasic(authorization)
  if (credentials === undefined) return undefined
  if (credentials.username === '') return callerByKey(gate, credentials.password.reveal())
  const principal = await gate.authenticate(credentials)
  // A DDNS key is for addresses only.
  if (principal?.kind !== 'account') return undefined
  const account = await gate.store.read((r) => r.account(principal.accountId))
  return account === undefined ? undefined : { account, isReadOnly: false }
}

async function callerByKey(
  { store, pepper, now }: CallerDependencies,
  key: string,
): Promise<Caller | undefined> {
  const found = await store.read((r) => r.apiKeyByHash(keyedHash(pepper, key)))
  if (found === undefined || (found.expiresAt !== undefined && !isBefore(now(), found.expiresAt)))
    return undefined
  const account = await store.read((r) => r.account(found.accountId))
  if (account === undefined) return undefined
  const zones = found.scopes.flatMap((scope) => (scope.startsWith('zone:') ? [scope.slice(5)] : []))
  return { account, isReadOnly: found.scopes.includes('read'), ...(zones.length > 0 && { zones }) }
}
