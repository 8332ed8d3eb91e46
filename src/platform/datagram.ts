import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { milliseconds } from '../base/time.ts'
import { type Address, familyOf, parsePeer } from '../net/address.ts'
import type { AskByDatagram, DatagramOutcome, DatagramRequest, OpenChannel } from '../ports/datagram.ts'
import type { ListenToGroup } from '../ports/network.ts'

/** A connected socket drops what strangers send, and hears that nobody listens (udp(7)). */
export const askByDatagram: AskByDatagram = async (question, signal) => {
  if (signal.aborted) return { kind: 'silent' }
  const socket = createSocket(kindOf(question.to))
  try {
    const failure = await opened(socket, question)
    return failure ?? (await exchange(socket, question, signal))
  } finally {
    closeQuietly(socket)
  }
}

/** One that is closed already throws. */
function closeQuietly(socket: Socket): void {
  try {
    socket.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SOCKET_DGRAM_NOT_RUNNING') throw error
  }
}

const kindOf = (to: Address): 'udp4' | 'udp6' => (familyOf(to) === 'v4' ? 'udp4' : 'udp6')

/**
 * Opened at the first question, and again after a failure: the way may be another by then. Closing it ends the question that
 * is under way, as one that stays without an answer.
 */
export const openChannel: OpenChannel = (to, port) => {
  let socket: Socket | undefined
  const close = (): void => {
    if (socket !== undefined) closeQuietly(socket)
    socket = undefined
  }
  return {
    close,
    ask: async (question, signal) => {
      if (signal.aborted) return { kind: 'silent' }
      const isNew = socket === undefined
      const open = socket ?? createSocket(kindOf(to))
      socket = open
      const failure = isNew ? await opened(open, { ...question, to, port }) : undefined
      const outcome = failure ?? (await exchange(open, question, signal))
      const isBroken = outcome.kind === 'failed' || outcome.kind === 'refused'
      // Another question may have opened a new one meanwhile.
      if (isBroken && socket === open) close()
      return outcome
    },
  }
}

/** Bound and connected; or what was in the way. */
async function opened(
  socket: Socket,
  { to, port, from, answeredBy, hops }: DatagramRequest,
): Promise<DatagramOutcome | undefined> {
  return new Promise((done) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      done({ kind: 'failed', because: error.code ?? error.message })
    // A socket that is closed meanwhile throws at each call.
    const tried = (step: () => void) => (): void => {
      try {
        step()
      } catch (error) {
        fail(error as NodeJS.ErrnoException)
      }
    }
    const begin = tried(() => {
      socket.removeListener('error', fail)
      if (hops !== undefined) socket.setTTL(hops)
      done(undefined)
    })
    // Where there is no way, the callback gets the error, and no event comes (socket.connect).
    const connect = tried(() =>
      socket.connect(port, to, (error?: Error) => (error === undefined ? begin() : fail(error))),
    )
    socket.on('error', fail)
    // Closed while it is being opened, it neither connects nor fails.
    socket.once('close', () => done({ kind: 'silent' }))
    tried(() =>
      socket.bind(
        { port: 0, ...(from !== undefined && { address: from }) },
        answeredBy === undefined ? connect : begin,
      ),
    )()
  })
}

async function exchange(
  socket: Socket,
  question: DatagramRequest,
  signal: AbortSignal,
): Promise<DatagramOutcome> {
  const { to, port, bytes, again, timeout, answeredBy, isAnswer } = question
  const timers: NodeJS.Timeout[] = []
  const start = performance.now()
  const took = () => milliseconds(performance.now() - start)
  let sent = 0
  let stop = (): void => undefined
  const outcome = await new Promise<DatagramOutcome>((done) => {
    const send = (): void => {
      sent++
      try {
        if (answeredBy === undefined) socket.send(bytes)
        else socket.send(bytes, port, to)
      } catch (error) {
        fail(error as NodeJS.ErrnoException)
      }
    }
    const giveUp = (): void => done({ kind: 'silent' })
    const fail = (error: NodeJS.ErrnoException): void =>
      done(
        error.code === 'ECONNREFUSED'
          ? { kind: 'refused', took: took() }
          : { kind: 'failed', because: error.code ?? error.message },
      )
    const hear = (message: Buffer, from: RemoteInfo): void => {
      if (answeredBy !== undefined && parsePeer(from.address) !== answeredBy) return
      if (isAnswer(message)) done({ kind: 'answered', bytes: message, took: took(), sent })
    }
    stop = () => {
      socket.removeListener('error', fail)
      socket.on('error', () => undefined)
      socket.removeListener('message', hear)
      socket.removeListener('close', giveUp)
      signal.removeEventListener('abort', giveUp)
    }
    socket.removeAllListeners('error')
    socket.on('error', fail)
    socket.on('message', hear)
    socket.on('close', giveUp)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) return giveUp()
    send()
    for (const span of again) timers.push(setTimeout(send, span))
    timers.push(setTimeout(giveUp, timeout))
  })
  stop()
  for (const timer of timers) clearTimeout(timer)
  return outcome
}

/** Others may listen beside us; an exclusive listener, or a system that does not let us, leaves us without. */
export const listenToGroup: ListenToGroup = async ({ group, port, local }, heard) =>
  new Promise((done) => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true })
    socket.on('error', () => {
      socket.close()
      done(undefined)
    })
    socket.on('message', (bytes, from) => {
      const address = parsePeer(from.address)
      if (address !== undefined) heard(bytes, address, from.port)
    })
    socket.bind(port, group, () => {
      try {
        socket.addMembership(group, local)
      } catch {
        socket.close()
        return done(undefined)
      }
      socket.removeAllListeners('error')
      socket.on('error', () => undefined)
      socket.unref()
      done({ close: () => socket.close() })
    })
  })
