import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Where the kernel takes no port by itself (it starts at 32768 on Linux, at 49152 elsewhere): nothing else gets the
 * port of a server while a test restarts it.
 */
const FIRST = 20_000
/** Of each worker of the test runner: two of them never get the same port. */
const SLICE = 750
const WORKERS = 16

const given = new Set<number>()

/** A TCP and UDP port that is free on 127.0.0.1, and that this process has not given before. */
export async function freePort(): Promise<number> {
  const worker = Number(process.env['VITEST_POOL_ID'] ?? randomInt(WORKERS)) % WORKERS
  for (let tries = 0; tries < SLICE; tries++) {
    const port = FIRST + worker * SLICE + randomInt(SLICE)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`no port is free from ${FIRST + worker * SLICE} on`)
}

async function isFree(port: number): Promise<boolean> {
  await using server = createServer()
  await using socket = createSocket('udp4')
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    socket.bind(port, '127.0.0.1')
    await once(socket, 'listening')
    return true
  } catch {
    return false
  }
}
