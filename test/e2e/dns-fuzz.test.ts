import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { seededRandom } from '../bench/fleet-random.ts'
import { SEED } from '../runs.ts'
import { fuzzMessages } from '../shared/dns/fuzz-messages.ts'
import { wire } from '../shared/dns/wire.ts'
import { PATIENCE } from '../eventually.ts'
import {
  connected,
  datagramSocket,
  faultOf,
  framed,
  isAnswering,
  MAX_MEMORY,
  MAX_P95,
  memoryOf,
  onMessages,
  PLAIN,
  portOf,
  updating,
} from './dns-traffic.ts'
import { fakeSecondary, KEY, publishingService, transferred } from './dns-secondary.ts'

/** `npm run test:long` sends a million. */
const COUNT = Number(process.env['HOLDFAST_TEST_FUZZ'] ?? 5000)
/** By UDP: messages on a socket before it waits. One in five messages goes by TCP. */
const WINDOW = 64
const SOCKETS = 4
const BATCH = 100
const MAX_FAULTS = 5

interface Seen {
  readonly faults: string[]
  readonly rcodes: Map<number, number>
  sent: number
  answered: number
}

function judge(seen: Seen, fault: string | undefined, answer: Buffer): void {
  const rcode = (answer[3] ?? 0) & 15
  seen.rcodes.set(rcode, (seen.rcodes.get(rcode) ?? 0) + 1)
  seen.answered++
  if (fault !== undefined && seen.faults.length < MAX_FAULTS) seen.faults.push(fault)
}

const isGoing = (seen: Seen): boolean => seen.sent < COUNT && seen.faults.length < MAX_FAULTS

/** Windows of datagrams, each with a plain question at its end that must be answered. */
async function byDatagram(port: number, next: () => Buffer, seen: Seen): Promise<void> {
  const socket = await datagramSocket()
  const sent = new Map<number, Buffer>()
  let onPlain = (): void => undefined
  let id = 0
  let plainId = -1
  const send = (message: Buffer): void => {
    id = (id + 1) & 0xffff
    if (message.length >= 2) message.writeUInt16BE(id, 0)
    sent.set(id, message)
    socket.send(message, port, '127.0.0.1')
  }
  socket.on('message', (answer) => {
    const of = answer.readUInt16BE(0)
    judge(seen, faultOf(sent.get(of), answer, true), answer)
    sent.delete(of)
    if (of === plainId) onPlain()
  })
  while (isGoing(seen)) {
    for (let n = 0; n < WINDOW; n++) send(Buffer.from(next()))
    seen.sent += WINDOW
    // A datagram may be lost: asked again a few times.
    let isThere = false
    for (let tries = 0; tries < 60 && !isThere; tries++) {
      const answered = new Promise<void>((done) => (onPlain = done))
      send(wire(PLAIN))
      plainId = id
      isThere = await Promise.race([answered.then(() => true), sleep(1000, false)])
    }
    if (!isThere) seen.faults.push('no answer to a plain question by UDP')
  }
  socket.close()
}

/** Connections with many messages each; the last one is a plain question, or has no end. */
async function byStream(port: number, next: () => Buffer, seen: Seen): Promise<void> {
  for (let round = 0; isGoing(seen); round++) {
    const sent = Array.from({ length: BATCH }, (_, id) => {
      const message = Buffer.from(next())
      if (message.length >= 2) message.writeUInt16BE(id, 0)
      return message
    })
    const socket = await connected(port)
    const over = new Promise<string | undefined>((done) => {
      onMessages(socket, (answer) => {
        const id = answer.readUInt16BE(0)
        if (id === BATCH) return done(undefined)
        judge(seen, faultOf(sent[id], answer, false), answer)
      })
      socket.once('close', () => done(round % 5 === 4 ? undefined : 'closed before the last answer'))
    })
    socket.write(Buffer.concat(sent.map(framed)))
    if (round % 5 === 4) socket.end(framed(wire({ ...PLAIN, id: 0xfffe })).subarray(0, -1 - (round % 20)))
    else socket.write(framed(wire({ ...PLAIN, id: BATCH })))
    const fault = await Promise.race([over, sleep(PATIENCE, 'no last answer by TCP')])
    if (fault !== undefined) seen.faults.push(fault)
    socket.destroy()
    seen.sent += BATCH
  }
}

it(
  `${COUNT} damaged messages neither end nor slow down the service`,
  async () => {
    console.log(`HOLDFAST_TEST_SEED=${SEED}`)
    const random = seededRandom(SEED)
    const secondary = await fakeSecondary(random)
    const at = await publishingService(secondary.port)
    const next = fuzzMessages(random, KEY)
    const port = portOf(at)
    const seen: Seen = { faults: [], rcodes: new Map(), sent: 0, answered: 0 }
    const updates = updating(at)
    const began = performance.now()
    await Promise.all([
      ...Array.from({ length: SOCKETS }, async () => byDatagram(port, next, seen)),
      byStream(port, next, seen),
    ])
    const took = performance.now() - began
    const { p95, count } = await updates.stop()
    const memory = memoryOf(at)

    console.log(
      `${seen.sent} messages, ${seen.answered} answers in ${Math.round(took)} ms, RCODEs ${JSON.stringify([...seen.rcodes])}; ` +
        `${count} updates, p95 ${p95.toFixed(1)} ms of CPU time; ${memory.toFixed(0)} MiB; ${secondary.notified()} NOTIFY`,
    )
    expect(seen.faults).toEqual([])
    expect(seen.sent).toBeGreaterThanOrEqual(COUNT)
    expect(at.child.exitCode).toBeNull()
    expect(await isAnswering(at)).toBe(true)
    expect(await transferred(at)).toBeGreaterThan(10)
    expect(p95).toBeLessThan(MAX_P95)
    expect(memory).toBeLessThan(MAX_MEMORY)
    // NOERROR, FORMERR, NXDOMAIN, NOTIMP, REFUSED, NOTAUTH: all parts of the service were reached.
    for (const rcode of [0, 1, 3, 4, 5, 9]) expect(seen.rcodes.get(rcode)).toBeGreaterThan(COUNT / 1000)
    expect(secondary.notified()).toBeGreaterThan(0)
    expect(at.stderr()).not.toContain('internal error')
  },
  120_000 + 10 * COUNT,
)
