import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { type Address, type Family, parsePeer } from '../net/address.ts'
import type { FindGateway, FindWayOut, Gateway } from '../ports/network.ts'
import { isTunnel } from './interfaces.ts'

/** Addresses that no host has (RFC 5737, RFC 3849): the default route covers them, and nothing is sent there. */
const OUTSIDE: { readonly [F in Family]: string } = { v4: '203.0.113.1', v6: '2001:db8::1' }
const PORT = 9

/** Without `from`, by connecting a UDP socket, which sends nothing (udp(7)); with it, by ip-route(8). */
export const systemWayOut: FindWayOut = async (family, from) => {
  if (from !== undefined) return routeFrom(family, from)
  const address = await sourceToward(family)
  const name = address === undefined ? undefined : interfaceOf(address)
  return address === undefined || name === undefined ? undefined : { address, interface: name }
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
 * A tunnel's interface has no hardware address.
 */
export function homeGateway(find: FindGateway): FindGateway {
  let home: Gateway | undefined
  return async (only) => {
    const now = await find(only)
    const isHidden = home !== undefined && home.interface !== now?.interface && isThere(home)
    if (isHidden && (now === undefined || isOfTunnel(now.interface))) return home
    home = now
    return now
  }
}

const isThere = ({ interface: name, local }: Gateway): boolean =>
  (networkInterfaces()[name] ?? []).some(({ address }) => address === local)

const isOfTunnel = (name: string): boolean => isTunnel(name, networkInterfaces()[name]?.[0]?.mac)
