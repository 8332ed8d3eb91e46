import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import { setImmediate } from 'node:timers'
import { parsePeer } from '../../base/address.ts'
import type { DnsHandler, DnsListener, ListenForDns } from '../../ports/dns-listener.ts'

/** In octets: bursts of questions wait there. */
const RECEIVE_BUFFER = 4 * 1024 * 1024
const MAX_CONNECTIONS = 500
/** Datagrams that are answered at a time; more are dropped, and asked again. */
const MAX_DATAGRAMS = 1000
/** In milliseconds: between two requests on a connection (RFC 7766 §6.2.3). */
const IDLE_TIMEOUT = 30_000
/** In milliseconds: for a whole request, from its first octet. */
const MESSAGE_TIMEOUT = 10_000
/** In milliseconds: a peer that takes nothing for so long is cut off. */
const WRITE_TIMEOUT = 60_000
/** In octets: what a connection may send before it has answers. */
const MAX_UNREAD = 65_537
/** Tries to find a port that is free for both protocols. */
const MAX_TRIES = 10

export const listenForDns: ListenForDns = async ({ host, port, tls }, handler) => {
  if (tls !== undefined) return listenForStreams({ host, port, tls }, handler)
  for (let tries = 1; ; tries++) {
    const streams = await listenForStreams({ host, port }, handler)
    const datagrams = await listenForDatagrams({ host, port: streams.port }, handler).catch(
      (error: Error) => error,
    )
    if (!(datagrams instanceof Error)) return bothOf(streams, datagrams)
    await streams.close()
    if (port !== 0 || tries === MAX_TRIES) throw datagrams
  }
}

const bothOf = (streams: DnsListener, datagrams: DnsListener): DnsListener => ({
  host: streams.host,
  port: streams.port,
  setTls: () => undefined,
  close: async () => {
    await Promise.all([streams.close(), datagrams.close()])
  },
})

type Place = Parameters<ListenForDns>[0]

async function listenForDatagrams({ host, port }: Place, handler: DnsHandler): Promise<DnsListener> {
  const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', ipv6Only: host.includes(':') })
  let open = 0
  socket.on('message', (bytes, from) => {
    const peer = parsePeer(from.address)
    // No program has port 0, and an answer to port 53 could be taken for a question by another server.
    if (peer === undefined || from.port === 0 || from.port === 53 || open >= MAX_DATAGRAMS) return
    open++
    const send = async (answer: Uint8Array): Promise<void> => sendDatagram(socket, answer, from)
    void handler({ bytes, peer, isDatagram: true }, send)
      .catch(() => undefined)
      .finally(() => open--)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind({ port, address: host }, () => {
      socket.removeListener('error', reject)
      resolve()
    })
  })
  // ICMP errors of one peer must not end the service.
  socket.on('error', () => undefined)
  enlarge(socket)
  const close = async (): Promise<void> => new Promise((done) => socket.close(() => done()))
  return { host, port, setTls: () => undefined, close }
}

function enlarge(socket: DatagramSocket): void {
  try {
    socket.setRecvBufferSize(RECEIVE_BUFFER)
  } catch {
    // The system allows less; its own size stays.
  }
}

const sendDatagram = async (
  socket: DatagramSocket,
  bytes: Uint8Array,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<void> =>
  new Promise((done) => {
    try {
      socket.send(bytes, port, address, () => done())
    } catch {
      done()
    }
  })

/** RFC 9103 §8.1, RFC 7858 §3.1; the port says what is spoken, so a client need not offer it. */
const TLS_OPTIONS = { minVersion: 'TLSv1.2', ALPNProtocols: ['dot'] } as const
/** Half open: a peer that sends nothing more still gets its answers. */
const STREAM_OPTIONS = { noDelay: true, allowHalfOpen: true } as const

async function listenForStreams({ host, port, tls }: Place, handler: DnsHandler): Promise<DnsListener> {
  const connections = new Map<Socket, Connection>()
  const admit = (socket: Socket): Connection => {
    const connection = { peer: socket.remoteAddress ?? '', isBusy: false }
    connections.set(socket, connection)
    socket.on('close', () => connections.delete(socket))
    if (connections.size > MAX_CONNECTIONS) closeOldest(connections)
    return connection
  }
  const secure = tls && tlsServer(tls, admit, handler)
  const server =
    secure ?? createServer(STREAM_OPTIONS, (socket) => void serve(socket, admit(socket), handler))
  const bound = await listening(server, { host, port })
  return {
    host,
    port: bound,
    setTls: (files) => secure?.setSecureContext({ ...TLS_OPTIONS, ...files }),
    close: async () => {
      for (const socket of connections.keys()) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/**
 * Connections count before their handshake: Node reports them only after it, and never closes a half-open one whose peer has
 * gone.
 */
function tlsServer(
  tls: NonNullable<Place['tls']>,
  admit: (socket: Socket) => Connection,
  handler: DnsHandler,
): TlsServer {
  const shaking = new Map<string, Connection>()
  const placeOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`
  const server = createTlsServer({ ...STREAM_OPTIONS, ...TLS_OPTIONS, ...tls }, (socket) => {
    const connection = shaking.get(placeOf(socket))
    shaking.delete(placeOf(socket))
    if (connection === undefined) socket.destroy()
    else void serve(socket, connection, handler)
  })
  server.on('connection', (socket) => {
    const place = placeOf(socket)
    shaking.set(place, admit(socket))
    const timer = setTimeout(() => shaking.has(place) && socket.destroy(), MESSAGE_TIMEOUT)
    socket.on('close', () => {
      clearTimeout(timer)
      shaking.delete(place)
    })
  })
  return server
}

const listening = async (server: Server, { host, port }: Place): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, ipv6Only: host.includes(':') }, () => {
      server.removeListener('error', reject)
      server.on('error', () => undefined)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })

const nextTurn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Connection {
  readonly peer: string

  /** A request is being answered. */
  isBusy: boolean
}

/**
 * Above the limit the peer with the most connections loses one: its oldest that waits for a request, else its oldest. So one
 * peer cannot keep out the transfers of another.
 */
function closeOldest(connections: ReadonlyMap<Socket, Connection>): void {
  const counts = new Map<string, number>()
  for (const { peer } of connections.values()) counts.set(peer, (counts.get(peer) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const candidates = [...connections].filter(([, { peer }]) => counts.get(peer) === most)
  const [oldest] = candidates.find(([, { isBusy }]) => !isBusy) ?? candidates[0] ?? []
  oldest?.destroy()
}

/** Answers the requests of a connection in their order (RFC 7766 §6.2.1.1). */
async function serve(socket: Socket, connection: Connection, handler: DnsHandler): Promise<void> {
  const peer = parsePeer(socket.remoteAddress ?? '')
  socket.on('error', () => undefined)
  if (peer === undefined) return void socket.destroy()
  socket.setTimeout(IDLE_TIMEOUT)
  socket.on('timeout', () => {
    // A request may wait for its turn, and an answer has its own limit. Node does not restart a timeout that has expired.
    if (connection.isBusy) socket.setTimeout(IDLE_TIMEOUT)
    else socket.destroy()
  })
  const gone = new AbortController()
  socket.on('close', () => gone.abort())
  try {
    for await (const bytes of framed(socket)) {
      connection.isBusy = true
      // Requests that came together must not hold up everything else.
      await nextTurn()
      await handler({ bytes, peer, isDatagram: false }, async (answer) =>
        writeMessage(socket, answer, gone.signal),
      )
      connection.isBusy = false
    }
    socket.end()
  } catch {
    socket.destroy()
  }
}

/** The messages of a stream, each after its length (RFC 1035 §4.2.2). One that has begun must end in time. */
async function* framed(socket: Socket): AsyncIterable<Uint8Array> {
  let buffer = Buffer.alloc(0)
  let timer: ReturnType<typeof setTimeout> | undefined
  socket.once('close', () => clearTimeout(timer))
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    buffer = Buffer.concat([buffer, chunk as Buffer])
    const isWhole = endOfMessage(buffer) <= buffer.length
    if (isWhole) clearTimeout(timer)
    if (isWhole) timer = undefined
    for (let end = endOfMessage(buffer); end <= buffer.length; end = endOfMessage(buffer)) {
      yield buffer.subarray(2, end)
      buffer = buffer.subarray(end)
    }
    if (buffer.length > MAX_UNREAD) throw new Error('more than one message without its end')
    if (buffer.length > 0) timer ??= setTimeout(() => socket.destroy(), MESSAGE_TIMEOUT)
  }
}

/** Infinity while the length is not there yet. */
const endOfMessage = (buffer: Buffer): number => (buffer.length < 2 ? Infinity : 2 + buffer.readUInt16BE(0))

/** Waits while the peer is slower than the service; one that is faster must not hold up everything else either. */
async function writeMessage(socket: Socket, answer: Uint8Array, gone: AbortSignal): Promise<void> {
  if (gone.aborted) throw new Error('the connection is closed')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(answer.length)
  if (socket.write(Buffer.concat([length, answer]))) return nextTurn()
  await new Promise<void>((resolve, reject) => {
    const settle = (act: () => void) => (): void => {
      clearTimeout(timer)
      socket.removeListener('drain', resume)
      gone.removeEventListener('abort', fail)
      act()
    }
    const resume = settle(resolve)
    const fail = settle(() => reject(new Error('the peer takes no more')))
    const timer = setTimeout(fail, WRITE_TIMEOUT)
    socket.on('drain', resume)
    gone.addEventListener('abort', fail)
  })
}
