import { type ClientRequest, type IncomingMessage, request as requestInClear } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import type { Duration } from '../../base/time.ts'
import type { Http, HttpOutcome, HttpRequest } from '../../ports/http.ts'
import {
  answered,
  type ExchangeContext,
  flatHeaders,
  LOOKUP_TIMEOUT,
  readUpTo,
  unreached,
} from './outcome.ts'
import { lookUp } from '../names/resolve.ts'
import { checkServerIdentity, serverNameOf } from './identity.ts'
import { timeoutSignal } from '../clock/timer.ts'

/**
 * The HTTP port on Node's own client, for update requests: loading undici takes longer than the rest of an update
 * (decision 0021).
 */
export const plainHttp: Http = async (request, signal) =>
  httpExchange(request, signal, {
    options: optionsFor(request),
    context: { url: request.url, isService: true },
  })

/** The connection of a request, and the server that its failures are about. */
interface HttpRoute {
  readonly options: RequestOptions
  readonly context: ExchangeContext
}

/** One exchange over the given route. Never rejects. */
export async function httpExchange(
  request: HttpRequest,
  signal: AbortSignal,
  { options, context }: HttpRoute,
): Promise<HttpOutcome> {
  const deadline = AbortSignal.any([signal, timeoutSignal(request.responseTimeout)])
  if (deadline.aborted) return unreached(deadline.reason, context)
  let client: ClientRequest | undefined
  let progress: Progress | undefined
  const giveUp = (): void => void client?.destroy(deadline.reason as Error)
  deadline.addEventListener('abort', giveUp)
  try {
    client = open(options, request.body)
    progress = trackProgress(client, request.connectTimeout)
    const response = await responseTo(client)
    // Where the end of the connection ends the body, Node reports a reset as a normal end.
    let reset: Error | undefined
    client.on('error', (error: Error) => (reset ??= error))
    const head = { status: response.statusCode ?? 0, headers: flatHeaders(response.headersDistinct) }
    const { text, failure } = await readUpTo(response, request.maxBodyBytes + 1)
    // The same holds for a body that the deadline cuts off.
    const isCut = failure !== undefined || reset !== undefined || deadline.aborted
    const reason = failure ?? reset ?? deadline.reason
    return answered({ ...head, text, ...(isCut && { failure: reason }) }, deadline, context)
  } catch (error) {
    return unreached(error, { ...context, ...progress?.stage })
  } finally {
    progress?.stop()
    deadline.removeEventListener('abort', giveUp)
    client?.destroy()
  }
}

/** Without an agent: after an address change, pooled connections are dead. `Host` is the first field (RFC 9110 §7.2). */
export function optionsFor(request: Omit<HttpRequest, 'body'>): RequestOptions {
  const { url, method = 'GET', headers, family, from, authorities } = request
  const { protocol, host, hostname, port, pathname, search } = new URL(url)
  return {
    method,
    protocol,
    host: hostname.replace(/^\[|\]$/g, ''),
    path: `${pathname}${search}`,
    headers: { host, ...headers },
    agent: false,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes the default.
    rejectUnauthorized: true,
    ...(protocol === 'https:' && { checkServerIdentity, ...serverNameOf(hostname) }),
    lookup: lookUp,
    ...(port !== '' && { port }),
    ...(family !== undefined && { family: family === 'v4' ? 4 : 6 }),
    ...(from !== undefined && { localAddress: from }),
    ...(authorities !== undefined && { ca: authorities }),
  }
}

/** Sends a request. Loads node:https only for https, because it takes time. */
export function open(options: RequestOptions, body?: string): ClientRequest {
  const isSecure = options.protocol === 'https:'
  const make = isSecure ? process.getBuiltinModule('node:https').request : requestInClear
  return make(options).end(body)
}

/** How far a connection has been established. */
interface Progress {
  stage: Pick<ExchangeContext, 'isConnecting' | 'isInHandshake'>
  readonly stop: () => void
}

/**
 * Destroys a request that is not connected within the timeout. The connection of a CONNECT includes the response of the
 * proxy.
 */
export function trackProgress(request: ClientRequest, connectTimeout: Duration): Progress {
  let isLookedUp = isIP(request.host) !== 0
  const expire = (): void => {
    const code = isLookedUp ? 'CONNECT_TIMEOUT' : LOOKUP_TIMEOUT
    request.destroy(
      Object.assign(new Error(isLookedUp ? 'no connection' : 'no name server answered in time'), { code }),
    )
  }
  const timer = setTimeout(expire, connectTimeout)
  const progress: Progress = { stage: { isConnecting: true }, stop: () => clearTimeout(timer) }
  const connected = (): void => {
    progress.stage = {}
    if (request.method !== 'CONNECT') progress.stop()
  }
  request.once('socket', (socket) => {
    socket.once('lookup', () => (isLookedUp = true))
    const isSecure = 'encrypted' in socket
    const startHandshake = (): void => void (progress.stage = { isInHandshake: true })
    if (isSecure && !socket.connecting) startHandshake()
    if (isSecure) socket.once('connect', startHandshake)
    socket.once(isSecure ? 'secureConnect' : 'connect', connected)
  })
  return progress
}

const responseTo = async (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
    // An update service does not switch protocols (RFC 9110 §7.8).
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('the server switched to another protocol'))
    })
  })
