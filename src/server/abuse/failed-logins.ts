import { after, type Instant, isBefore } from '../../base/time.ts'
import type { StoreReads, StoreWrites } from '../store/store.ts'
import type { AbuseLimits } from './limits.ts'
import { exceeds, withEvent } from './sliding-window.ts'

export type FailedLoginLimits = Pick<AbuseLimits, 'badauth' | 'lockout'>

/** When the logins of this peer network are looked at again; undefined where it is not locked out. */
export async function lockedOutUntil(
  r: StoreReads,
  network: string,
  now: Instant,
): Promise<Instant | undefined> {
  const { blockedUntil } = await r.failuresOf(network)
  return blockedUntil !== undefined && isBefore(now, blockedUntil) ? blockedUntil : undefined
}

/** The one rule of both doors: /nic/update and /v1 count failed logins here. */
export async function recordFailedLogin(
  w: StoreWrites,
  network: string,
  { limits, now }: { readonly limits: FailedLoginLimits; readonly now: Instant },
): Promise<void> {
  // Concurrent logins: a failure recorded after the limit must not clear `blockedUntil`.
  if ((await lockedOutUntil(w, network, now)) !== undefined) return
  const known = await w.failuresOf(network)
  const moments = withEvent(known.moments, now, limits.badauth)
  const isTooMany = exceeds(moments, limits.badauth)
  await w.putFailures(
    network,
    isTooMany ? { moments: [], blockedUntil: after(now, limits.lockout) } : { moments },
  )
}
