import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Behaviour } from './day-rows.ts'

export interface DayService {
  readonly url: string
  /** When each request came, by performance.now(). */
  readonly seen: readonly number[]
  readonly close: () => void
}

/** Below the ports that the system gives out, and nothing listens there. */
const CLOSED_PORT = 1

/** A service on loopback that behaves the same way all day. What it sends is bytes, so that it may be no HTTP at all. */
export async function dayService(behaviour: Behaviour): Promise<DayService> {
  if (behaviour.kind === 'refuses')
    return { url: `http://127.0.0.1:${CLOSED_PORT}`, seen: [], close: () => undefined }
  const seen: number[] = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    socket.once('data', () => {
      seen.push(performance.now())
      if (behaviour.kind === 'answers') socket.end(behaviour.bytes)
      if (behaviour.kind === 'resets') socket.resetAndDestroy()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
