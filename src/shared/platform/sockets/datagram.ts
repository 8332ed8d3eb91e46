import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { milliseconds } from '../../base/time.ts'
import { type Address, familyOf, parsePeer } from '../../base/address.ts'
import type { AskByDatagram, DatagramOutcome, DatagramRequest, OpenChannel } from '../../ports/datagram.ts'
import type { ListenToGroup } from '../../ports/network.ts'

/** On a connected socket, which drops datagrams of other peers and reports ICMP errors (udp(7)). */
export const askByDatagram: AskByDatagram = async (request, signal) => {
  if (signal.aborted) return NO_ANSWER
  const socket = createSocket(socketType(request.to))
  try {
    const failure = await openSocket(socket, request)
    return failure ?? (await exchange(socket, request, signal))
  } finally {
    closeSocket(socket)
  }
}

const NO_ANSWER = { kind: 'silent' } as const

/** Closes a socket that may be closed already. */
function closeSocket(socket: Socket): void {
  try {
    socket.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SOCKET_DGRAM_NOT_RUNNING') throw error
  }
}

const socketType = (to: Address): 'udp4' | 'udp6' => (familyOf(to) === 'v4' ? 'udp4' : 'udp6')

/**
 * Opens the socket with the first request, and a new one after a failure, because the route may have changed. Closing
 * the channel ends a pending request without an answer.
 */
export const openChannel: OpenChannel = (to, port) => {
  let current: Socket | undefined
  const close = (): void => {
    if (current !== undefined) closeSocket(current)
    current = undefined
  }
  return {
    close,
    ask: async (request, signal) => {
      if (signal.aborted) return NO_ANSWER
      const isNew = current === undefined
      const socket = current ?? createSocket(socketType(to))
      current = socket
      const failure = isNew ? await openSocket(socket, { ...request, to, port }) : undefined
      const outcome = failure ?? (await exchange(socket, request, signal))
      const isBroken = outcome.kind === 'failed' || outcome.kind === 'refused'
      // Another request may have opened a new socket since.
      if (isBroken && current === socket) close()
      return outcome
    },
  }
}

/** Binds and connects the socket. Resolves to undefined, or to the failure. */
async function openSocket(
  socket: Socket,
  { to, port, from, answeredBy, hops }: DatagramRequest,
): Promise<DatagramOutcome | undefined> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({ kind: 'failed', because: error.code ?? error.message })
    // Every call on a socket that was closed since throws.
    const guarded = (step: () => void) => (): void => {
      try {
        step()
      } catch (error) {
        fail(error as NodeJS.ErrnoException)
      }
    }
    const ready = guarded(() => {
      socket.removeListener('error', fail)
      if (hops !== undefined) socket.setTTL(hops)
      resolve(undefined)
    })
    // Without a route, the callback gets the error, and there is no 'error' event (socket.connect).
    const connect = guarded(() =>
      socket.connect(port, to, (error?: Error) => (error === undefined ? ready() : fail(error))),
    )
    socket.on('error', fail)
    // A socket that is closed while it opens neither connects nor fails.
    socket.once('close', () => resolve(NO_ANSWER))
    const local = { port: 0, ...(from !== undefined && { address: from }) }
    guarded(() => socket.bind(local, answeredBy === undefined ? connect : ready))()
  })
}

/** Sends the request on an open socket, and again at the given times, until the answer, an error or the timeout. */
async function exchange(
  socket: Socket,
  request: DatagramRequest,
  signal: AbortSignal,
): Promise<DatagramOutcome> {
  const start = performance.now()
  const took = () => milliseconds(performance.now() - start)
  let sent = 0
  return new Promise((resolve) => {
    const finish = (outcome: DatagramOutcome): void => {
      for (const timer of timers) clearTimeout(timer)
      socket.removeListener('error', fail)
      // Without a listener, Node throws errors of a channel between two requests.
      socket.on('error', () => undefined)
      socket.removeListener('message', receive)
      socket.removeListener('close', giveUp)
      signal.removeEventListener('abort', giveUp)
      resolve(outcome)
    }
    const giveUp = (): void => finish(NO_ANSWER)
    const fail = ({ code, message }: NodeJS.ErrnoException): void =>
      finish(
        code === 'ECONNREFUSED'
          ? { kind: 'refused', took: took() }
          : { kind: 'failed', because: code ?? message },
      )
    const receive = (message: Buffer, from: RemoteInfo): void => {
      if (request.answeredBy !== undefined && parsePeer(from.address) !== request.answeredBy) return
      if (request.isAnswer(message))
        finish({ kind: 'answered', bytes: message, took: took(), sent, ...localOf(socket, request) })
    }
    // A firewall of this host; without a callback, Node drops the error.
    const refusedHere = (error: NodeJS.ErrnoException | null): void => {
      if (error?.code === 'EPERM') fail(error)
    }
    const send = (): void => {
      sent++
      try {
        transmit(socket, request, refusedHere)
      } catch (error) {
        fail(error as NodeJS.ErrnoException)
      }
    }
    const timers = [
      ...request.again.map((span) => setTimeout(send, span)),
      setTimeout(giveUp, request.timeout),
    ]
    socket.removeAllListeners('error')
    socket.on('error', fail)
    socket.on('message', receive)
    socket.on('close', giveUp)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    else send()
  })
}

/** Of a connected socket: only its address is the one of a route (udp(7)). */
function localOf(socket: Socket, { answeredBy }: DatagramRequest): { readonly local?: Address } {
  const local = answeredBy === undefined ? parsePeer(socket.address().address) : undefined
  return local === undefined ? {} : { local }
}

/** A socket for a multicast request is not connected, so that it accepts answers of single hosts. */
function transmit(
  socket: Socket,
  { to, port, bytes, answeredBy }: DatagramRequest,
  onSent: (error: Error | null) => void,
): void {
  if (answeredBy === undefined) socket.send(bytes, onSent)
  else socket.send(bytes, port, to, onSent)
}

/** Shares the port with other listeners. Undefined where one of them is exclusive, or the system refuses the membership. */
export const listenToGroup: ListenToGroup = async ({ group, port, local }, onDatagram) =>
  new Promise((resolve) => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true })
    const fail = (): void => {
      socket.close()
      resolve(undefined)
    }
    socket.on('error', fail)
    socket.on('message', (bytes, from) => {
      const address = parsePeer(from.address)
      if (address !== undefined) onDatagram(bytes, address, from.port)
    })
    socket.bind(port, group, () => {
      try {
        socket.addMembership(group, local)
      } catch {
        return fail()
      }
      socket.removeAllListeners('error')
      socket.on('error', () => undefined)
      socket.unref()
      resolve({ close: () => socket.close() })
    })
  })
