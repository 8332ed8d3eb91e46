import { chmod, rename, stat, unlink } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { makeFolder } from './folder.ts'

/** One line of JSON each way. In bytes; a status of a thousand hostnames fits. */
const LONGEST_LINE = 1024 * 1024
/** A local program that says nothing for so long has forgotten us. */
const PATIENCE = 5000
const LINGER = 300

/** In bytes, without the final zero (unix(7), sun_path). */
const LONGEST_PATH = 107

export interface Control {
  /** Whether the path still leads here: a folder may be deleted under a program. */
  isThere(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Answers requests on a Unix socket that only its owner may open, in place of any other at this path: its lock is the
 * caller's to have. Rejects where the socket cannot be made.
 */
export async function serveControl(
  path: string,
  answer: (request: unknown) => Promise<unknown>,
): Promise<Control> {
  const length = Buffer.byteLength(path)
  if (length > LONGEST_PATH)
    throw new Error(`its path is too long for a Unix socket: ${length} bytes, where ${LONGEST_PATH} fit`)
  await makeFolder(dirname(path))
  // On close, Node removes the name that it listened at, even where another process has it by then. So the socket is renamed.
  const temporary = join(dirname(path), `.${process.pid}`)
  await unlink(temporary).catch(() => undefined)
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let text = ''
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    const patience = setTimeout(() => socket.destroy(), PATIENCE).unref()
    socket.on('error', () => socket.destroy())
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.length > LONGEST_LINE) socket.destroy()
      if (!text.includes('\n')) return
      socket.removeAllListeners('data')
      clearTimeout(patience)
      // Whoever keeps its half of the connection after the answer does not keep ours.
      void reply(text, answer).then((line) =>
        socket.end(line, () => setTimeout(() => socket.destroy(), PATIENCE).unref()),
      )
    })
  })
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(temporary, done)
  })
  await chmod(temporary, 0o600)
  const made = await identityOf(temporary)
  await rename(temporary, path)
  const isThere = async (): Promise<boolean> => (await identityOf(path)) === made
  return {
    isThere,
    close: async () => {
      if (await isThere()) await unlink(path).catch(() => undefined)
      await new Promise<void>((done) => {
        server.close(() => done())
        // Answers get out; a program that connected and says nothing does not keep us.
        setTimeout(() => open.forEach((socket) => socket.destroy()), LINGER).unref()
      })
    },
  }
}

const identityOf = async (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  )

async function reply(text: string, answer: (request: unknown) => Promise<unknown>): Promise<string> {
  const request = parse(text)
  if (request === undefined) return `${JSON.stringify({ error: 'a request is one line of JSON' })}\n`
  try {
    return `${JSON.stringify(await answer(request))}\n`
  } catch (error) {
    return `${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`
  }
}

/** What came of asking: nobody listens there, or hung up; somebody does, but said nothing in time. */
export type ControlOutcome =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'silent' }

/** Asks the program behind the socket. `within` is in milliseconds. */
export async function askControl(path: string, request: unknown, within: number): Promise<ControlOutcome> {
  return new Promise((done) => {
    let text = ''
    const socket = createConnection(path, () => socket.write(`${JSON.stringify(request)}\n`))
    const finish = (asked: ControlOutcome): void => {
      clearTimeout(patience)
      socket.destroy()
      done(asked)
    }
    const patience = setTimeout(() => finish({ kind: 'silent' }), within)
    socket.setEncoding('utf8')
    socket.on('error', () => finish({ kind: 'nobody' }))
    socket.on('data', (chunk: string) => void (text += chunk))
    socket.on('end', () => {
      const answer = parse(text)
      finish(answer === undefined ? { kind: 'nobody' } : { kind: 'answered', answer })
    })
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
