import { type Address, bitsOf, familyOf, parsePeer } from '../../net/address.ts'

/** The address of the client: that of the connection, or the last address in X-Forwarded-For that is not a trusted proxy. */
export function clientAddressOf(
  remote: string,
  forwardedFor: string | undefined,
  trusted: readonly Address[],
): Address | undefined {
  const hops = [
    ...(forwardedFor ?? '')
      .split(',')
      .map((hop) => hop.trim())
      .filter((hop) => hop !== ''),
    remote,
  ]
  let peer: Address | undefined
  for (const hop of hops.toReversed()) {
    const address = parsePeer(hop)
    if (address === undefined) return peer
    peer = address
    if (!trusted.includes(address)) return peer
  }
  return peer
}

/** The unit of lockouts: an IPv4 address, or the /64 of an IPv6 address, because one site has at least that (RFC 6177). */
export const networkOf = (peer: Address): string =>
  familyOf(peer) === 'v4' ? peer : `${(bitsOf(peer) >> 64n).toString(16)}::/64`

/** The unit of fair shares: /24 or /48, because one customer of a provider may have many addresses (RFC 6177 §2). */
export const shareOf = (peer: Address): string =>
  familyOf(peer) === 'v4'
    ? `${(bitsOf(peer) >> 8n).toString(16)}/24`
    : `${(bitsOf(peer) >> 80n).toString(16)}/48`
