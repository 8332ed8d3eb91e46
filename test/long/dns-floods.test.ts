import type { Socket as DatagramSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseResponse } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { opt, wire } from '../shared/dns/wire.ts'
import { publishingService, signed, transferred } from '../e2e/dns-secondary.ts'
import {
  connected,
  datagramSocket,
  framed,
  isAnswering,
  MAX_MEMORY,
  MAX_P95,
  memoryOf,
  PLAIN,
  portOf,
  streamed,
  updating,
} from '../e2e/dns-traffic.ts'
import type { Service } from '../e2e/processes.ts'

const FORGED = 200

/** Updates while something else goes on, and the memory that it takes, in MiB. */
async function undisturbed(at: Service, act: () => Promise<void>, maxMemory = MAX_MEMORY): Promise<void> {
  // The first updates are those of a cold program.
  await sleep(500).then(updating(at).stop)
  const updates = updating(at)
  await act()
  const { p95, count } = await updates.stop()
  const memory = memoryOf(at)
  console.log(`${count} updates, p95 ${p95.toFixed(1)} ms of CPU time; ${memory.toFixed(0)} MiB`)
  expect(count).toBeGreaterThan(5)
  expect(p95).toBeLessThan(MAX_P95)
  expect(memory).toBeLessThan(maxMemory)
  expect(await isAnswering(at)).toBe(true)
  expect(at.child.exitCode).toBeNull()
}

/** How often each "RCODE, TSIG error, number of records" is the answer to as many copies of one datagram. */
async function repeated(socket: DatagramSocket, port: number, message: Buffer, count: number) {
  const seen = new Map<string, number>()
  const total = (): number => [...seen.values()].reduce((sum, one) => sum + one, 0)
  socket.on('message', (bytes: Buffer) => {
    const { rcode, tsig, answers } = parseResponse(bytes) ?? {}
    const text = `${rcode} ${tsig?.error} ${answers?.length}`
    seen.set(text, (seen.get(text) ?? 0) + 1)
  })
  for (let sent = 0; sent < count; sent += 50) {
    for (let n = 0; n < 50; n++) socket.send(message, port, '127.0.0.1')
    for (let waits = 0; total() < sent + 50 && waits < 12_000; waits++) await sleep(5)
  }
  return Object.fromEntries(seen)
}

describe('a signed request that is sent again and again', { timeout: 300_000 }, () => {
  const REPLAYS = 1000
  const soa = (skew = 0): Buffer => signed({ type: RR_TYPES.SOA }, skew)

  it('has its answer within 300 seconds, by its secondary (RFC 8945 §5.2.3, §10)', async () => {
    const at = await publishingService(9)
    // biome-ignore format: a table
    const table: readonly (readonly [what: string, message: Buffer, from: string, is: string])[] = [
      ['by the secondary',                       soa(),     '127.0.0.1', '0 0 1'],
      ['from another address',                   soa(),     '127.0.0.2', '5 0 0'],
      ['ten minutes later',                      soa(-600), '127.0.0.1', '9 18 0'],
      ['ten minutes later from another address', soa(-600), '127.0.0.2', '9 18 0'],
      ['by a clock that is ahead',               soa(600),  '127.0.0.1', '9 18 0'],
    ]
    await undisturbed(at, async () => {
      for (const [what, message, from, is] of table) {
        const socket = await datagramSocket(from)
        expect([what, await repeated(socket, portOf(at), message, REPLAYS)]).toEqual([
          what,
          { [is]: REPLAYS },
        ])
      }
    })
  })

  it('for a whole zone has it each time, and holds up no update', async () => {
    const at = await publishingService(9)
    const request = framed(signed({ type: RR_TYPES.AXFR }))
    const plain = framed(wire({ ...PLAIN, id: 1 }))
    await undisturbed(at, async () => {
      for (let round = 0; round < 10; round++) {
        const sockets = await Promise.all(Array.from({ length: 4 }, async () => connected(portOf(at))))
        const found = await Promise.all(
          sockets.map(async (socket) =>
            streamed(
              socket,
              Buffer.concat([request, request, request, plain]),
              (answer) => answer.readUInt16BE(0) === 1,
            ),
          ),
        )
        for (const answers of found) {
          const records = answers.reduce(
            (sum, answer) => sum + (parseResponse(answer)?.answers.length ?? 0),
            0,
          )
          expect(records).toBeGreaterThan(3 * 155)
        }
        for (const socket of sockets) socket.destroy()
      }
    })
  })
})

describe('a flood', { timeout: 300_000 }, () => {
  it('of 10 connections that read none of 400 MB of answers each waits for them', async () => {
    const at = await publishingService(9)
    const question = framed(wire({ name: 'large.example.test', type: RR_TYPES.TXT }))
    await undisturbed(
      at,
      async () => {
        const sockets = await Promise.all(
          Array.from({ length: 10 }, async (_, n) => connected(portOf(at), `127.0.1.${n + 1}`)),
        )
        for (const socket of sockets) {
          socket.pause()
          for (let n = 0; n < 25; n++)
            socket.write(Buffer.concat(Array.from({ length: 1000 }, () => question)))
        }
        // Far more than the buffers of the system take.
        await sleep(6000)
        // A transfer does not wait with them.
        expect(await transferred(at)).toBeGreaterThan(155)
        for (const socket of sockets) socket.destroy()
      },
      256,
    )
  })

  it('of 1,000 connections that send nothing keeps out no other', async () => {
    const at = await publishingService(9)
    let isOver = false
    onTestFinished(() => void (isOver = true))
    const open = async (n: number): Promise<void> => {
      const socket = await connected(portOf(at), `127.0.2.${(n % 20) + 1}`)
      socket.resume()
      // Those that are cut off come back.
      socket.once('close', () => (isOver ? undefined : setTimeout(() => void open(n), 500)))
    }
    await undisturbed(at, async () => {
      for (let n = 0; n < 1000; n += 50)
        await Promise.all(Array.from({ length: 50 }, async (_, more) => open(n + more)))
      for (let n = 0; n < 10; n++) {
        expect(await isAnswering(at)).toBe(true)
        await sleep(100)
      }
      isOver = true
    })
  })

  it(`of ${100 * FORGED} datagrams from ${FORGED} forged addresses ends nothing`, async () => {
    const at = await publishingService(9)
    await undisturbed(at, async () => {
      for (let from = 0; from < FORGED; from++) {
        const socket = await datagramSocket(`127.${1 + from}.7.1`)
        const sent = Array.from({ length: 100 }, async (_, n) => {
          const name = n % 2 === 0 ? 'many.example.test' : `n${from}-${n}.example.test`
          const message = wire({ name, additions: [opt(4096)] })
          return new Promise<void>((done) => socket.send(message, portOf(at), '127.0.0.1', () => done()))
        })
        await Promise.all(sent)
        // The answers come to a port that is closed, as those to a forged address do.
        socket.close()
        if (from % 50 === 49) expect(await isAnswering(at)).toBe(true)
      }
    })
  })
})
