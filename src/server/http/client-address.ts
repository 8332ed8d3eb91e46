import { type Address, parsePeer } from '../../net/address.ts'
import { isWithin, type Prefix } from '../../net/prefix.ts'

/** The sender of a request, from the connection and its headers. */
interface RequestOrigin {
  /** The client; or the last trusted proxy, if it does not name the client. */
  readonly peer: Address
  /** The address is that of a proxy: it is not published, and nothing is counted against it. */
  readonly isProxy: boolean
}

interface ForwardHeaders {
  readonly forwardedFor: string | undefined
  /** RFC 7239 §4; used without X-Forwarded-For. */
  readonly forwarded: string | undefined
}

/**
 * The address of the connection; behind trusted proxies, the last one of the list that is not a trusted proxy.
 * Undefined for a connection that is closed.
 */
export function originOf(
  remote: string,
  { forwardedFor, forwarded }: ForwardHeaders,
  trusted: readonly Prefix[],
): RequestOrigin | undefined {
  const connected = parsePeer(remote)
  if (connected === undefined) return undefined
  const isTrusted = (address: Address): boolean => trusted.some((range) => isWithin(address, range))
  const listed = forwardedFor === undefined ? forwardedItems(forwarded ?? '') : forwardedFor.split(',')
  let peer = connected
  for (const hop of listed
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .toReversed()) {
    const address = isTrusted(peer) ? addressOfHop(hop) : undefined
    if (address === undefined) break
    peer = address
  }
  return { peer, isProxy: isTrusted(peer) }
}

/** Some proxies add the port: "203.0.113.9:4444", "[2001:db8::1]:80". */
function addressOfHop(hop: string): Address | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  return parsePeer(bracketed ?? plain ?? hop)
}

/** The values of "for", in order. */
const forwardedItems = (header: string): readonly string[] =>
  header.split(',').map((element) => /(?:^|;)\s*for\s*=\s*"?([^";,]*)"?/i.exec(element)?.[1] ?? '')
