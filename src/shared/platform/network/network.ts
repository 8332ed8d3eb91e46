import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parsePeer } from '../../base/address.ts'
import type { ListenForEvents, RunOutcome, RunProgram } from '../../ports/network.ts'

const MAX_OUTPUT_LENGTH = 64 * 1024

/** In a new process group, so that the timeout ends its children too. */
export const runProgram: RunProgram = async ([program, ...args], timeout, signal) => {
  if (program === undefined) return { kind: 'failed', because: 'no program is set' }
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    let stdout = ''
    const finish = (outcome: RunOutcome): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      resolve(outcome)
    }
    const giveUp = (): void => {
      if (child.pid !== undefined) killGroup(child.pid)
      finish({ kind: 'failed', because: `${program} took too long or printed too much` })
    }
    const timer = setTimeout(giveUp, timeout)
    signal.addEventListener('abort', giveUp)
    child.on('error', (error: NodeJS.ErrnoException) =>
      finish({ kind: 'failed', because: `${program} cannot be run (${error.code ?? error.message})` }),
    )
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (chunk: string) => {
      stdout += chunk
      if (stdout.length > MAX_OUTPUT_LENGTH) giveUp()
    })
    child.on('close', (code, killedBy) =>
      finish(
        code === null
          ? { kind: 'failed', because: `${program} was ended by ${killedBy}` }
          : { kind: 'ended', code, stdout },
      ),
    )
  })
}

export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // the group has ended already
  }
}

/** Ignores bodies: an event only triggers a lookup, its values are not used. */
export const listenForEvents: ListenForEvents = async (local, onRequest) =>
  new Promise((resolve) => {
    const server = createServer({ maxHeaderSize: 8192, requestTimeout: 5000 }, (request, response) => {
      request.resume()
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const peer = parsePeer(request.socket.remoteAddress ?? '') ?? ''
      onRequest({ peer, method: request.method ?? '', path: request.url ?? '', headers })
      response.writeHead(200, { connection: 'close', 'content-length': 0 }).end()
    })
    server.on('error', () => resolve(undefined))
    server.maxConnections = 16
    server.listen(0, local, () => {
      server.unref()
      const close = (): void => {
        server.close()
        server.closeAllConnections()
      }
      resolve({ port: (server.address() as AddressInfo).port, close })
    })
  })
