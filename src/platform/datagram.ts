import { type Socket, createSocket } from 'node:dgram'
import { milliseconds } from '../base/time.ts'
import { familyOf, parsePeer } from '../net/address.ts'
import type { AskByDatagram, DatagramOutcome, Question } from '../ports/datagram.ts'
import type { ListenToGroup } from '../ports/network.ts'

/** A connected socket drops what strangers send, and hears that nobody listens (udp(7)). */
export const askByDatagram: AskByDatagram = async (question, signal) => {
  if (signal.aborted) return { kind: 'silent' }
  const socket = createSocket(familyOf(question.to) === 'v4' ? 'udp4' : 'udp6')
  try {
    return await exchange(socket, question, signal)
  } finally {
    socket.close()
  }
}

async function exchange(socket: Socket, question: Question, signal: AbortSignal): Promise<DatagramOutcome> {
  const { to, port, bytes, again, within, answeredBy, hops, isAnswer } = question
  const timers: NodeJS.Timeout[] = []
  const start = performance.now()
  const took = () => milliseconds(performance.now() - start)
  let sent = 0
  let giveUp = (): void => undefined
  try {
    return await new Promise<DatagramOutcome>((done) => {
      giveUp = () => done({ kind: 'silent' })
      const isGroup = answeredBy !== undefined
      const send = (): void => {
        sent++
        if (isGroup) socket.send(bytes, port, to)
        else socket.send(bytes)
      }
      const fail = (error: NodeJS.ErrnoException): void =>
        done(
          error.code === 'ECONNREFUSED'
            ? { kind: 'refused', took: took() }
            : { kind: 'failed', because: error.code ?? error.message },
        )
      socket.on('error', fail)
      socket.on('message', (message, from) => {
        if (isGroup && parsePeer(from.address) !== answeredBy) return
        if (isAnswer(message)) done({ kind: 'answered', bytes: message, took: took(), sent })
      })
      signal.addEventListener('abort', giveUp)
      const begin = (): void => {
        if (hops !== undefined) socket.setTTL(hops)
        send()
        for (const span of again) timers.push(setTimeout(send, span))
        timers.push(setTimeout(() => done({ kind: 'silent' }), within))
      }
      socket.bind({ port: 0, ...(question.from !== undefined && { address: question.from }) }, () => {
        if (isGroup) begin()
        // Where there is no way, the callback is told so, and nobody else (socket.connect).
        else socket.connect(port, to, (error?: Error) => (error === undefined ? begin() : fail(error)))
      })
    })
  } catch (error) {
    return { kind: 'failed', because: (error as NodeJS.ErrnoException).code ?? String(error) }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
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
