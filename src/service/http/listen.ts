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
import { type Address, parsePeer } from '../../shared/base/address.ts'
import { isWithin, type Prefix } from '../../shared/base/prefix.ts'
import type { IncomingRequest, OutgoingResponse } from './request.ts'
import { shareOf } from '../../shared/base/network.ts'
import { specialRangeOf } from '../../shared/base/special.ts'
import { isUtf8 } from 'node:buffer'
import type { Duration } from '../../shared/base/time.ts'

/** Twenty hostnames with addresses take 2 KiB; some clients send a thousand in one request. */
const MAX_HEADER_BYTES = 64 * 1024
const MAX_URL_BYTES = 48 * 1024
export const MAX_BODY_BYTES = 256 * 1024

/** Bodies with a limit of their own. They are read after the credentials, so that only accounts use so much memory. */
const LONG_BODIES = [
  { method: 'POST', path: /^\/v1\/dns\/zones\/[^/]+\/import\/?$/, bytes: 4 * 1024 * 1024 },
  // A zone file of 1 MiB, as a form has it.
  { method: 'POST', path: /^\/console\/zones\/[^/]+\/import(?:\/\w+)?$/, bytes: 4 * 1024 * 1024 },
] as const

/** The limit of such a body; undefined for any other request. */
const longBodyLimit = (method: string, path: string): number | undefined =>
  LONG_BODIES.find((one) => one.method === method && one.path.test(path))?.bytes

interface ListenLimits {
  readonly maxConnections: number
  /** For the whole request to arrive. */
  readonly requestTimeout: Duration
  readonly idleTimeout: Duration
}

/** RFC 9112 §3.2.2: the absolute form, which proxies send, is the same resource. */
function targetParts(target: string): readonly [path: string, query: string] {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const at = origin.indexOf('?')
  return at < 0 ? [origin, ''] : [origin.slice(0, at), origin.slice(at + 1)]
}

/** RFC 9112 §6: one of these headers signals a body. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

const limitOf = ({ method = '', url = '' }: IncomingMessage): number =>
  longBodyLimit(method, targetParts(url)[0]) ?? MAX_BODY_BYTES
const isTooLong = (request: IncomingMessage): boolean =>
  Number(request.headers['content-length'] ?? 0) > limitOf(request)

/** RFC 8259 §8.1: JSON is UTF-8. Other octets become a text that is no JSON, so that none is replaced silently. */
const textOf = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString('utf8') : '\ufffd')

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts = await partsOfBody(request, MAX_BODY_BYTES)
  return parts && textOf(Buffer.concat(parts))
}

/** Undefined if it is too large. The rest is read and discarded. */
async function partsOfBody(
  request: IncomingMessage,
  limit: number,
): Promise<readonly Uint8Array[] | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array)
    length += bytes.length
    if (length <= limit) parts.push(bytes)
  }
  return length > limit ? undefined : parts
}

const longBodyOf = async (
  request: IncomingMessage,
  limit: number,
): Promise<readonly Uint8Array[] | undefined> =>
  // Without a client there is no response.
  isTooLong(request) ? undefined : partsOfBody(request, limit).catch(() => undefined)

/** Discards an unused body, up to a limit, so that the connection can be reused. */
function drain(request: IncomingMessage, limit: number = limitOf(request)): void {
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > limit) request.destroy()
  })
}

/** Of a body that is refused. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024

/**
 * Sends the last response of a connection, and closes it after the body of the request. Closed before, with octets that
 * nobody has read, the connection would be reset, and many clients would see no response (RFC 9112 §9.6).
 */
async function closeAfterBody(
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  if (body === '' || request.method === 'HEAD') response.flushHeaders()
  else response.write(body)
  drain(request, MAX_DRAINED_BYTES)
  await new Promise<void>((resolve) => request.once('end', resolve).once('close', resolve))
  response.end()
}

/** The sender of a request, from the connection and its headers. */
interface RequestOrigin {
  /** The client; or the last trusted proxy, if it does not name the client. */
  readonly peer: Address
  /** The address is that of a proxy: it is not published, and nothing is counted against it. */
  readonly isProxy: boolean
}

/** Each with what it lists. A proxy sets one of them, and passes on what the client writes into the other. */
const CLIENT_HEADERS = {
  'x-forwarded-for': (text: string): readonly string[] => text.split(','),
  /** RFC 7239 §4: the values of "for", in order. */
  forwarded: (text: string): readonly string[] =>
    text.split(',').map((element) => /(?:^|;)\s*for\s*=\s*"?([^";,]*)"?/i.exec(element)?.[1] ?? ''),
} as const
type ClientHeader = keyof typeof CLIENT_HEADERS

/** The header in which proxies say who the client is, as it came. */
interface ForwardedBy {
  readonly header: ClientHeader
  readonly text: string | undefined
}

/**
 * The address of the connection; behind trusted proxies, the last one of the list that is not a trusted proxy.
 * Undefined for a connection that is closed.
 */
export function originOf(
  remote: string,
  { header, text = '' }: ForwardedBy,
  trusted: readonly Prefix[],
): RequestOrigin | undefined {
  const connected = parsePeer(remote)
  if (connected === undefined) return undefined
  const isTrusted = (address: Address): boolean => trusted.some((range) => isWithin(address, range))
  let peer = connected
  for (const hop of CLIENT_HEADERS[header](text)
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .toReversed()) {
    const address = isTrusted(peer) ? addressOfHop(hop) : undefined
    if (address === undefined) break
    peer = address
  }
  return { peer, isProxy: isTrusted(peer) }
}

/**
 * Whether others can read the request on its way to this host. What a proxy says of the scheme is believed from anyone:
 * no browser sends it.
 */
export const cameInClear = (
  remote: string,
  scheme: string | undefined,
  trusted: readonly Prefix[],
): boolean => {
  const connected = parsePeer(remote)
  if (connected === undefined || scheme === 'https' || specialRangeOf(connected) === 'loopback') return false
  return !trusted.some((range) => isWithin(connected, range))
}

/** Some proxies add the port: "203.0.113.9:4444", "[2001:db8::1]:80". */
function addressOfHop(hop: string): Address | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  return parsePeer(bracketed ?? plain ?? hop)
}

/** In milliseconds: a connection that sends nothing at all ends earlier than one that sends slowly. */
const FIRST_BYTE_TIMEOUT = 5000

interface ConnectionLimits {
  readonly maxConnectionsPerNetwork: number
  readonly trustedProxies: readonly Prefix[]
}

/**
 * Gives each network (/24, /48) its share of the connections, so that one of them cannot take all. Trusted proxies have no
 * limit: their connections are those of many clients.
 */
function shareConnections(server: NetServer, limits: () => ConnectionLimits): void {
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
  // A chunked body has no known length before its end.
  const isOpenEnded = request.headers['transfer-encoding'] !== undefined && !request.complete
  const isLast = rejection !== undefined || isTooLong(request) || isOpenEnded || stopping.aborted
  if (isLast) headers['connection'] = 'close'
  response.writeHead(outgoing.status, headers)
  if (isLast && hasBody(request) && !request.complete) return closeAfterBody(request, response, outgoing.body)
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
  const body = isRead ? await readBody(request) : undefined
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
    ...(headers['content-encoding'] !== undefined && { contentEncoding: headers['content-encoding'] }),
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
