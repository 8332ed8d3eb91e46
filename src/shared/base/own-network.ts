import { parseAddress } from './address.ts'
import { type RangeClass, specialRangeOf } from './special.ts'

/** VPN meshes often use the addresses of CGNAT. An IPv6 form of a public IPv4 address is not one of these. */
const OWN_RANGES: ReadonlySet<RangeClass | undefined> = new Set([
  'private',
  'loopback',
  'link-local',
  'cgnat',
])

/** Loopback, private and link-local hosts, and names without a dot, are in the user's own network. */
export function isOwnNetwork(hostname: string): boolean {
  const address = parseAddress(hostname.replace(/^\[|\]$/g, ''))
  if (address === undefined && hostname.startsWith('[')) return false
  if (address !== undefined) return OWN_RANGES.has(specialRangeOf(address))
  return !hostname.includes('.') || /\.(?:local|lan|home|internal|localhost|home\.arpa)$/.test(hostname)
}
