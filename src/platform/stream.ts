import { createConnection } from 'node:net'
import type { AskByStream } from '../ports/stream.ts'

const LONGEST = 64 * 1024

/** One connection, one question, one answer. */
export const askByStream: AskByStream = async ({ to, port, from, bytes, timeout, lengthOf }, signal) =>
  new Promise((done) => {
    const socket = createConnection({ host: to, port, ...(from !== undefined && { localAddress: from }) })
    let heard = Buffer.alloc(0)
    const giveUp = (): void => finish('given up')
    const finish = (outcome: Uint8Array | string): void => {
      clearTimeout(patience)
      signal.removeEventListener('abort', giveUp)
      socket.destroy()
      done(outcome)
    }
    const patience = setTimeout(() => finish('it took too long'), timeout)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    socket.on('connect', () => socket.write(bytes))
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
    socket.on('end', () => finish('the connection ended before the answer did'))
    socket.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk])
      const length = lengthOf(heard)
      if (length !== undefined && length > LONGEST) finish('the answer is too long')
      else if (length !== undefined && heard.length >= length) finish(heard.subarray(0, length))
    })
  })
