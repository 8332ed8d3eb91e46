import { type Address, bitsOf, familyOf } from './address.ts'

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
