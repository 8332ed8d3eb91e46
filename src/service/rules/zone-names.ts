import { relativeTo } from '../model/dns-name.ts'

/** What the names of zones are judged by. */
export interface ZoneNameLimits {
  /** Of the hosts of the service (name servers, website, mail addresses): the domains that were registered. */
  readonly ownDomains: readonly string[]
  /** Whether the public registers names beneath this one. */
  readonly isPublicSuffix: (name: string) => boolean
}

/** The domains of reverse zones (RFC 1035 §3.5, RFC 3596 §2.5). */
const REVERSE = ['in-addr.arpa', 'ip6.arpa']

const isOrBeneath = (name: string, above: string): boolean => relativeTo(name, above) !== undefined

/**
 * Why no tenant makes a zone of this name; undefined if one may. The operator may make each (`admin zone add`). A zone in
 * the domain of the service would answer in its place.
 */
export function zoneNameFault(
  name: string,
  { ownDomains, isPublicSuffix }: ZoneNameLimits,
): string | undefined {
  if (ownDomains.some((domain) => isOrBeneath(name, domain))) return `${name} is for the service itself`
  if (REVERSE.some((domain) => isOrBeneath(name, domain)))
    return `${name} is a reverse zone, which the operator makes for the holder of the addresses`
  return isPublicSuffix(name)
    ? `${name} is a public suffix: others register names beneath it; the operator can allow it`
    : undefined
}
