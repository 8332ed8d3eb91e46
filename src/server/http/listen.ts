import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Address } from '../../net/address.ts'
import { clientAddressOf } from './client-address.ts'
import { type ListenLimits, MAX_BODY_BYTES, MAX_HEADER_BYTES, MAX_URL_BYTES } from './limits.ts'
import type { IncomingRequest, OutgoingResponse } from './request.ts'

export type RequestHandler = (inbound: IncomingRequest) => Promise<OutgoingResponse>

export interface SocketOptions {
  readonly host: string
  readonly port: number
  /** PEM of chain and key; without it, plain http. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

export interface OpenListener {
  /** Base address, with the port that the system picked. */
  readonly url: string
  /** No new connections; what was accepted is answered; what lingers longer than the grace is cut. */
  close(grace: number): Promise<void>
}

/** RFC 7301: a client that offers only HTTP/1.0 would be turned away if we named only 1.1. */
const SPOKEN = ['http/1.1', 'http/1.0']

/** Sockets to requests and answers to sockets, nothing else. Rejects where the address cannot be had. */
export async function listen(
  socketry: SocketOptions,
  limits: ListenLimits,
  trusted: readonly Address[],
  handle: RequestHandler,
): Promise<OpenListener> {
  const { host, port, tls } = socketry
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: limits.requestTimeout,
    headersTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.idleTimeout,
    connectionsCheckingInterval: 1000,
    // Old clients leave the Host header out although they speak HTTP/1.1; any host is ours anyway.
    requireHostHeader: false,
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    void exchange(request, response, trusted, handle).catch(() => request.destroy())
  const server: Server =
    tls === undefined
      ? createServer(options, onRequest)
      : createTlsServer(
          { ...options, ...tls, handshakeTimeout: limits.requestTimeout, ALPNProtocols: SPOKEN },
          onRequest,
        )
  server.maxConnections = limits.maxConnections
  server.on('clientError', refuseGarbage)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  const { port: actual } = server.address() as AddressInfo
  const url = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${actual}`
  return { url, close: async (grace) => closeServer(server, grace) }
}

async function closeServer(server: Server, grace: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), grace)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(cut)
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  trusted: readonly Address[],
  handle: RequestHandler,
): Promise<void> {
  // The client went away; there is nobody to answer. A request without a body has nothing left that can fail.
  response.on('error', destroy)
  if (hasBody(request)) request.on('error', destroy)
  const refusal = refusalOf(request)
  const outbound = refusal ?? (await answered(request, trusted, handle))
  if (outbound.reset) {
    if (request.socket instanceof TLSSocket) request.socket.destroy()
    else request.socket.resetAndDestroy()
    return
  }
  // Content-Length on every reply: there are clients that cannot read chunks.
  const headers: OutgoingHttpHeaders = {
    ...outbound.headers,
    'content-length': Buffer.byteLength(outbound.body),
  }
  if (refusal !== undefined || isTooLong(request)) headers['connection'] = 'close'
  response.writeHead(outbound.status, headers)
  // A text goes out in one piece with the headers before it.
  response.end(outbound.body)
  if (hasBody(request)) drain(request)
}

function destroy(this: Readable | Writable): void {
  this.destroy()
}

/** RFC 9112 §6: a request has a body where one of these headers says so. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

async function answered(
  request: IncomingMessage,
  trusted: readonly Address[],
  handle: RequestHandler,
): Promise<OutgoingResponse> {
  const { url = '/', method = 'GET', headers } = request
  const forwarded = trusted.length === 0 ? undefined : [headers['x-forwarded-for'] ?? []].flat().join(',')
  const peer = clientAddressOf(request.socket.remoteAddress ?? '', forwarded, trusted)
  if (peer === undefined) return { status: 400, headers: {}, body: '' } // gone before it could be asked who it was
  const [path, query] = partsOf(url)
  const body = isSent(request) && !isTooLong(request) ? await bodyOf(request) : undefined
  return handle({
    method,
    path,
    query,
    userAgent: headers['user-agent'],
    authorization: headers.authorization,
    peer,
    ...(headers.origin !== undefined && { origin: headers.origin }),
    ...(headers['content-type'] !== undefined && { contentType: headers['content-type'] }),
    ...(body !== undefined && { body }),
  })
}

/** UTF-8; undefined where it is too large. The rest is read away. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array)
    length += bytes.length
    if (length <= MAX_BODY_BYTES) chunks.push(bytes)
  }
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8')
}

/** RFC 9112 §3.2.2: a proxy's absolute form names the same resource. */
function partsOf(target: string): readonly [path: string, query: string] {
  const own = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const at = own.indexOf('?')
  return at < 0 ? [own, ''] : [own.slice(0, at), own.slice(at + 1)]
}

const isSent = ({ method }: IncomingMessage): boolean => method === 'POST' || method === 'PUT'
const isTooLong = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined && Number(headers['content-length']) > MAX_BODY_BYTES

function refusalOf(request: IncomingMessage): OutgoingResponse | undefined {
  const { url = '' } = request
  const text = { 'content-type': 'text/plain; charset=utf-8' }
  if (url.length > MAX_URL_BYTES)
    return { status: 414, headers: text, body: `the address is longer than ${MAX_URL_BYTES} bytes\n` }
  // What is sent to be read is refused by who would have read it, in its own words.
  return isTooLong(request) && !isSent(request)
    ? { status: 413, headers: text, body: `the body is longer than ${MAX_BODY_BYTES} bytes\n` }
    : undefined
}

/** A body that nobody asked for is read away, up to a point, so that the connection can be used again. */
function drain(request: IncomingMessage): void {
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > MAX_BODY_BYTES) request.destroy()
  })
}

/** What is not HTTP at all. By the codes that Node's parser gives. */
const GARBAGE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

const LINGER = 1000

function refuseGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isGone = error.code === 'ECONNRESET' || !socket.writable || (socket as Socket).bytesWritten > 0
  if (isGone) {
    socket.destroy()
    return
  }
  const body = 'this was not understood as an HTTP request\n'
  const status = GARBAGE[error.code ?? ''] ?? '400 Bad Request'
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Time to read it; then it is over, whatever is still being sent.
  setTimeout(() => socket.destroy(), LINGER).unref()
}
