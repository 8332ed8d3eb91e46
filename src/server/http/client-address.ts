import { type Address, bitsOf, familyOf, parsePeer } from '../../net/address.ts'

/** Who is at the other end; behind a trusted proxy, who that proxy says it is (the last it did not add itself). */
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

/** What is counted as one peer: an IPv4 address, or the /64 that one IPv6 household has (RFC 6177). */
export const networkOf = (peer: Address): string =>
  familyOf(peer) === 'v4' ? peer : `${(bitsOf(peer) >> 64n).toString(16)}::/64`
