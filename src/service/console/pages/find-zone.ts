import { type Ask, isRefused } from '../ask.ts'

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
