import { after, milliseconds, minutes, seconds } from '../../../shared/base/time.ts'
import type { Address, Family } from '../../../shared/base/address.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { LookUpName, LookupResult, Resolve } from '../../../shared/ports/network.ts'

/** Limits for the TTL of a cached name. */
const [MIN_TTL, MAX_TTL] = [seconds(1), minutes(5)]

/** A caching resolver. It returns expired addresses too, and refreshes them in the background (RFC 8767). */
export interface CachingResolve {
  readonly resolve: Resolve
  /** Invalidates a name whose addresses do not answer: the next `resolve` waits for a new lookup. */
  readonly forget: (host: string, family: Family) => void
}

export function cachingResolve(lookUp: LookUpName, { now }: Pick<Clock, 'now'>): CachingResolve {
  const cache = new Map<string, { readonly addresses: readonly Address[]; readonly until: number }>()
  const keyOf = (host: string, family: Family): string => `${family} ${host}`
  const refresh = async (host: string, family: Family): Promise<readonly Address[]> => {
    const failed = (): LookupResult => ({ addresses: [], ttl: milliseconds(0) })
    const { addresses, ttl } = await lookUp(host, family).catch(failed)
    const until = after(now(), milliseconds(Math.min(MAX_TTL, Math.max(MIN_TTL, ttl))))
    if (addresses.length > 0) cache.set(keyOf(host, family), { addresses, until })
    return addresses
  }
  return {
    forget: (host, family) => void cache.delete(keyOf(host, family)),
    resolve: async (host, family) => {
      const cached = cache.get(keyOf(host, family))
      if (cached === undefined) return refresh(host, family)
      if (now() > cached.until) void refresh(host, family)
      return cached.addresses
    },
  }
}
