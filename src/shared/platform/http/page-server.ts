import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PageRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The address of the other side. */
  readonly remote: string
  /** Whether the other side has gone. */
  readonly isGone: () => boolean
}

export interface PageResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Stays open, and gets the events that are sent (Server-Sent Events, HTML §9.2). */
  readonly isStream?: true
}

export type PageHandler = (request: PageRequest) => Promise<PageResponse>

export interface PageServer {
  /** Of the listening socket: the setting may say 0. */
  readonly port: number
  /** Sends one event to each open stream. */
  readonly send: (event: string, data: string) => void
  readonly hasStreams: () => boolean
  readonly close: () => void
}

const MAX_BODY_BYTES = 4096
const MAX_CONNECTIONS = 32
const MAX_STREAMS = 8
const MAX_BUFFERED_BYTES = 1024 * 1024
/** In milliseconds: proxies end connections without traffic, and a reader of comments alone sees none. */
const TICK_INTERVAL = 25_000

/** A small HTTP server for the page. Rejects where it cannot listen. */
export async function servePage(
  at: { readonly host: string; readonly port: number },
  handler: PageHandler,
): Promise<PageServer> {
  const streams = new Set<ServerResponse>()
  const server = createServer(
    {
      maxHeaderSize: 8192,
      requestTimeout: 5000,
      headersTimeout: 5000,
      keepAliveTimeout: 5000,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      void answerPage(request, response, { handler, streams }).catch(() => response.destroy())
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, () => {
      server.off('error', reject)
      server.on('error', () => undefined)
      resolve()
    })
  })
  const ticks = setInterval(() => {
    for (const stream of streams) stream.write('event: tick\ndata:\n\n')
  }, TICK_INTERVAL)
  ticks.unref()
  // The page alone must not hold the process open.
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    hasStreams: () => streams.size > 0,
    send: (event, data) => {
      const text = `event: ${event}\n${data
        .split('\n')
        .map((line) => `data: ${line}\n`)
        .join('')}\n`
      for (const stream of streams) {
        // A reader that does not read gets a new stream when it does.
        if (stream.writableLength > MAX_BUFFERED_BYTES) stream.destroy()
        else stream.write(text)
      }
    },
    close: () => {
      clearInterval(ticks)
      server.close()
      server.closeAllConnections()
    },
  }
}

interface AnswerContext {
  readonly handler: PageHandler
  readonly streams: Set<ServerResponse>
}

async function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  { handler, streams }: AnswerContext,
): Promise<void> {
  response.on('error', () => undefined)
  const { method = '', url = '/', headers, socket } = request
  const { remoteAddress: remote = '' } = socket
  const body = await bodyOf(request)
  const path = url.split('?')[0] ?? '/'
  const answered =
    body === undefined
      ? TOO_LARGE
      : await handler({ method, path, headers, body, remote, isGone: () => socket.destroyed })
  const isFull = answered.isStream === true && streams.size >= MAX_STREAMS
  const {
    status,
    headers: own,
    body: text,
    isStream,
  } = isFull ? { ...answered, status: 503, body: '', isStream: undefined } : answered
  response.writeHead(status, {
    ...own,
    ...(isStream === true ? {} : { 'content-length': Buffer.byteLength(text) }),
  })
  if (isStream !== true || method === 'HEAD') {
    response.end(method === 'HEAD' ? '' : text)
    return
  }
  streams.add(response)
  response.once('close', () => streams.delete(response))
  request.socket.setTimeout(0)
  response.write(text)
}

const TOO_LARGE: PageResponse = { status: 413, headers: { connection: 'close' }, body: '' }

/** Undefined where it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += (chunk as Buffer).length
    if (length > MAX_BODY_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}
