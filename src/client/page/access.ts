import { parseAddress } from '../../net/address.ts'

/** A loopback name or address with an optional port, and nothing behind it: "127.evil.example" must not match. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Whether the Host header (RFC 9110 §7.2) names this page. Another name means that a name of the attacker leads here (DNS
 * rebinding), and a browser would let the attacker's page read this one. An address cannot lead elsewhere (decision 0038).
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined) return false
  const bare = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return (
    LOOPBACK_HOST.test(host) ||
    parseAddress(bare.replace(/^\[|\]$/g, '')) !== undefined ||
    names.includes(bare)
  )
}

interface OriginHeaders {
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly 'sec-fetch-site'?: string | string[] | undefined
}

/** Whether a request that acts comes from the page itself, and not from another page in the same browser. */
export function isOwnAction({ host, origin, 'sec-fetch-site': site }: OriginHeaders): boolean {
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
}
