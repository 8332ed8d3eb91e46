import { type Address, bitsOf, familyOf, parseAddress } from './address.ts'
import { type RangeClass, specialRangeOf } from './special.ts'

/**
 * The network of a host, and the unit of lockouts: an IPv4 address, or the /64 of an
 * IPv6 address, because one site has at least that (RFC 6177).
 */
export const networkOf = (peer: Address): string =>
  familyOf(peer) === 'v4' ? peer : `${upperGroups(bitsOf(peer))}::/64`

/** Four groups of an IPv6 address, as people read them (RFC 4291 §2.2). */
const upperGroups = (bits: bigint): string =>
  [112n, 96n, 80n, 64n].map((shift) => ((bits >> shift) & 0xffffn).toString(16)).join(':')

/** The unit of fair shares: /24 or /48, because one customer of a provider may have many addresses (RFC 6177 §2). */
export const shareOf = (peer: Address): string =>
  familyOf(peer) === 'v4'
    ? `${(bitsOf(peer) >> 8n).toString(16)}/24`
    : `${(bitsOf(peer) >> 80n).toString(16)}/48`

/** The same network in the usual notation, such as 192.0.2.0/24 or 2001:db8:1::/48. */
export function readableShareOf(peer: Address): string {
  const bits = bitsOf(peer)
  if (familyOf(peer) === 'v4')
    return `${[24n, 16n, 8n].map((shift) => String((bits >> shift) & 0xffn)).join('.')}.0/24`
  return `${[112n, 96n, 80n].map((shift) => ((bits >> shift) & 0xffffn).toString(16)).join(':')}::/48`
}

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

/** A loopback name or address with an optional port, and nothing behind it: "127.evil.example" must not match. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/** Whether a Host header (RFC 9110 §7.2) names this host itself. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK_HOST.test(host)

/** Whether a request to this address is not encrypted, and others may read it. A name may only begin like an address. */
export function isInClear({ protocol, hostname }: URL): boolean {
  const address = parseAddress(hostname.replace(/^\[|\]$/g, ''))
  const isOwn = address === undefined ? hostname === 'localhost' : specialRangeOf(address) === 'loopback'
  return protocol === 'http:' && !isOwn
}
