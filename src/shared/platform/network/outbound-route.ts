import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { type Address, type Family, familyOf, parseAddress, parsePeer } from '../../base/address.ts'
import { isWithin } from '../../base/prefix.ts'
import type { FindOutboundRoute, FindPacketRoute, KernelRoute, OutboundRoute } from '../../ports/network.ts'
import { systemRoutes } from './tables.ts'

/**
 * Addresses that the default route covers, of which two are for documentation (RFC 5737, RFC 3849). No packet is sent there.
 * A VPN may cover the halves of IPv4 by two routes, of which one comes later.
 */
const OUTSIDE: { readonly [F in Family]: readonly [string, ...string[]] } = {
  v4: ['203.0.113.1', '64.0.0.1'],
  v6: ['2001:db8::1'],
}
const PORT = 9

/** Without `from`, from a connected UDP socket, which sends no packet (udp(7)); with it, from ip-route(8). */
export const systemOutboundRoute: FindOutboundRoute = async (family, from) => {
  if (from !== undefined) return routeFrom(family, from)
  const table = family === 'v4' ? await systemRoutes('v4') : []
  const routes = (
    await Promise.all(OUTSIDE[family].map(async (to) => routeTo(to, { family, table })))
  ).flatMap((route) => route ?? [])
  const main = table.filter(({ length }) => length === 0).toSorted((a, b) => a.metric - b.metric)[0]
  // Of two lines of one route (ECMP), each destination may take another one.
  return routes.find((route) => route.interface !== main?.interface) ?? routes[0]
}

async function routeTo(
  to: string,
  { family, table }: { readonly family: Family; readonly table: readonly KernelRoute[] },
): Promise<OutboundRoute | undefined> {
  const address = await sourceToward(family, to)
  // IPsec and routers may send from an address of the loopback interface.
  const found = address && (interfaceOf(address) ?? (await routeGet(to))?.interface)
  if (address === undefined || found === undefined) return undefined
  const gateway = family === 'v4' ? gatewayToward(to, table) : undefined
  return { address, interface: found, ...(gateway !== undefined && { gateway }) }
}

/** The gateway for an IPv4 address: longest prefix first, then lowest metric. */
function gatewayToward(address: string, routes: readonly KernelRoute[]): Address | undefined {
  const [best] = routes
    .filter(({ destination, length }) => isWithin(address as Address, { address: destination, length }))
    .toSorted((a, b) => b.length - a.length || a.metric - b.metric)
  return best?.gateway
}

async function sourceToward(family: Family, to: string): Promise<Address | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(family === 'v4' ? 'udp4' : 'udp6')
    const finish = (address: Address | undefined): void => {
      socket.close()
      resolve(address)
    }
    socket.on('error', () => finish(undefined))
    socket.connect(PORT, to, (error?: Error) =>
      finish(error === undefined ? parsePeer(socket.address().address) : undefined),
    )
  })
}

/** A host may have its address on its loopback interface too. */
const interfaceOf = (address: Address): string | undefined =>
  Object.entries(networkInterfaces()).find(([, entries = []]) =>
    entries.some((entry) => !entry.internal && parsePeer(entry.address) === address),
  )?.[0]

const routeFrom = async (family: Family, from: Address) => routeGet(`${OUTSIDE[family][0]} from ${from}`)

/** By ip-route(8), which follows rules for ports too. */
export const systemPacketRoute: FindPacketRoute = async (packet) => {
  if ('family' in packet) return routeGet(OUTSIDE[packet.family][0])
  if ('by' in packet)
    return routeGet(`${OUTSIDE[familyOf(packet.from)][0]} from ${packet.from} iif ${packet.by}`)
  if (!('remote' in packet)) return routeFrom(familyOf(packet.local), packet.local)
  const { local, remote, protocol, port } = packet
  return routeGet(`${remote} from ${local} ipproto ${protocol} dport ${port}`)
}

/** Also undefined where iproute2 is not installed. */
async function routeGet(packet: string): Promise<Omit<OutboundRoute, 'address'> | undefined> {
  return new Promise((resolve) => {
    execFile('ip', `-o route get ${packet}`.split(' '), { timeout: 1000 }, (_, stdout) => {
      const [, name] = / dev (\S+)/.exec(stdout) ?? []
      const gateway = parseAddress(/ via (?:inet6? )?(\S+)/.exec(stdout)?.[1] ?? '')
      resolve(name === undefined ? undefined : { interface: name, ...(gateway !== undefined && { gateway }) })
    })
  })
}
