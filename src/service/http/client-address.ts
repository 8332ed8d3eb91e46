import { type Address, parsePeer } from '../../shared/base/address.ts'
import { isWithin, type Prefix } from '../../shared/base/prefix.ts'
import { specialRangeOf } from '../../shared/base/special.ts'

/** The sender of a request, from the connection and its headers. */
interface RequestOrigin {
  /** The client; or the last trusted proxy, if it does not name the client. */
  readonly peer: Address
  /** The address is that of a proxy: it is not published, and nothing is counted against it. */
  readonly isProxy: boolean
}

/** Each with what it lists. A proxy sets one of them, and passes on what the client writes into the other. */
export const CLIENT_HEADERS = {
  'x-forwarded-for': (text: string): readonly string[] => text.split(','),
  /** RFC 7239 §4: the values of "for", in order. */
  forwarded: (text: string): readonly string[] =>
    text.split(',').map((element) => /(?:^|;)\s*for\s*=\s*"?([^";,]*)"?/i.exec(element)?.[1] ?? ''),
} as const
export type ClientHeader = keyof typeof CLIENT_HEADERS

/** The header in which proxies say who the client is, as it came. */
interface ForwardedBy {
  readonly header: ClientHeader
  readonly text: string | undefined
}

/**
 * The address of the connection; behind trusted proxies, the last one of the list that is not a trusted proxy.
 * Undefined for a connection that is closed.
 */
export function originOf(
  remote: string,
  { header, text = '' }: ForwardedBy,
  trusted: readonly Prefix[],
): RequestOrigin | undefined {
  const connected = parsePeer(remote)
  if (connected === undefined) return undefined
  const isTrusted = (address: Address): boolean => trusted.some((range) => isWithin(address, range))
  let peer = connected
  for (const hop of CLIENT_HEADERS[header](text)
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .toReversed()) {
    const address = isTrusted(peer) ? addressOfHop(hop) : undefined
    if (address === undefined) break
    peer = address
  }
  return { peer, isProxy: isTrusted(peer) }
}

/**
 * Whether others can read the request on its way to this host. What a proxy says of the scheme is believed from anyone:
 * no browser sends it.
 */
export const cameInClear = (
  remote: string,
  scheme: string | undefined,
  trusted: readonly Prefix[],
): boolean => {
  const connected = parsePeer(remote)
  if (connected === undefined || scheme === 'https' || specialRangeOf(connected) === 'loopback') return false
  return !trusted.some((range) => isWithin(connected, range))
}

/** Some proxies add the port: "203.0.113.9:4444", "[2001:db8::1]:80". */
function addressOfHop(hop: string): Address | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  return parsePeer(bracketed ?? plain ?? hop)
}
