import { type RemoteInfo, type Socket, createSocket } from 'node:dgram'
import { milliseconds } from '../base/time.ts'
import { type Address, familyOf, parsePeer } from '../net/address.ts'
import type { AskByDatagram, DatagramOutcome, OpenChannel, Question } from '../ports/datagram.ts'
import type { ListenToGroup } from '../ports/network.ts'

/** A connected socket drops what strangers send, and hears that nobody listens (udp(7)). */
export const askByDatagram: AskByDatagram = async (question, signal) => {
  if (signal.aborted) return { kind: 'silent' }
  const socket = createSocket(kindOf(question.to))
  try {
    const isOpen = await opened(socket, question)
    return isOpen === undefined ? await exchange(socket, question, signal) : isOpen
  } finally {
    socket.close()
  }
}

const kindOf = (to: Address): 'udp4' | 'udp6' => (familyOf(to) === 'v4' ? 'udp4' : 'udp6')

/** Opened at the first question, and again after a failure: the way may be another by then. */
export const openChannel: OpenChannel = (to, port) => {
  let socket: Socket | undefined
  const close = (): void => {
    socket?.close()
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
      if (outcome.kind === 'failed' || outcome.kind === 'refused') close()
      return outcome
    },
  }
}

/** Bound and connected; or what was in the way. */
async function opened(
  socket: Socket,
  { to, port, from, answeredBy, hops }: Question,
): Promise<DatagramOutcome | undefined> {
  return new Promise((done) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      done({ kind: 'failed', because: error.code ?? error.message })
    const begin = (): void => {
      socket.removeListener('error', fail)
      if (hops !== undefined) socket.setTTL(hops)
      done(undefined)
    }
    socket.on('error', fail)
    try {
      socket.bind({ port: 0, ...(from !== undefined && { address: from }) }, () => {
        if (answeredBy !== undefined) begin()
        // Where there is no way, the callback is told so, and nobody else (socket.connect).
        else socket.connect(port, to, (error?: Error) => (error === undefined ? begin() : fail(error)))
      })
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
    }
  })
}

async function exchange(socket: Socket, question: Question, signal: AbortSignal): Promise<DatagramOutcome> {
  const { to, port, bytes, again, within, answeredBy, isAnswer } = question
  const timers: NodeJS.Timeout[] = []
  const start = performance.now()
  const took = () => milliseconds(performance.now() - start)
  let sent = 0
  let stop = (): void => undefined
  const outcome = await new Promise<DatagramOutcome>((done) => {
    const send = (): void => {
      sent++
      if (answeredBy === undefined) socket.send(bytes)
      else socket.send(bytes, port, to)
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
      signal.removeEventListener('abort', giveUp)
    }
    socket.removeAllListeners('error')
    socket.on('error', fail)
    socket.on('message', hear)
    signal.addEventListener('abort', giveUp)
    send()
    for (const span of again) timers.push(setTimeout(send, span))
    timers.push(setTimeout(giveUp, within))
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
