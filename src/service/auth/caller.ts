import {
  countWrongPassword,
  type FailedLoginLimits,
  lockedOutUntil,
  type LoginOrigin,
  loginPeer,
  recordFailedLogin,
} from './failed-logins.ts'
import { after, type Instant, isBefore, minutes } from '../../shared/base/time.ts'
import { type Credentials, parseBasic } from '../../shared/base/secret.ts'
import type { Audit } from '../model/audit.ts'
import type { Login } from '../model/rows.ts'
import { type Caller, restrictionsOf } from '../rules/permission.ts'
import type { ApiKey, Store } from '../store/store.ts'
import { isApiKey, keyedHash, type Pepper } from './hashes.ts'
import type { PasswordChecker } from './login.ts'

export interface CallerDependencies {
  readonly store: Store
  readonly pepper: Pepper
  readonly passwords: PasswordChecker
  readonly now: () => Instant
  /** Resolves after the time that a read may wait for a write. */
  readonly readPause: () => Promise<void>
  readonly limits: FailedLoginLimits
  readonly audit: Audit
}

/** The networks of a client: see `networkOf` and `shareOf`. */
export interface ClientNetworks {
  /** Undefined behind a proxy that does not say who the client is: nothing is counted. */
  readonly network: string | undefined
  readonly peer: string
  readonly share: string
}

/** The password was not checked: the seconds to wait. */
export interface NotChecked {
  readonly retryAfter: number
}

/** The caller of the management API; undefined for bad credentials. */
export type IdentifiedCaller = Caller | NotChecked | undefined

/** Seconds after which a crowd of logins is over. */
export const CROWD_SECONDS = 5

/**
 * Accepts an account with its password or with an API key, or an API key as a bearer token or with an empty username. An
 * API key is checked at any time; an account password, which takes a slow hash, not during a lockout.
 */
export function callerIdentifier(
  parts: CallerDependencies,
): (authorization: string | undefined, networks: ClientNetworks) => Promise<IdentifiedCaller> {
  const dependencies = { ...parts, touch: lastUseOf(parts) }
  return async (authorization, networks) => {
    if (authorization === undefined) return undefined
    const caller = await callerFor(dependencies, authorization, networks)
    if (caller === undefined)
      await refuseLogin(dependencies, { username: parseBasic(authorization)?.username }, networks)
    return caller
  }
}

/** Between two writes of the last use of one API key. */
const TOUCH_INTERVAL = minutes(1)

type Touch = (key: Pick<ApiKey, 'id' | 'lastUsedAt'>) => Promise<void>

/** Stores the last use of an API key, once at a time. Reads go on while the store cannot be written. */
function lastUseOf({ store, now, readPause }: CallerDependencies): Touch {
  const underWay = new Set<number>()
  return async ({ id, lastUsedAt }) => {
    const isRecent = lastUsedAt !== undefined && isBefore(now(), after(lastUsedAt, TOUCH_INTERVAL))
    if (isRecent || underWay.has(id)) return
    underWay.add(id)
    const stored = store
      .write(async (w) => w.touchApiKey(id, now()))
      .catch(() => undefined)
      .finally(() => underWay.delete(id))
    await Promise.race([stored, readPause()])
  }
}

interface TouchingDependencies extends CallerDependencies {
  readonly touch: Touch
}

interface RefusedLogin {
  /** As sent; empty for an API key. */
  readonly username: string | undefined
  /** The password was right, and the code after it wrong. */
  readonly isCode?: boolean
}

/** Counts a failed login, and tells the log. */
export async function refuseLogin(
  { store, now, limits, audit }: CallerDependencies,
  { username, isCode = false }: RefusedLogin,
  networks: ClientNetworks,
): Promise<void> {
  const { peer } = networks
  const isLockedNow = await countFailedLogin({ store, now, limits }, networks, isCode ? undefined : username)
  audit({ kind: 'loginRefused', endpoint: 'api', peer, username: username === '' ? undefined : username })
  if (isLockedNow) audit({ kind: 'lockedOut', endpoint: 'api', peer })
}

/** Resolves with whether the network is locked out from now on. */
export async function countFailedLogin(
  { store, now, limits }: Pick<CallerDependencies, 'store' | 'now' | 'limits'>,
  networks: ClientNetworks,
  username?: string,
): Promise<boolean> {
  const origin = loginOrigin(networks)
  return store.write(
    async (w) => {
      await countWrongPassword(w, username, now())
      return recordFailedLogin(w, origin, { limits, now: now() })
    },
    () => ({ username: '', hostnames: [], peers: origin === undefined ? [] : [loginPeer(origin)] }),
  )
}

const loginOrigin = ({ network }: ClientNetworks): LoginOrigin | undefined =>
  network === undefined ? undefined : { endpoint: 'api', network }

async function callerFor(
  dependencies: TouchingDependencies,
  authorization: string,
  networks: ClientNetworks,
): Promise<IdentifiedCaller> {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  if (token !== undefined) return callerByKey(dependencies, token)
  const credentials = parseBasic(authorization)
  if (credentials === undefined) return undefined
  const { username, password } = credentials
  if (username === '') return callerByKey(dependencies, password.reveal())
  // Programs that send no empty username send the account with an API key.
  const byKey = isApiKey(password.reveal()) ? await callerByKey(dependencies, password.reveal()) : undefined
  return byKey?.account.name === username ? byKey : callerByPassword(dependencies, credentials, networks)
}

async function callerByPassword(
  dependencies: CallerDependencies,
  credentials: Credentials,
  networks: ClientNetworks,
): Promise<IdentifiedCaller> {
  const login = await checkedLogin(dependencies, credentials, networks)
  if (login === undefined || 'retryAfter' in login) return login
  const account = await dependencies.store.read((r) => r.account(login.accountId))
  if (account === undefined) return undefined
  const { hash: passwordHash, needsFactor } = login
  return { account, isReadOnly: false, passwordHash, ...(needsFactor && { needsFactor }) }
}

/** Whether too many logins of this network failed. */
export async function lockoutOf(
  { store, now, limits }: CallerDependencies,
  networks: ClientNetworks,
): Promise<NotChecked | undefined> {
  const until = await store.read((r) => lockedOutUntil(r, loginOrigin(networks), { limits, now: now() }))
  return until === undefined ? undefined : secondsUntil(until, now())
}

export const secondsUntil = (until: Instant, now: Instant): NotChecked => ({
  retryAfter: Math.ceil((until - now) / 1000),
})

/** The account with this name and this password; undefined if there is none. */
export async function checkedLogin(
  parts: CallerDependencies,
  credentials: Credentials,
  networks: ClientNetworks,
): Promise<Login | NotChecked | undefined> {
  const { store, passwords } = parts
  const login = await store.read((r) => r.login(credentials.username))
  // A DDNS key only updates addresses, with the right password too. It takes as long as an unknown name, and as any account.
  const account = login?.kind === 'account' ? login : undefined
  const locked = await lockoutOf(parts, networks)
  if (locked !== undefined) return locked
  const isRight = await passwords.checkSlow(account, credentials, networks.share)
  if (isRight === undefined) return { retryAfter: CROWD_SECONDS }
  return isRight ? account : undefined
}

async function callerByKey(
  { store, pepper, now, touch }: TouchingDependencies,
  key: string,
): Promise<Caller | undefined> {
  const apiKey =
    (await store.read((r) => r.apiKeyByHash(keyedHash(pepper, key)))) ??
    (await renewedApiKey({ store, pepper }, key))
  if (apiKey === undefined || (apiKey.expiresAt !== undefined && !isBefore(now(), apiKey.expiresAt)))
    return undefined
  const account = await store.read((r) => r.account(apiKey.accountId))
  if (account === undefined) return undefined
  await touch(apiKey)
  const { id: apiKeyId, scopes, expiresAt } = apiKey
  return { account, apiKeyId, ...restrictionsOf(scopes), ...(expiresAt !== undefined && { expiresAt }) }
}

/** The API key whose hash is of the previous hash key; it gets a hash of the current one. */
async function renewedApiKey(
  { store, pepper }: Pick<CallerDependencies, 'store' | 'pepper'>,
  key: string,
): Promise<ApiKey | undefined> {
  const { previous } = pepper
  if (previous === undefined) return undefined
  const apiKey = await store.read((r) => r.apiKeyByHash(keyedHash(previous, key)))
  if (apiKey !== undefined) await store.write(async (w) => w.rehashApiKey(apiKey.id, keyedHash(pepper, key)))
  return apiKey
}
