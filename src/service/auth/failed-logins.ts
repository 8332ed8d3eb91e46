import { after, hours, type Instant } from '../../shared/base/time.ts'
import type { StoreReads, StoreWrites } from '../store/store.ts'
import { blockEnd } from './sanctions.ts'
import type { AbuseLimits } from './limits.ts'
import { exceeds, withEvent } from './sliding-window.ts'

export type FailedLoginLimits = Pick<AbuseLimits, 'badauth' | 'lockout'>

interface LoginMoment {
  readonly limits: FailedLoginLimits
  readonly now: Instant
}

/**
 * What counts failed logins apart: mistakes at `/v1` do not slow down updates, and the other way round. `dns`: wrong
 * signatures of UPDATE messages. `factor`: wrong codes of one account, and not of a network: a person with
 * its password may have many addresses.
 */
const ENDPOINTS = ['update', 'api', 'dns', 'factor'] as const

/** Where a login comes from: the /32 or /64 of the client, and the endpoint that it logs in to. */
export interface LoginOrigin {
  readonly endpoint: (typeof ENDPOINTS)[number]
  readonly network: string
}

/** The peer whose failed logins are counted; a network contains no blank. */
export const loginPeer = ({ endpoint, network }: LoginOrigin): string => `${endpoint} ${network}`

/**
 * The end of the lockout of this origin; undefined if there is none. During a lockout a password that takes a slow hash is
 * not checked; a generated key, which takes a keyed hash, is.
 */
export async function lockedOutUntil(
  r: Pick<StoreReads, 'failuresOf'>,
  origin: LoginOrigin | undefined,
  { limits, now }: LoginMoment,
): Promise<Instant | undefined> {
  if (origin === undefined) return undefined
  return blockEnd(await r.failuresOf(loginPeer(origin)), now, limits.lockout)
}

/** Counts one failed login, and locks its origin out above the limit; resolves with whether this login did. */
export async function recordFailedLogin(
  w: Pick<StoreWrites, 'failuresOf' | 'putFailures'>,
  origin: LoginOrigin | undefined,
  { limits, now }: LoginMoment,
): Promise<boolean> {
  if (origin === undefined) return false
  // Concurrent logins: a failure recorded after the limit must not clear `blockedUntil`.
  if ((await lockedOutUntil(w, origin, { limits, now })) !== undefined) return false
  const before = await w.failuresOf(loginPeer(origin))
  const buckets = withEvent(before.buckets, now, limits.badauth)
  const isExceeded = exceeds(buckets, limits.badauth)
  await w.putFailures(
    loginPeer(origin),
    isExceeded ? { buckets: [], blockedUntil: after(now, limits.lockout) } : { buckets },
  )
  return isExceeded
}

/** Ends the lockouts of a network, and forgets its failed logins. */
export async function clearFailedLogins(w: Pick<StoreWrites, 'putFailures'>, network: string): Promise<void> {
  for (const endpoint of ENDPOINTS) await w.putFailures(loginPeer({ endpoint, network }), { buckets: [] })
}

/** Above this count, the account owner is notified. */
const TOLD_ABOVE = { max: 24, window: hours(24) } as const

/**
 * Counts wrong passwords per account, across networks and endpoints, and notifies the owner. It does not lock the account,
 * because then anyone could lock it.
 */
export async function countWrongPassword(
  w: Pick<StoreWrites, 'login' | 'failuresOf' | 'putFailures' | 'addEvent'>,
  username: string | undefined,
  now: Instant,
): Promise<void> {
  const login = username === undefined || username === '' ? undefined : await w.login(username)
  if (login?.kind !== 'account') return
  const counted = `account ${login.accountId}`
  const buckets = withEvent((await w.failuresOf(counted)).buckets, now, TOLD_ABOVE)
  const isExceeded = exceeds(buckets, TOLD_ABOVE)
  await w.putFailures(counted, { buckets: isExceeded ? [] : buckets })
  if (isExceeded)
    await w.addEvent(login.accountId, { kind: 'wrongPasswords', subject: String(TOLD_ABOVE.max + 1) }, now)
}
