import { APEX, canonicalName, relativeTo } from '../model/dns-name.ts'
import type { OfflineSettings } from '../model/tree.ts'
import type { PublishedReads, PublishedZone, StoredState } from '../store/published.ts'
import { MAX_CHAIN, ownerName } from './rows.ts'
import { answeringOwner, publishedZoneOf } from './answer.ts'

/** What this service answers by http at a name whose addresses are its own: a redirect, or the page of an offline name. */
export type Site =
  | { readonly kind: 'redirect'; readonly url: string }
  | ({ readonly kind: 'page' } & Omit<Extract<OfflineSettings, { action: 'page' }>, 'action'>)

/**
 * Undefined for a name that is not there, or has addresses of its own. `host` in lower case. A CNAME is followed to every
 * zone of the service, as a resolver does; an ALIAS within its zone, as it is rendered.
 */
export async function siteOf(host: string, reads: PublishedReads): Promise<Site | undefined> {
  let found = await foundAt(host, reads)
  for (let length = 1; found !== undefined && length <= MAX_CHAIN; length++) {
    const { state, zone } = found
    if (state.isBlocked) return undefined
    if (state.isOffline) return offlineSite(state)
    const valueOf = (type: string) => state.records.find(({ dnsType }) => dnsType === type)?.value
    const [url, cname, alias] = [valueOf('_URL'), valueOf('CNAME'), valueOf('ALIAS')]
    if (url !== undefined) return { kind: 'redirect', url }
    const target = canonicalName(cname ?? alias ?? '')
    const isInZone = found.isInZone || cname === undefined
    found = isInZone ? await storedAt(target, zone, reads) : await foundAt(target, reads)
  }
  return undefined
}

interface Found {
  readonly state: StoredState
  readonly zone: PublishedZone
  /** It was reached over an ALIAS: what follows is in its zone. */
  readonly isInZone: boolean
}

/**
 * The name whose records answer for this one: itself, or a wildcard. A blocked
 * name has no records, and no wildcard either.
 */
async function foundAt(host: string, reads: PublishedReads): Promise<Found | undefined> {
  const zone = await publishedZoneOf(host, reads)
  if (zone === undefined) return undefined
  const own = await storedAt(host, zone, reads)
  if (own?.state.isBlocked === true) return undefined
  // Also before its first flush.
  if (own !== undefined && leadsOn(own.state)) return { ...own, isInZone: false }
  const owner = await answeringOwner(host, { zone, reads })
  const found = owner === undefined ? undefined : await storedAt(ownerName(owner, zone.apex), zone, reads)
  return found === undefined ? undefined : { ...found, isInZone: false }
}

/** A name of the zone as it is stored. The target of an ALIAS is rendered so: no wildcard makes it. */
async function storedAt(
  fqdn: string,
  zone: PublishedZone,
  reads: PublishedReads,
): Promise<Found | undefined> {
  const name = fqdn === zone.apex ? APEX : relativeTo(fqdn, zone.apex)
  const state = name === undefined ? undefined : await reads.storedState(zone.id, name)
  return state === undefined ? undefined : { state, zone, isInZone: true }
}

const leadsOn = (state: StoredState): boolean =>
  state.isOffline
    ? offlineSite(state) !== undefined
    : state.records.some(({ dnsType }) => ['_URL', 'CNAME', 'ALIAS'].includes(dnsType))

function offlineSite({ offlineSettings }: StoredState): Site | undefined {
  if (offlineSettings?.action === 'redirect') return { kind: 'redirect', url: offlineSettings.url }
  if (offlineSettings?.action !== 'page') return undefined
  const { action: _, ...page } = offlineSettings
  return { kind: 'page', ...page }
}
