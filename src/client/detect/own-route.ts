import type { Address, Family } from '../../shared/base/address.ts'
import type { SentPacket, Sighting } from '../../shared/base/sighting.ts'
import { isGlobal } from '../../shared/base/special.ts'
import type { Interfaces } from '../../shared/ports/interfaces.ts'
import type {
  FindOutboundRoute,
  FindPacketRoute,
  IsTunnel,
  OutboundRoute,
} from '../../shared/ports/network.ts'
import type { Line } from '../decide/state.ts'
import type { FindSourceAddress } from './sources/ports.ts'
import type { AddressSource } from './sources/source.ts'

type LineOfVotes = Pick<Line, 'interface' | 'gateway' | 'source'>

interface RouteOfHost {
  readonly outboundRoute: FindOutboundRoute
  readonly packetRoute: FindPacketRoute
  readonly isTunnel: IsTunnel
  /** All those of the host. */
  readonly interfaces: Interfaces
  readonly published: (family: Family) => readonly Address[]
  /** The line that a question must leave by; undefined: by the interface of the default route. */
  readonly lineOfVotes: (family: Family) => Promise<LineOfVotes | undefined>
}

interface Uplink extends RouteOfHost {
  /** Of a hostname that is bound to an interface or an address. */
  readonly from: FindSourceAddress | undefined
  /** The gateway that traffic of a bound hostname must use. */
  readonly gateway: Address | undefined
  readonly allowVpn: boolean
}

/** A source for the uplink of a hostname: see below. What is near is asked on its own link. */
export function onRoute(source: AddressSource, { from, gateway, allowVpn, ...ports }: Uplink): AddressSource {
  if (source.vantage !== 'outside') return source
  const unbound = allowVpn ? source : onOwnRoute(source, ports)
  if (from === undefined) return unbound
  const bound = onBoundRoute(source, { ...ports, from, gateway })
  return {
    ...source,
    // An address is of one family: the other one leaves as the kernel chooses.
    look: async (family, signal) =>
      ((await from(family)) === undefined ? unbound : bound).look(family, signal),
  }
}

/** Where a question left, if not by the route of the host. */
type Stray = Extract<Sighting, { kind: 'unknown' }>

/**
 * The source, whose answer counts only if the question left by the line of this host: a VPN may take single ports or hosts
 * by a rule, two lines may share a route, and a route may have changed since the question (decision 0052).
 */
export const onOwnRoute = (source: AddressSource, ports: RouteOfHost): AddressSource => ({
  ...source,
  look: async (family, signal) => {
    const sighting = await source.look(family, signal)
    if (sighting.kind !== 'seen' || sighting.sent === undefined) return sighting
    const { sent, ...seen } = sighting
    const line = (await ports.lineOfVotes(family)) ?? interfaceAlone(await ports.outboundRoute(family))
    if (line === undefined) return seen
    const stray = sent.local === line.source ? undefined : await strayBySocket(sent, line.interface, ports)
    if (stray !== undefined) return stray
    // What is published already does no harm, and is asked for much more often.
    if (ports.published(family).includes(seen.address) || !isGlobal(sent.remote, [])) return seen
    return (await strayByRules(sent, line, ports)) ?? seen
  },
})

const interfaceAlone = (route: OutboundRoute | undefined): LineOfVotes | undefined =>
  route && { interface: route.interface }

/** By the local address, which the kernel chose with the route. */
async function strayBySocket(
  { local, remote }: SentPacket,
  line: string,
  ports: RouteOfHost,
): Promise<Stray | undefined> {
  const own = (await ports.interfaces()).find(({ address }) => address === local)?.interface
  if (own === line) return undefined
  const isTunnel = own !== undefined && (await ports.isTunnel(own))
  // A question to this host, or to one of its network, takes no route to the internet; one into a tunnel does.
  if (!isTunnel && !isGlobal(remote, [])) return undefined
  if (own === undefined) return { kind: 'unknown', because: `was asked from ${local}, which this host lost` }
  return strayBy(own, line, isTunnel)
}

/** A tunnel without an address, or another gateway of this network, shows in no local address. */
async function strayByRules(
  sent: SentPacket,
  { interface: line, gateway }: LineOfVotes,
  { interfaces, packetRoute, isTunnel }: RouteOfHost,
): Promise<Stray | undefined> {
  const way = await packetRoute(sent)
  if (way === undefined) return undefined
  if (way.interface === line) {
    const isOther = gateway !== undefined && way.gateway !== gateway
    return isOther ? strayBy(`${way.gateway ?? 'no gateway'} on ${way.interface}`, line, true) : undefined
  }
  const isKnown = (await interfaces()).some((one) => one.interface === way.interface)
  return strayBy(way.interface, line, !isKnown || (await isTunnel(way.interface)))
}

/** Two lines of this host may share its traffic, so only tunnels are reported. */
const strayBy = (through: string, line: string, isTold: boolean): Stray => ({
  kind: 'unknown',
  because: `was asked through ${through}, and the line of this host is ${line}`,
  ...(isTold && { through }),
})

interface BoundRoute extends Pick<RouteOfHost, 'packetRoute' | 'interfaces'> {
  readonly from: FindSourceAddress
  readonly gateway: Address | undefined
}

/** The same for a hostname that is bound: what leaves by another interface is not asked, or does not count. */
export const onBoundRoute = (
  source: AddressSource,
  { from, gateway, packetRoute, interfaces }: BoundRoute,
): AddressSource => ({
  ...source,
  look: async (family, signal) => {
    const local = await from(family)
    if (local === undefined || local === 'none') return source.look(family, signal)
    const bound = (await interfaces()).find(({ address }) => address === local)?.interface
    const strayIn = async (packet: Parameters<FindPacketRoute>[0]): Promise<Stray | undefined> => {
      const way = await packetRoute(packet)
      if (way === undefined || bound === undefined) return undefined
      const isOther = gateway !== undefined && way.gateway !== gateway
      if (way.interface === bound && !isOther) return undefined
      const through = isOther ? `${way.gateway ?? 'no gateway'} on ${way.interface}` : way.interface
      return {
        kind: 'unknown',
        because: `traffic from ${bound} leaves through ${through}`,
        lacksInterface: true,
      }
    }
    const before = await strayIn({ local })
    if (before !== undefined) return before
    const sighting = await source.look(family, signal)
    if (sighting.kind !== 'seen' || sighting.sent === undefined) return sighting
    const { sent, ...seen } = sighting
    return (isGlobal(sent.remote, []) ? await strayIn(sent) : undefined) ?? seen
  },
})
