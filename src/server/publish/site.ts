import { nameAndAncestors } from '../../dns/name.ts'
import { APEX, parentOf, relativeTo, WILDCARD } from '../model/dns-name.ts'
import type { OfflineSettings } from '../model/tree.ts'
import type { PublishedReads, StoredState } from '../store/published.ts'

/** What this service answers by http at a name whose addresses are its own: a redirect, or the page of an offline name. */
export type Site =
  | { readonly kind: 'redirect'; readonly url: string }
  | ({ readonly kind: 'page' } & Omit<Extract<OfflineSettings, { action: 'page' }>, 'action'>)

/** Undefined for a name that is not there, or has addresses of its own. `host` in lower case. */
export async function siteOf(
  host: string,
  reads: Pick<PublishedReads, 'publishedZone' | 'storedState'>,
): Promise<Site | undefined> {
  for (const ancestor of nameAndAncestors(host)) {
    const zone = ancestor === '' ? undefined : await reads.publishedZone(ancestor)
    if (zone === undefined) continue
    const state = await stateFor(relativeTo(host, zone.apex) ?? APEX, async (name) =>
      reads.storedState(zone.id, name),
    )
    return state === undefined ? undefined : siteIn(state)
  }
  return undefined
}

/** A name, or the wildcard at its closest encloser (RFC 4592 §3.3.1). */
async function stateFor(
  name: string,
  stateAt: (name: string) => Promise<StoredState | undefined>,
): Promise<StoredState | undefined> {
  const own = await stateAt(name)
  if (own !== undefined) return own
  for (let at = name; at !== APEX; ) {
    at = parentOf(at)
    const wildcard = await stateAt(at === APEX ? WILDCARD : `${WILDCARD}.${at}`)
    if (wildcard !== undefined) return wildcard
    if ((await stateAt(at)) !== undefined) return undefined
  }
  return undefined
}

function siteIn({ isBlocked, isOffline, offlineSettings, records }: StoredState): Site | undefined {
  if (isBlocked) return undefined
  if (!isOffline) {
    const url = records.find(({ dnsType }) => dnsType === '_URL')?.value
    return url === undefined ? undefined : { kind: 'redirect', url }
  }
  if (offlineSettings?.action === 'redirect') return { kind: 'redirect', url: offlineSettings.url }
  if (offlineSettings?.action !== 'page') return undefined
  const { action: _, ...page } = offlineSettings
  return { kind: 'page', ...page }
}
