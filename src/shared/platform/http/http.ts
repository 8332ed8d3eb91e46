import type { Socket } from 'node:net'
import { buildConnector, Client } from 'undici'
import { parsePeer } from '../../base/address.ts'
import type { Http, HttpRequest } from '../../ports/http.ts'
import type { SentPacket } from '../../base/sighting.ts'
import { dispatchRequest } from './dispatch.ts'
import { checkServerIdentity, serverNameOf } from './identity.ts'
import { lookUp } from '../names/resolve.ts'

/**
 * The HTTP port on undici, for address sources. One new connection per exchange: after an address change, pooled
 * connections are dead. No retries, redirects or decompression.
 */
export const undiciHttp: Http = async (request, signal) => {
  let sent: SentPacket | undefined
  const client = clientFor(request, (socket) => (sent = packetOf(socket)))
  const outcome = await dispatchRequest(client, request, signal)
  return outcome.kind === 'answered' && sent !== undefined ? { ...outcome, sent } : outcome
}

function packetOf({ localAddress = '', remoteAddress = '', remotePort }: Socket): SentPacket | undefined {
  const [local, remote] = [parsePeer(localAddress), parsePeer(remoteAddress)]
  if (local === undefined || remote === undefined || remotePort === undefined) return undefined
  return { local, remote, protocol: 'tcp', port: remotePort }
}

function clientFor(request: HttpRequest, onConnected: (socket: Socket) => void): Client {
  const { family, from, authorities, connectTimeout, responseTimeout } = request
  const { origin, hostname } = new URL(request.url)
  const connect = buildConnector({
    timeout: connectTimeout,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes the default.
    rejectUnauthorized: true,
    checkServerIdentity,
    ...serverNameOf(hostname),
    lookup: lookUp,
    ...(family !== undefined && { family: family === 'v4' ? 4 : 6 }),
    ...(authorities !== undefined && { ca: authorities }),
    allowH2: false,
  })
  return new Client(origin, {
    allowH2: false,
    pipelining: 0,
    headersTimeout: responseTimeout,
    bodyTimeout: responseTimeout,
    ...(from !== undefined && { localAddress: from }),
    connect: (options, done) =>
      connect(options, (...result) => {
        if (result[0] === null) onConnected(result[1])
        done(...result)
      }),
  })
}
