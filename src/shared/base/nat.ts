import type { Address } from './address.ts'
import { meaningOf, specialRangeOf } from './special.ts'

/** How IPv4 of this network is shared or translated, in the words of the field. The last two: the router does not say. */
export type NatKind =
  | 'CGNAT'
  | 'DS-Lite'
  | '464XLAT'
  | 'double NAT'
  | 'CGNAT or double NAT'
  | 'double NAT or a wrong word'

/** What is between this network and the internet over IPv4: nothing from outside reaches this host by itself. */
export interface Nat {
  readonly kind: NatKind
  /** The address in the place of the public one; undefined where the router states none. */
  readonly address?: Address
  /** The address is of this host, and not of its router. */
  readonly isOwn?: true
}

interface NatText {
  readonly meaning: string
  /** The router may have the public address, and report another one. */
  readonly mayBeWrong?: true
  readonly remedy: string
}

const ASK_PROVIDER = 'ask the provider for a public IPv4 address, or publish IPv6 alone (ipv4 = false)'
const WRONG_WORD =
  'restart your router; if it is behind another one, put that one into bridge mode; if it has a VPN or a second line, ' +
  'set sources without "router"'
const BRIDGE =
  'put the modem or router of the provider into bridge mode, or forward its ports to your own router'
// biome-ignore format: a table
export const NATS: { readonly [K in NatKind]: NatText } = {
  CGNAT:        { remedy: ASK_PROVIDER, meaning: 'the provider shares the public IPv4 address among customers (CGNAT)' },
  'DS-Lite':    { remedy: ASK_PROVIDER, meaning: 'IPv4 travels over IPv6 to the provider, which shares its address among customers (DS-Lite)' },
  '464XLAT':    { remedy: 'publish IPv6 alone (ipv4 = false): this network has no IPv4 of its own', meaning: 'this network has IPv6 only, and the provider translates IPv4 (464XLAT)' },
  'double NAT': { remedy: BRIDGE,       meaning: 'your own router is behind another one, such as the modem of the provider (double NAT)' },
  'CGNAT or double NAT': { remedy: `${ASK_PROVIDER}; behind another router: ${BRIDGE}`, meaning: 'the provider shares the public address among customers (CGNAT, DS-Lite), or your own router is behind another one (double NAT)' },
  'double NAT or a wrong word': { remedy: WRONG_WORD, meaning: 'what your router reports is out of date, or it has a VPN or a second line, or is behind another one (double NAT)', mayBeWrong: true },
}

const UNREACHED = 'from outside does not reach this host by itself'

/** What it means for this host, as one sentence. */
export const natMeaning = ({ kind }: Nat): string =>
  `IPv4 ${NATS[kind].mayBeWrong ? `possibly ${UNREACHED}` : UNREACHED}: ${NATS[kind].meaning}`

/** RFC 6333 §5.7: the client's end of DS-Lite, and that of the provider. */
const DS_LITE: readonly string[] = ['192.0.0.1', '192.0.0.2']
/** RFC 7335: reserved for hosts and routers that carry IPv4 over IPv6. */
const IS_CONTINUED = /^192\.0\.0\.[0-7]$/

export const isTranslated = (address = ''): boolean => IS_CONTINUED.test(address)

/** By the address that is in the place of the public one. */
export function natWith(address: Address): Nat {
  if (isTranslated(address)) return { kind: DS_LITE.includes(address) ? 'DS-Lite' : '464XLAT', address }
  return { kind: specialRangeOf(address) === 'cgnat' ? 'CGNAT' : 'double NAT', address }
}

/** What was observed, as one sentence. `outside`: what outside services see. */
export function formatNat({ kind, address, isOwn }: Nat, outside: Address | undefined): string {
  const seen = `outside sources see ${outside ?? 'no address'}`
  if (address === undefined) return `the router reports no public address, but ${seen}: ${NATS[kind].meaning}`
  if (specialRangeOf(address) === undefined) return `the router reports ${address}, but ${seen}`
  if (isTranslated(address))
    return `${isOwn ? 'this host' : 'the router'} has ${address}: ${NATS[kind].meaning}; ${seen}`
  return `${isOwn ? 'this host' : 'the router'} has ${address}, ${meaningOf(address)}; ${seen}`
}
