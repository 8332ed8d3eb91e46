import { type ApiAnswer, type Ask, isRefused } from '../context.ts'
import type { Named } from '../../api/openapi/schemas.ts'

/** The zone that a name would be in: the longest one that the person may use. `known`: what was asked for before. */
export async function usableZoneOf(
  ask: Ask,
  hostname: string,
  known = new Map<string, boolean>(),
): Promise<string | undefined> {
  const labels = hostname.split('.')
  // A name in DNS has at most 127 labels (RFC 1035 §2.3.4).
  for (let from = 0; from < Math.min(labels.length, 127); from++) {
    const zone = labels.slice(from).join('.')
    if (zone === '') continue
    const isUsable = known.get(zone) ?? !isRefused(await ask('getZone', { params: { zone_name: zone } }))
    known.set(zone, isUsable)
    if (isUsable) return zone
  }
  return undefined
}

/** In one list. */
const MAX_ZONES = '50'

/** The first own zones, and the shared ones in which others may have names. */
export async function usableZones(
  ask: Ask,
): Promise<{ readonly zones: readonly Named<'Zone'>[] } | { readonly refused: ApiAnswer<unknown> }> {
  const own = await ask('listZones', { query: { limit: MAX_ZONES } })
  if (isRefused(own)) return { refused: own }
  const names = new Set(own.data.map(({ name }) => name))
  const shared = (await sharedZones(ask)).filter(({ name }) => !names.has(name))
  return { zones: [...own.data, ...shared].filter((one) => one.takes_names) }
}

/** Those of other accounts. */
export async function sharedZones(ask: Ask): Promise<readonly Named<'Zone'>[]> {
  const shared = await ask('listZones', {
    query: { limit: MAX_ZONES, 'filter[is_shared]': 'true' },
  })
  return isRefused(shared) ? [] : shared.data
}
