import type { Duration, Instant } from '../../base/time.ts'
import { after, before, isBefore, minutes } from '../../base/time.ts'
import { parseBasic } from '../../net/basic.ts'
import type { Caller } from '../rules/access.ts'
import type { Store } from '../store/store.ts'
import { type Pepper, keyedHash } from './hashes.ts'
import type { Authenticate } from './login.ts'

export interface Gate {
  readonly store: Store
  readonly pepper: Pepper
  readonly authenticate: Authenticate
  readonly now: () => Instant
  /** Wrong credentials of one peer network in ten minutes before nobody looks any more. */
  readonly mostFailures: number
}

/** Who may use the management API; `retryAfter` in seconds for a peer that has been wrong too often. */
export type Identified = Caller | { readonly retryAfter: number } | undefined

const SPAN: Duration = minutes(10)

/**
 * Account and password, or an API key: as a bearer token, or as the password of an empty user. The same answer for
 * whatever is wrong, in the same time: see `authenticate`.
 */
export const identifier =
  (gate: Gate) =>
  async (authorization: string | undefined, network: string): Promise<Identified> => {
    const { store, now } = gate
    const { deafUntil } = await store.read((r) => r.failuresOf(network))
    if (deafUntil !== undefined && isBefore(now(), deafUntil))
      return { retryAfter: Math.ceil((deafUntil - now()) / 1000) }
    if (authorization === undefined) return undefined
    const caller = await callerFor(gate, authorization)
    if (caller === undefined) await noteFailure(gate, network)
    return caller
  }

async function callerFor(gate: Gate, authorization: string): Promise<Caller | undefined> {
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

async function callerByKey({ store, pepper, now }: Gate, key: string): Promise<Caller | undefined> {
  const found = await store.read((r) => r.apiKeyByHash(keyedHash(pepper, key)))
  if (found === undefined || (found.expiresAt !== undefined && !isBefore(now(), found.expiresAt)))
    return undefined
  const account = await store.read((r) => r.account(found.accountId))
  if (account === undefined) return undefined
  const zones = found.scopes.flatMap((scope) => (scope.startsWith('zone:') ? [scope.slice(5)] : []))
  return { account, isReadOnly: found.scopes.includes('read'), ...(zones.length > 0 && { zones }) }
}

async function noteFailure({ store, now, mostFailures }: Gate, network: string): Promise<void> {
  const since = before(now(), SPAN) / 1000
  await store.write(async (w) => {
    const { moments } = await w.failuresOf(network)
    const recent = [...moments.filter((moment) => moment > since), Math.floor(now() / 1000)].toSorted(
      (a, b) => a - b,
    )
    const isTooOften = recent.length > mostFailures
    await w.putFailures(network, { moments: recent, ...(isTooOften && { deafUntil: after(now(), SPAN) }) })
  })
}
