import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher } from 'undici'
import { parsePeer } from '../../base/address.ts'
import type { Http, HttpOutcome, HttpRequest } from '../../ports/http.ts'
import type { SentPacket } from '../../base/sighting.ts'
import { checkServerIdentity, serverNameOf } from './identity.ts'
import { lookUp } from '../names/resolve.ts'
import { answered, type ExchangeContext, flatHeaders, readUpTo, unreached } from './outcome.ts'
import { timeoutSignal } from '../clock/timer.ts'

/** One exchange through a dispatcher, which is destroyed at the end. */
async function dispatchRequest(
  dispatcher: Dispatcher,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  const context: ExchangeContext = { url: request.url }
  const { origin, pathname, search } = new URL(request.url)
  const deadline = AbortSignal.any([signal, timeoutSignal(request.responseTimeout)])
  // undici observes a signal only after it has connected, so a DNS lookup that hangs would outlast the deadline.
  const giveUp = (): void => void dispatcher.destroy(deadline.reason as Error).catch(() => undefined)
  deadline.addEventListener('abort', giveUp)
  try {
    const response = await dispatcher.request({
      origin,
      method: request.method ?? 'GET',
      ...(request.body !== undefined && { body: request.body }),
      path: `${pathname}${search}`,
      headers: { ...request.headers },
      signal: deadline,
      reset: true,
    })
    const body = await readUpTo(response.body, request.maxBodyBytes + 1)
    const head = { status: response.statusCode, headers: flatHeaders(response.headers) }
    return answered({ ...head, ...body }, deadline, context)
  } catch (error) {
    return unreached(error, context)
  } finally {
    deadline.removeEventListener('abort', giveUp)
    await dispatcher.destroy().catch(() => undefined)
  }
}

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
