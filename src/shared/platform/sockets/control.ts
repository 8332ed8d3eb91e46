import { statSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import type { AskControl, ControlHandler, ControlOutcome, ServeControl } from '../../ports/control.ts'
import { makeFolder } from '../files/folder.ts'
import { chmod, rename, unlink } from '../files/promises.ts'

/** A request and a response are one line of JSON each; the status of a thousand hostnames fits. In characters. */
const MAX_REQUEST_LENGTH = 1024 * 1024
/** For a client to send its request, and to close after the response. In milliseconds. */
const CONNECTION_TIMEOUT = 5000
/** For responses under way when the server closes, in milliseconds. */
const CLOSE_TIMEOUT = 300
/** In bytes, without the final NUL (unix(7), sun_path). */
const MAX_SOCKET_PATH = 107

export const serveControl: ServeControl = async (path, handle) => {
  const length = Buffer.byteLength(path)
  if (length > MAX_SOCKET_PATH)
    throw new Error(
      `its path is too long for a Unix socket: ${length} bytes, the maximum is ${MAX_SOCKET_PATH}`,
    )
  await makeFolder(dirname(path))
  // When it closes, Node deletes the path it listened at, even if another process has replaced the socket. So it listens
  // at a
  // temporary path, and the socket is renamed.
  const temporary = join(dirname(path), `.${process.pid}`)
  await unlink(temporary).catch(() => undefined)
  const connections = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    serveConnection(socket, handle)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(temporary, resolve)
  })
  await chmod(temporary, 0o600)
  const identity = identityOf(temporary)
  await rename(temporary, path)
  const ownsPath = (): boolean => identityOf(path) === identity
  return {
    ownsPath,
    close: async () => {
      if (ownsPath()) await unlink(path).catch(() => undefined)
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        // Idle connections must not delay the end of the program.
        setTimeout(() => connections.forEach((socket) => socket.destroy()), CLOSE_TIMEOUT).unref()
      })
    },
  }
}

/** Reads one request, sends the response, and closes the connection. */
function serveConnection(socket: Socket, handle: ControlHandler): void {
  let text = ''
  const timer = setTimeout(() => socket.destroy(), CONNECTION_TIMEOUT).unref()
  socket.on('error', () => socket.destroy())
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    text += chunk
    if (text.length > MAX_REQUEST_LENGTH) socket.destroy()
    if (!text.includes('\n')) return
    socket.removeAllListeners('data')
    clearTimeout(timer)
    // A client that does not close its side must not keep the connection open.
    void respond(text, handle).then((line) =>
      socket.end(line, () => setTimeout(() => socket.destroy(), CONNECTION_TIMEOUT).unref()),
    )
  })
}

/** Synchronous: an asynchronous call each minute also wakes a thread of the pool. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

async function respond(text: string, handle: ControlHandler): Promise<string> {
  const request = parse(text)
  if (request === undefined) return `${JSON.stringify({ error: 'a request must be one line of JSON' })}\n`
  try {
    return `${JSON.stringify(await handle(request))}\n`
  } catch (error) {
    return `${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`
  }
}

export const askControl: AskControl = async (path, request, timeout) =>
  new Promise((resolve) => {
    let text = ''
    const socket = createConnection(path, () => socket.write(`${JSON.stringify(request)}\n`))
    const finish = (outcome: ControlOutcome): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    const timer = setTimeout(() => finish({ kind: 'timeout' }), timeout)
    socket.setEncoding('utf8')
    socket.on('error', () => finish({ kind: 'unreachable' }))
    socket.on('data', (chunk: string) => void (text += chunk))
    socket.on('end', () => {
      const answer = parse(text)
      finish(answer === undefined ? { kind: 'unreachable' } : { kind: 'answered', answer })
    })
  })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
