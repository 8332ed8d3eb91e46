import type { Family } from '../../net/address.ts'

interface Service {
  readonly operator: string
  readonly family: Family
  readonly url: string
}

/** Public echo services asked when no source is configured and no own interface has a public address, in this order. */
// biome-ignore format: a table
export const SERVICES: readonly Service[] = [
  { operator: 'ipify',     family: 'v4', url: 'https://api.ipify.org/' },
  { operator: 'ipify',     family: 'v6', url: 'https://api6.ipify.org/' },
  { operator: 'icanhazip', family: 'v4', url: 'https://ipv4.icanhazip.com/' },
  { operator: 'icanhazip', family: 'v6', url: 'https://ipv6.icanhazip.com/' },
  { operator: 'ident.me',  family: 'v4', url: 'https://v4.ident.me/' },
  { operator: 'ident.me',  family: 'v6', url: 'https://v6.ident.me/' },
]
