import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { type Address, type Family, parsePeer } from '../net/address.ts'
import { isWithin } from '../net/prefix.ts'
import type { FindGateway, FindOutboundRoute, Gateway } from '../ports/network.ts'
import { isTunnel } from './interfaces.ts'
import { type KernelRoute, localOn, parseRoutes } from './network.ts'

/** Addresses that no host has (RFC 5737, RFC 3849): the default route covers them, and nothing is sent there. */
const OUTSIDE: { readonly [F in Family]: string } = { v4: '203.0.113.1', v6: '2001:db8::1' }
const PORT = 9

/** Without `from`, by connecting a UDP socket, which sends nothing (udp(7)); with it, by ip-route(8). */
export const systemOutboundRoute: FindOutboundRoute = async (family, from) => {
  if (from !== undefined) return routeFrom(family, from)
  const address = await sourceToward(family)
  const name = address === undefined ? undefined : interfaceOf(address)
  if (address === undefined || name === undefined) return undefined
  const gateway = family === 'v4' ? gatewayToward(OUTSIDE.v4, await routingTable()) : undefined
  return { address, interface: name, ...(gateway !== undefined && { gateway }) }
}

const routingTable = async (): Promise<readonly KernelRoute[]> =>
  parseRoutes(await readFile('/proc/net/route', 'utf8').catch(() => ''))

/** By the longest prefix, then the least metric. */
export function gatewayToward(address: string, routes: readonly KernelRoute[]): Address | undefined {
  const [best] = routes
    .filter(({ destination, length }) => isWithin(address as Address, { address: destination, length }))
    .toSorted((a, b) => b.length - a.length || a.metric - b.metric)
  return best?.gateway
}

async function sourceToward(family: Family): Promise<Address | undefined> {
  return new Promise((done) => {
    const socket = createSocket(family === 'v4' ? 'udp4' : 'udp6')
    const finish = (address: Address | undefined): void => {
      socket.close()
      done(address)
    }
    socket.on('error', () => finish(undefined))
    socket.connect(PORT, OUTSIDE[family], (error?: Error) =>
      finish(error === undefined ? parsePeer(socket.address().address) : undefined),
    )
  })
}

const interfaceOf = (address: Address): string | undefined =>
  Object.entries(networkInterfaces()).find(([, entries]) =>
    (entries ?? []).some((entry) => parsePeer(entry.address) === address),
  )?.[0]

/** Undefined too where there is no iproute2. */
async function routeFrom(family: Family, from: Address): Promise<{ readonly interface: string } | undefined> {
  const args = `-o route get ${OUTSIDE[family]} from ${from}`.split(' ')
  return new Promise((done) => {
    execFile('ip', args, { timeout: 1000 }, (_, stdout) => {
      const [, name] = / dev (\S+)/.exec(stdout) ?? []
      done(name === undefined ? undefined : { interface: name })
    })
  })
}

/**
 * A full-tunnel VPN that replaces the default route hides the router; while the way to it is there, it is still the one to ask.
 * Who starts under a VPN finds it by the route to the VPN's server, which goes over it.
 */
export function homeGateway(find: FindGateway): FindGateway {
  let home: Gateway | undefined
  return async (only) => {
    const now = await find(only)
    if (now !== undefined && !isOfTunnel(now.interface)) return (home = now)
    if (home !== undefined && home.interface !== now?.interface && isThere(home)) return home
    const hidden = only === undefined ? gatewayOfHosts(await routingTable()) : undefined
    home = hidden ?? now
    return home
  }
}

/** The router over which single hosts are reached, by an interface that is no tunnel. */
function gatewayOfHosts(routes: readonly KernelRoute[]): Gateway | undefined {
  const [first] = routes.filter(({ length, gateway, name }) => length === 32 && gateway && !isOfTunnel(name))
  const local = first === undefined ? undefined : localOn(first.name)
  return first?.gateway === undefined || local === undefined
    ? undefined
    : { address: first.gateway, interface: first.name, local }
}

const isThere = ({ interface: name, local }: Gateway): boolean =>
  (networkInterfaces()[name] ?? []).some(({ address }) => address === local)

const isOfTunnel = (name: string): boolean => isTunnel(name, networkInterfaces()[name]?.[0]?.mac)
