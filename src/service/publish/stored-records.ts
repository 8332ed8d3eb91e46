import type { DnsRecord } from '../../shared/dns/types.ts'
import type { PublishedZone } from '../store/published.ts'
import type { StoreWrites } from '../store/store.ts'
import { highestZone } from './flush.ts'
import { rendered } from './render.ts'
import type { PublishSettings } from './settings.ts'

/** The records that these names, relative to the zone, would have if they were published now. */
export async function storedRecords(
  w: StoreWrites,
  {
    zone,
    names,
    settings,
  }: {
    readonly zone: Pick<PublishedZone, 'id' | 'apex'>
    readonly names: readonly string[]
    readonly settings: PublishSettings
  },
): Promise<ReadonlyMap<string, readonly DnsRecord[]>> {
  const stateOf = await w.storedStates(zone.id, names)
  const context = {
    apex: zone.apex,
    settings,
    stateAt: async (name: string) => w.storedState(zone.id, name),
    zoneOf: async (fqdn: string) => highestZone(w, fqdn, zone.apex),
  }
  const records = new Map<string, readonly DnsRecord[]>()
  for (const name of names) records.set(name, await rendered(name, stateOf(name), context))
  return records
}
