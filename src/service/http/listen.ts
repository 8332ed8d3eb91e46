import type { TlsFiles } from '../../shared/ports/dns-listener.ts'
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { createSecureContext, type Server as TlsServer, TLSSocket } from 'node:tls'
import type { Address } from '../../shared/base/address.ts'
import { isWithin } from '../../shared/base/prefix.ts'
import { bodyOf, drain, hasBody, isTooLong, longBodyOf, targetParts } from './body.ts'
import { type ClientHeader, cameInClear, originOf } from './client-address.ts'
import { type ConnectionLimits, shareConnections } from './connections.ts'
import { type ListenLimits, longBodyLimit, MAX_HEADER_BYTES, MAX_URL_BYTES } from './limits.ts'
import type { IncomingRequest, OutgoingResponse } from './request.ts'

export type RequestHandler = (request: IncomingRequest) => Promise<OutgoingResponse>

export interface SocketOptions {
  readonly host: string
  readonly port: number
  /** PEM of chain and key; without it, plain http. */
  readonly tls?: TlsFiles
  /** A socket that listens already, as systemd passes it; host and port are then those of this socket. */
  readonly fd?: number
}

export interface OpenListener {
  /** Base URL, with the port that the system assigned. */
  readonly url: string
  /** Open connections. */
  connections(): Promise<number>
  /** Uses another certificate for new connections; throws for a pair that does not fit, and keeps the old one. */
  setTls(pem: TlsFiles): void
  /** Accepts no connections any more, finishes open requests, and closes what remains after `grace` milliseconds. */
  close(grace: number): Promise<void>
}

/** RFC 7301: without HTTP/1.0 in the list, the handshake of a client that offers only this fails. */
const ALPN_PROTOCOLS = ['http/1.1', 'http/1.0']

export interface ListenSettings extends ListenLimits, ConnectionLimits {
  /** The only header in which the address of a client is believed. */
  readonly clientHeader: ClientHeader
  /** A peer that is no trusted proxy sends that header, which is ignored. */
  readonly onUntrustedProxy?: (peer: Address) => void
  readonly onConnection?: () => void
}

/** Parses requests from sockets and writes responses to them. Rejects if it cannot listen on the address. */
export async function listen(
  socket: SocketOptions,
  current: () => ListenSettings,
  handle: RequestHandler,
): Promise<OpenListener> {
  const { tls } = socket
  const settings = current()
  const stopping = new AbortController()
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: settings.requestTimeout,
    headersTimeout: settings.requestTimeout,
    keepAliveTimeout: settings.idleTimeout,
    connectionsCheckingInterval: 1000,
    // Some clients use HTTP/1.1 without a Host header. This server does not need it.
    requireHostHeader: false,
  }
  const handleMessage = async (message: IncomingMessage): Promise<OutgoingResponse> =>
    answer(message, current(), handle)
  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    void exchange(request, response, { handle: handleMessage, stopping: stopping.signal }).catch(() =>
      request.destroy(),
    )
  const server: Server =
    tls === undefined
      ? createServer(options, onRequest)
      : createTlsServer(
          { ...options, ...tls, handshakeTimeout: settings.requestTimeout, ALPNProtocols: ALPN_PROTOCOLS },
          onRequest,
        )
  server.maxConnections = settings.maxConnections
  if (settings.onConnection !== undefined) server.on('connection', settings.onConnection)
  shareConnections(server, current)
  server.on('clientError', answerParseError)
  const url = `${tls === undefined ? 'http' : 'https'}://${await openSocket(server, socket)}`
  return {
    url,
    connections: async () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    setTls: (pem) => {
      if (tls === undefined) return
      // Throws before anything is changed.
      createSecureContext(pem)
      ;(server as unknown as TlsServer).setSecureContext(pem)
    },
    close: async (grace) => {
      stopping.abort()
      await closeServer(server, grace)
    },
  }
}

/** Resolves with host and port, as in a URL. */
async function openSocket(server: Server, { host, port, fd }: SocketOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(fd === undefined ? { port, host } : { fd }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  const assigned = server.address() as AddressInfo
  const shownHost = fd === undefined ? host : assigned.address
  return `${shownHost.includes(':') ? `[${shownHost}]` : shownHost}:${assigned.port}`
}

/** In milliseconds: in this time a kept connection sends its next request, whose response has `Connection: close`. */
const IDLE_GRACE = 500

/** Does not close idle connections at once, as `Server.close` of node:http does: a request may be under way on them. */
async function closeServer(server: Server, grace: number): Promise<void> {
  const timers = [
    setTimeout(() => server.closeIdleConnections(), Math.min(grace, IDLE_GRACE)),
    setTimeout(() => server.closeAllConnections(), grace),
  ]
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  for (const timer of timers) clearTimeout(timer)
}

interface Exchange {
  readonly handle: (request: IncomingMessage) => Promise<OutgoingResponse>
  /** The listener closes: the response is the last one of its connection (RFC 9112 §9.6). */
  readonly stopping: AbortSignal
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  { handle, stopping }: Exchange,
): Promise<void> {
  // The client may disconnect at any time; without a listener Node throws the error. A request without a body emits none.
  response.on('error', destroy)
  if (hasBody(request)) request.on('error', destroy)
  const rejection = rejectionOf(request)
  const outgoing = rejection ?? (await handle(request))
  if (outgoing.reset) {
    if (request.socket instanceof TLSSocket) request.socket.destroy()
    else request.socket.resetAndDestroy()
    return
  }
  // Content-Length on every response: some clients cannot read chunked bodies.
  const headers: OutgoingHttpHeaders = {
    ...outgoing.headers,
    'content-length': Buffer.byteLength(outgoing.body),
  }
  if (rejection !== undefined || isTooLong(request) || stopping.aborted) headers['connection'] = 'close'
  response.writeHead(outgoing.status, headers)
  // `end` with a string sends headers and body in one packet.
  response.end(outgoing.body)
  if (hasBody(request)) drain(request)
}

function destroy(this: Readable | Writable): void {
  this.destroy()
}

async function answer(
  request: IncomingMessage,
  { trustedProxies, onUntrustedProxy, clientHeader }: ListenSettings,
  handle: RequestHandler,
): Promise<OutgoingResponse> {
  const { url = '/', method = 'GET', headers } = request
  const lines = headers[clientHeader]
  const list = typeof lines === 'string' ? lines : lines?.join(',')
  const forwarded = { header: clientHeader, text: list }
  const origin = originOf(request.socket.remoteAddress ?? '', forwarded, trustedProxies)
  if (origin === undefined) return { status: 400, headers: {}, body: '' } // the client has disconnected
  const isIgnored = list !== undefined && !trustedProxies.some((range) => isWithin(origin.peer, range))
  if (isIgnored && request.socket.remoteAddress === origin.peer) onUntrustedProxy?.(origin.peer)
  const [path, query] = targetParts(url)
  const longLimit = longBodyLimit(method, path)
  const isRead = isWrite(request) && longLimit === undefined && !isTooLong(request)
  const body = isRead ? await bodyOf(request) : undefined
  return handle({
    method,
    path,
    query,
    userAgent: headers['user-agent'],
    authorization: headers.authorization,
    isGone: () => request.socket.destroyed || request.socket.readableEnded,
    ...origin,
    ...hostField(url, headers.host),
    ...(isTooLong(request) && !isWrite(request) && { hasLongBody: true as const }),
    ...(headers.host === undefined && request.httpVersion === '1.1' && { lacksHost: true as const }),
    ...('encrypted' in request.socket
      ? { isTls: true }
      : cameInClear(request.socket.remoteAddress ?? '', schemeOf(request), trustedProxies) && {
          isClear: true,
        }),
    ...(headers.origin !== undefined && { origin: headers.origin }),
    ...(typeof headers['sec-fetch-site'] === 'string' && { fetchSite: headers['sec-fetch-site'] }),
    ...(headers.cookie !== undefined && { cookie: headers.cookie }),
    ...(headers['accept-language'] !== undefined && { acceptLanguage: headers['accept-language'] }),
    ...(headers['content-type'] !== undefined && { contentType: headers['content-type'] }),
    ...(headers['if-match'] !== undefined && { ifMatch: headers['if-match'] }),
    ...(headers['if-none-match'] !== undefined && { ifNoneMatch: headers['if-none-match'] }),
    ...(body !== undefined && { body }),
    ...(longLimit !== undefined && { readLong: async () => longBodyOf(request, longLimit) }),
  })
}

/** What the first of several proxies says. */
const schemeOf = ({ headers }: IncomingMessage): string | undefined =>
  [headers['x-forwarded-proto'] ?? []].flat()[0]?.split(',')[0]?.trim()

/** RFC 9112 §3.2.2: the host of the absolute form, else of the header. */
function hostField(target: string, header: string | undefined): Pick<IncomingRequest, 'host'> {
  const [, host = header] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? []
  return host === undefined ? {} : { host }
}

const isWrite = ({ method }: IncomingMessage): boolean => ['POST', 'PUT', 'PATCH'].includes(method ?? '')
function rejectionOf(request: IncomingMessage): OutgoingResponse | undefined {
  const { url = '' } = request
  const text = { 'content-type': 'text/plain; charset=utf-8' }
  if (url.length > MAX_URL_BYTES)
    return { status: 414, headers: text, body: `the URL is longer than ${MAX_URL_BYTES} bytes\n` }
  if (request.httpVersionMajor !== 1)
    return { status: 505, headers: text, body: 'only HTTP/1.0 and HTTP/1.1 are supported\n' }
  // RFC 9112 §3.2, RFC 9110 §5.3: a proxy and this service could each go by another one.
  const twice = ONCE.find((name) => countOf(request, name) > 1)
  if (twice !== undefined)
    return { status: 400, headers: text, body: `the request has more than one ${twice} header\n` }
  return undefined
}

const ONCE = ['Host', 'Authorization', 'User-Agent'] as const

/** Node keeps the first of them alone in `headers`; names and values alternate here. */
const countOf = ({ rawHeaders }: IncomingMessage, wanted: (typeof ONCE)[number]): number => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === wanted.length && name.toLowerCase() === wanted.toLowerCase()) count++
  }
  return count
}

/** Status lines by the error codes of Node's HTTP parser; any other is 400. */
const PARSE_ERRORS: Readonly<Record<string, readonly [status: string, body: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `the headers are longer than ${MAX_HEADER_BYTES} bytes\n`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not arrive in time\n'],
}
const NOT_HTTP = ['400 Bad Request', 'this is not a valid HTTP request\n'] as const

const LINGER_MS = 1000

function answerParseError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isGone = error.code === 'ECONNRESET' || !socket.writable || (socket as Socket).bytesWritten > 0
  if (isGone) {
    socket.destroy()
    return
  }
  const [status, body] = PARSE_ERRORS[error.code ?? ''] ?? NOT_HTTP
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Gives the client time to read the response; then closes the connection although it may still send.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
