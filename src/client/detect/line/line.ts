import { type Address, familyOf } from '../../../shared/base/address.ts'
import type { Instant } from '../../../shared/base/time.ts'
import { networkOf } from '../../../shared/base/network.ts'
import type { Line } from '../../decide/state.ts'

/** The line that questions leave through now, by the tables of the kernel. */
export interface LineInUse extends Line {
  readonly source: Address
  /** `source` is reachable from the internet. */
  readonly isGlobal: boolean
  /** `source` is not in the network of the gateway, and another address of the interface is: a policy of IPsec. */
  readonly isForeign: boolean
  /** The line that carries this one: a narrower route or a rule hides its default route, or one host is reached by it. */
  readonly beneath?: Line
  /** Known lines that may carry this one: they have another gateway on the same network, or this one is a tunnel. */
  readonly beside?: readonly Line[]
  /** The kernel calls the interface a tunnel. */
  readonly isTunnel: boolean
  /** Its router reports the address that outside services see. */
  readonly hasWord?: boolean
}

/** What is left of the home line while another one is in use. */
export interface HomeNow {
  /** Its address, or over IPv6 one of its prefix that is preferred, is on an interface that is up and running. */
  readonly hasSource: boolean
  /** A default route of any metric, or a route to a global host, leads through it. */
  readonly hasRoute: boolean
  /** The gateway in its own network. */
  readonly gateway: 'answers' | 'silent' | 'unknown'
  /** Outside hosts that are asked through its interface. */
  readonly beyond?: 'answers' | 'silent'
  /** What its router says of its public address. */
  readonly word?: 'address' | 'no address'
  /** When the last questions left whose answers these are; without it, all is from the tables of now. */
  readonly asked?: Instant
}

/** Whether two IPv6 addresses are in one /64. */
export const isOnePrefix = (one: Address, other: Address | undefined): boolean =>
  other !== undefined && networkOf(one) === networkOf(other)

/** Two gateways on one network are two lines. Without a gateway, the address identifies the line. */
export const lineKey = ({ interface: name, gateway, source }: Line): string =>
  `${name} ${gateway ?? source ?? ''}`

/**
 * The same router by cable and by Wi-Fi is one line, and so is one with a new address. By another address on another
 * interface it is another network of that router, whose traffic may leave by a VPN. Over IPv6 different routers may share a
 * link-local address such as fe80::1, so the prefix must match too.
 */
export function isSameLine(use: LineInUse, home: Line): boolean {
  if (use.isForeign) return false
  if (use.interface === home.interface && use.gateway === home.gateway)
    return use.gateway !== undefined || use.isGlobal || use.source === home.source
  if (familyOf(use.source) === 'v6')
    return (
      use.interface !== home.interface &&
      use.gateway !== undefined &&
      use.gateway === home.gateway &&
      isOnePrefix(use.source, home.source)
    )
  const isNear = use.interface === home.interface || use.gateway === home.gateway
  return isNear && use.mac !== undefined && use.mac === home.mac
}

/** The home line, as shown to people. */
export const lineName = ({ interface: name, gateway }: Line): string =>
  gateway === undefined ? name : `${name} via ${gateway}`

/** A held line, as shown to people. */
export function heldName(use: LineInUse, home: Line | undefined): string {
  const { interface: name, gateway, source } = use
  if (use.isForeign) return `${source} on ${name}`
  return name === home?.interface && gateway !== undefined ? `${gateway} on ${name}` : name
}
