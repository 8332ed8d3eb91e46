import { type ClientRequest, type IncomingMessage, request as requestInClear } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import type { Duration } from '../base/time.ts'
import type { Http, HttpOutcome, HttpRequest } from '../ports/http.ts'
import { answered, type ExchangeContext, flat, LOOKUP_TIMEOUT, readUpTo, unreached } from './http-outcome.ts'
import { lookUp } from './resolve.ts'

/**
 * The port on Node's own client: for the update itself, which every start of the program sends. undici takes longer to
 * load than all the rest of an update (decision 0021).
 */
export const plainHttp: Http = async (request, signal) =>
  exchanged(request, signal, {
    options: optionsFor(request),
    about: { url: request.url, isService: true },
  })

/** Over which connection a request goes, and whom its failures are about. */
export interface HttpRoute {
  readonly options: RequestOptions
  readonly about: ExchangeContext
}

export async function exchanged(
  request: HttpRequest,
  signal: AbortSignal,
  { options, about }: HttpRoute,
): Promise<HttpOutcome> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(request.responseTimeout)])
  if (deadline.aborted) return unreached(deadline.reason, about)
  let exchange: ClientRequest | undefined
  let progress: Progress | undefined
  const giveUp = (): void => void exchange?.destroy(deadline.reason as Error)
  deadline.addEventListener('abort', giveUp)
  try {
    exchange = open(options, request.body)
    progress = follow(exchange, request.connectTimeout)
    const response = await responseTo(exchange)
    // A reset looks like the end of an answer that has no other end: what came before it may be half of it.
    let broken: Error | undefined
    exchange.on('error', (error: Error) => (broken ??= error))
    const head = { status: response.statusCode ?? 0, headers: flat(response.headersDistinct) }
    const { text, failure } = await readUpTo(response, request.maxBodyBytes + 1)
    // Where the end of the connection is the end of the answer, one that we broke off looks whole.
    const isBroken = failure !== undefined || broken !== undefined || deadline.aborted
    const reason = failure ?? broken ?? deadline.reason
    return answered(head, { text, ...(isBroken && { failure: reason }) }, deadline, about)
  } catch (error) {
    return unreached(error, { ...about, ...progress?.stage })
  } finally {
    progress?.stop()
    deadline.removeEventListener('abort', giveUp)
    exchange?.destroy()
  }
}

/** A connection of its own: after a change of address a pooled one is dead. */
export function optionsFor(request: Omit<HttpRequest, 'body'>): RequestOptions {
  const { url, method = 'GET', headers, family, from, authorities } = request
  const { protocol, hostname, port, pathname, search } = new URL(url)
  return {
    method,
    protocol,
    host: hostname.replace(/^\[|\]$/g, ''),
    path: `${pathname}${search}`,
    headers,
    agent: false,
    // Written out: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes only the default.
    rejectUnauthorized: true,
    lookup: lookUp,
    ...(port !== '' && { port }),
    ...(family !== undefined && { family: family === 'v4' ? 4 : 6 }),
    ...(from !== undefined && { localAddress: from }),
    ...(authorities !== undefined && { ca: authorities }),
  }
}

export function open(options: RequestOptions, body?: string): ClientRequest {
  // What TLS needs is loaded for TLS alone.
  const isSecure = options.protocol === 'https:'
  const make = isSecure ? process.getBuiltinModule('node:https').request : requestInClear
  return make(options).end(body)
}

/** How far a connection has come. */
export interface Progress {
  stage: Pick<ExchangeContext, 'isConnecting' | 'isInHandshake'>
  readonly stop: () => void
}

/** Ends an exchange that has no connection in time; that of a CONNECT is there when the proxy has answered. */
export function follow(exchange: ClientRequest, connectTimeout: Duration): Progress {
  let isLookedUp = isIP(exchange.host) !== 0
  const late = (): void => {
    const code = isLookedUp ? 'CONNECT_TIMEOUT' : LOOKUP_TIMEOUT
    exchange.destroy(
      Object.assign(new Error(isLookedUp ? 'no connection' : 'no name server answered in time'), { code }),
    )
  }
  const patience = setTimeout(late, connectTimeout)
  const progress: Progress = { stage: { isConnecting: true }, stop: () => clearTimeout(patience) }
  const isThere = (): void => {
    progress.stage = {}
    if (exchange.method !== 'CONNECT') progress.stop()
  }
  exchange.once('socket', (socket) => {
    socket.once('lookup', () => (isLookedUp = true))
    const isSecure = 'encrypted' in socket
    const begin = (): void => void (progress.stage = { isInHandshake: true })
    if (isSecure && !socket.connecting) begin()
    if (isSecure) socket.once('connect', begin)
    socket.once(isSecure ? 'secureConnect' : 'connect', isThere)
  })
  return progress
}

const responseTo = async (exchange: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    exchange.once('response', resolve)
    exchange.once('error', reject)
    // A service that changes protocols in the middle is no update service (RFC 9110 §7.8).
    exchange.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('the other side wants another protocol'))
    })
  })
