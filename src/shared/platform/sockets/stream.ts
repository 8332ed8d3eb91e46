import { createConnection } from 'node:net'
import type { AskByStream } from '../../ports/stream.ts'

const MAX_ANSWER_BYTES = 64 * 1024

/** One connection, one request, one answer. */
export const askByStream: AskByStream = async ({ to, port, from, bytes, timeout, lengthOf }, signal) =>
  new Promise((resolve) => {
    const socket = createConnection({ host: to, port, ...(from !== undefined && { localAddress: from }) })
    let received = Buffer.alloc(0)
    const giveUp = (): void => finish('given up')
    const finish = (outcome: Uint8Array | string): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      socket.destroy()
      resolve(outcome)
    }
    const timer = setTimeout(() => finish('it took too long'), timeout)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    socket.on('connect', () => socket.write(bytes))
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
    socket.on('end', () => finish('the connection ended before the answer did'))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const length = lengthOf(received)
      if (length !== undefined && length > MAX_ANSWER_BYTES) finish('the answer is too long')
      else if (length !== undefined && received.length >= length) finish(received.subarray(0, length))
    })
  })
