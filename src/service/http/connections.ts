import type { Server as NetServer, Socket } from 'node:net'
import { parsePeer } from '../../shared/base/address.ts'
import { isWithin, type Prefix } from '../../shared/base/prefix.ts'
import { shareOf } from '../../shared/base/network.ts'

/** In milliseconds: a connection that sends nothing at all ends earlier than one that sends slowly. */
const FIRST_BYTE_TIMEOUT = 5000

export interface ConnectionLimits {
  readonly maxConnectionsPerNetwork: number
  readonly trustedProxies: readonly Prefix[]
}

/**
 * Gives each network (/24, /48) its share of the connections, so that one of them cannot take all. Trusted proxies have no
 * limit: their connections are those of many clients.
 */
export function shareConnections(server: NetServer, limits: () => ConnectionLimits): void {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const peer = parsePeer(socket.remoteAddress ?? '')
    const { maxConnectionsPerNetwork, trustedProxies } = limits()
    if (peer === undefined || trustedProxies.some((range) => isWithin(peer, range))) return
    const network = shareOf(peer)
    const count = (counts.get(network) ?? 0) + 1
    if (count > maxConnectionsPerNetwork) {
      socket.destroy()
      return
    }
    counts.set(network, count)
    const timer = setTimeout(() => socket.bytesRead === 0 && socket.destroy(), FIRST_BYTE_TIMEOUT).unref()
    socket.on('close', () => {
      clearTimeout(timer)
      const left = (counts.get(network) ?? 1) - 1
      if (left === 0) counts.delete(network)
      else counts.set(network, left)
    })
  })
}
