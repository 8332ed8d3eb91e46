import { parseAddress } from '../../shared/base/address.ts'
import { isLoopbackHost } from '../../shared/base/loopback.ts'

/**
 * Whether the Host header (RFC 9110 §7.2) names this page. Another name means that a name of the attacker leads here (DNS
 * rebinding), and a browser would let the attacker's page read this one. An address cannot lead elsewhere (decision 0038).
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined) return false
  const bare = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return (
    isLoopbackHost(host) || parseAddress(bare.replace(/^\[|\]$/g, '')) !== undefined || names.includes(bare)
  )
}
