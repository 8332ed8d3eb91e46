import { after, type Instant, isBefore } from '../../base/time.ts'
import type { StoreReads, StoreWrites } from '../store/store.ts'
import type { AbuseLimits } from './limits.ts'
import { exceeds, withEvent } from './sliding-window.ts'

export type FailedLoginLimits = Pick<AbuseLimits, 'badauth' | 'lockout'>

/** The end of the lockout of this peer network; undefined if it is not locked out. */
export async function lockedOutUntil(
  r: StoreReads,
  network: string,
  now: Instant,
): Promise<Instant | undefined> {
  const { blockedUntil } = await r.failuresOf(network)
  return blockedUntil !== undefined && isBefore(now, blockedUntil) ? blockedUntil : undefined
}

/** Counts one failed login of /nic/update or /v1, and locks the peer network out above the limit. */
export async function recordFailedLogin(
  w: StoreWrites,
  network: string,
  { limits, now }: { readonly limits: FailedLoginLimits; readonly now: Instant },
): Promise<void> {
  // Concurrent logins: a failure recorded after the limit must not clear `blockedUntil`.
  if ((await lockedOutUntil(w, network, now)) !== undefined) return
  const before = await w.failuresOf(network)
  const timestamps = withEvent(before.timestamps, now, limits.badauth)
  const isExceeded = exceeds(timestamps, limits.badauth)
  await w.putFailures(
    network,
    isExceeded ? { timestamps: [], blockedUntil: after(now, limits.lockout) } : { timestamps: timestamps },
  )
}
