import { type Address, familyOf } from '../../../shared/base/address.ts'
import type { Instant } from '../../../shared/base/time.ts'
import { networkOf } from '../../../shared/base/network.ts'
import type { Line } from '../../decide/state.ts'

/** The line that questions leave through now, by the tables of the kernel. */
export interface LineInUse extends Line {
  readonly source: Address
  /** The internet leads to `source`, whatever the interface is. */
  readonly isGlobal: boolean
  /** `source` is not in the network of the gateway, and another address of the interface is: a policy of IPsec. */
  readonly isForeign: boolean
  /** The line that carries this one: a narrower route or a rule hides its default route, or one host is reached by it. */
  readonly beneath?: Line
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

/** Two gateways of one network are two lines; what has no gateway is known by its address. */
export const lineKey = ({ interface: name, gateway, source }: Line): string =>
  `${name} ${gateway ?? source ?? ''}`

/**
 * One router, or one link: cable and Wi-Fi of a router are one line, whatever their addresses are. Over IPv6 routers of two
 * homes may have the same link-local address, so the prefix must be the same too.
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
  return use.mac !== undefined && use.mac === home.mac
}

/** How people read of the home line. */
export const lineName = ({ interface: name, gateway }: Line): string =>
  gateway === undefined ? name : `${name} via ${gateway}`

/** How people read of a line in use that is another one. */
export function heldName(use: LineInUse, home: Line | undefined): string {
  const { interface: name, gateway, source } = use
  if (use.isForeign) return `${source} on ${name}`
  return name === home?.interface && gateway !== undefined ? `${gateway} on ${name}` : name
}
