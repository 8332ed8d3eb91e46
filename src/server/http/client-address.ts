import { type Address, parsePeer } from '../../net/address.ts'

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
