import { type Address, type Family, familyOf } from '../../../shared/base/address.ts'
import { isTranslated } from '../../../shared/base/nat.ts'
import { isWithin } from '../../../shared/base/prefix.ts'
import { isGlobal } from '../../../shared/base/special.ts'
import type { InterfaceAddress } from '../../../shared/ports/interfaces.ts'
import type { KernelRoute, Neighbour, OutboundRoute } from '../../../shared/ports/network.ts'
import type { NetworkPorts } from '../../../shared/ports/system.ts'
import type { KnownWay } from './known-way.ts'
import { type HomeNow, isOnePrefix, isSameLine, type LineInUse } from './line.ts'
import type { LineState } from './decide-line.ts'
import type { Line } from '../../decide/state.ts'

export type LinePorts = Pick<
  NetworkPorts,
  'routes' | 'neighbours' | 'isTunnel' | 'interfaces' | 'outboundRoute' | 'packetRoute'
> & {
  /** The way out by all rules; see `KnownWay`. */
  readonly wayOut: KnownWay['find']
}

interface LineTables {
  readonly family: Family
  readonly table: readonly KernelRoute[]
  /** Of the family. */
  readonly all: readonly InterfaceAddress[]
  readonly neighbours: readonly Neighbour[]
}

export interface LineReading {
  readonly use?: LineInUse
  readonly home?: HomeNow
}

/** What the tables of the kernel say now. No packet is sent. */
export async function readLine(
  ports: LinePorts,
  family: Family,
  { home, known }: Pick<LineState, 'home' | 'known'>,
): Promise<LineReading> {
  const routes = Promise.all([ports.outboundRoute(family), ports.routes(family)])
  const [[route, table], way, interfaces, arp] = await Promise.all([
    routes,
    ports.wayOut(family, routes.then(JSON.stringify)),
    ports.interfaces().catch(() => []),
    family === 'v4' ? ports.neighbours('v4') : [],
  ])
  if (route?.address === undefined) return {}
  const all = interfaces.filter(({ address }) => familyOf(address) === family)
  const tables = { family, table, all, neighbours: arp }
  const isTunnel = await ports.isTunnel(route.interface)
  // A rule may lead to a gateway that the main table does not have.
  const gateway = way?.interface === route.interface ? way.gateway : widest(table, route.interface)?.gateway
  const through = { interface: route.interface, source: route.address, ...(gateway && { gateway }) }
  const found = inUse(through, isTunnel, tables)
  const beside = known.filter((line) => mayCarry(line, found, tables))
  const use = { ...found, ...(beside.length > 0 && { beside }) }
  if (home === undefined) return { use: await carried(use, ports, tables) }
  if (isSameLine(use, home)) return { use }
  const neighbours = family === 'v6' && home.gateway !== undefined ? await ports.neighbours('v6') : arp
  const now = homeNow(home, use, { ...tables, neighbours })
  return { use: now.hasRoute ? use : await carried(use, ports, tables), home: now }
}

/**
 * Through another gateway of its network, or beneath a tunnel while this host has its address. Only the MAC address tells
 * its router from another device at that address, in a network that is numbered the same.
 */
function mayCarry(known: Line, use: LineInUse, tables: LineTables): boolean {
  const { interface: name, source, gateway, isTunnel, isGlobal: isOwn } = use
  const near = macOf(known.gateway, known.interface, tables)
  if (known.gateway === undefined || near === undefined || near !== known.mac || isOwn) return false
  if (known.interface === name)
    return gateway !== undefined && gateway !== known.gateway && isInNetworkOf(known.gateway, source, tables)
  return isTunnel && tables.all.some((one) => isOfHome(one, known, tables))
}

/** A gateway may be a container of this host, which forwards what comes from there by another line. */
async function carried(use: LineInUse, { packetRoute }: LinePorts, tables: LineTables): Promise<LineInUse> {
  const { interface: name, gateway } = use
  if (tables.family === 'v6' || gateway === undefined || use.beneath !== undefined) return use
  const onward = await packetRoute({ from: gateway, by: name })
  if (onward === undefined || onward.interface === name) return use
  const below = lineOf(onward, tables)
  return below === undefined ? use : { ...use, beneath: below }
}

function inUse(line: Line & { readonly source: Address }, isTunnel: boolean, tables: LineTables): LineInUse {
  const { interface: name, source, gateway } = line
  const mac = macOf(gateway, name, tables)
  const isOwn = isGlobal(source, []) || isTranslated(source)
  const nets = tables.all.filter(
    (one) => one.interface === name && isInNetworkOf(gateway, one.address, tables),
  )
  // An address of VRRP has a prefix of its own and is in a network of the interface all the same.
  const isInside = nets.some(({ address, prefixLength: length }) => isWithin(source, { address, length }))
  const isForeign = tables.family === 'v4' && !isOwn && nets.length > 0 && !isInside
  const below = isTranslated(source) ? undefined : beneath(name, { isTunnel, isOwn }, tables)
  return {
    ...line,
    isGlobal: isOwn,
    isForeign,
    isTunnel,
    ...(mac !== undefined && { mac }),
    ...(below && { beneath: below }),
  }
}

const isDefault = ({ length }: KernelRoute): boolean => length === 0
const byMetric = (a: KernelRoute, b: KernelRoute): number => a.metric - b.metric

/** The widest route out through an interface: a default route, or a half of one. */
const widest = (table: readonly KernelRoute[], name: string): KernelRoute | undefined =>
  table
    .filter((one) => one.interface === name && one.length <= 1)
    .toSorted((a, b) => a.length - b.length || byMetric(a, b))[0]

/**
 * Over IPv6 the table has the routes of all rules. Where this host dials, the route to the server of a VPN has no gateway.
 */
function beneath(
  name: string,
  { isTunnel, isOwn }: { readonly isTunnel: boolean; readonly isOwn: boolean },
  tables: LineTables,
): Line | undefined {
  const { table, family } = tables
  const defaults = table.filter(isDefault).toSorted(byMetric)
  const own = defaults.find((one) => one.interface === name)
  const main = defaults.find((one) => one.interface !== name)
  const isDialled = main !== undefined && main.gateway === undefined
  const isHidden = isTunnel && (family === 'v6' || (isDialled && !isOwn))
  const isBetter = own === undefined || (main !== undefined && main.metric < own.metric) || isHidden
  const host = table.find(
    ({ length, destination, gateway, interface: other }) =>
      length === (family === 'v4' ? 32 : 128) &&
      other !== name &&
      gateway !== undefined &&
      isGlobal(destination, []),
  )
  const below = (isBetter ? main : undefined) ?? host
  return below && lineOf(below, tables)
}

function lineOf(
  { interface: name, gateway }: Omit<OutboundRoute, 'address'>,
  tables: LineTables,
): Line | undefined {
  const own = tables.all.find((one) => one.interface === name && !one.address.startsWith('fe80:'))
  const mac = macOf(gateway, name, tables)
  return own && { interface: name, source: own.address, ...(gateway && { gateway }), ...(mac && { mac }) }
}

const neighbourAt = (
  gateway: Address | undefined,
  name: string,
  { neighbours }: LineTables,
): Neighbour | undefined => neighbours.find((one) => one.address === gateway && one.interface === name)

const macOf = (gateway: Address | undefined, name: string, tables: LineTables): string | undefined =>
  neighbourAt(gateway, name, tables)?.mac

/** The gateway is in the network of this address. */
function isInNetworkOf(gateway: Address | undefined, address: Address, { all }: LineTables): boolean {
  const own = all.find((one) => one.address === address)
  return (
    own !== undefined && gateway !== undefined && isWithin(gateway, { address, length: own.prefixLength })
  )
}

/** Of an interface that is down, the system lists no address. */
function homeNow(home: Line, use: LineInUse, tables: LineTables): HomeNow {
  const { interface: name, gateway } = home
  const { table } = tables
  const isThrough = (route: KernelRoute): boolean =>
    route.interface === name && (gateway === undefined || route.gateway === gateway)
  const host = tables.family === 'v4' ? 32 : 128
  const leadsOut = ({ length, destination }: KernelRoute): boolean =>
    length <= 1 || (length === host && isGlobal(destination, []))
  const neighbour = neighbourAt(gateway, name, tables)
  return {
    hasSource: tables.all.some((one) =>
      tables.family === 'v4' ? isOfHome(one, home, tables) : hasPrefixOf(one, home, use),
    ),
    // Without a table, such as on macOS, nothing is known about routes.
    hasRoute: table.length === 0 || table.some((route) => isThrough(route) && leadsOut(route)),
    gateway: neighbour !== undefined && neighbour.mac === undefined ? 'silent' : 'unknown',
  }
}

/** A new lease on the same network is still the same line. */
const isOfHome = (
  { interface: name, address }: InterfaceAddress,
  { interface: own, source, gateway }: Line,
  tables: LineTables,
): boolean =>
  name === own && (source === undefined || address === source || isInNetworkOf(gateway, address, tables))

/** The provider may renumber the home line, so any other prefix on its interface counts, even if still tentative. */
const hasPrefixOf = (one: InterfaceAddress, home: Line, use: LineInUse): boolean =>
  (!one.isUnusable || one.isTentative === true) &&
  isGlobal(one.address, []) &&
  (isOnePrefix(one.address, home.source) ||
    (one.interface === home.interface && !isOnePrefix(one.address, use.source)))
