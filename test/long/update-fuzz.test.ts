import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { seededRandom } from '../bench/fleet-random.ts'
import { wire } from '../shared/dns/wire.ts'
import { connected, datagramSocket, framed, onMessages } from '../e2e/dns-traffic.ts'
import { opcodeOf } from '../fakes/update-decode.ts'
import { type FuzzedUpdate, fuzzedUpdates } from '../fakes/update-fuzz.ts'
import { FIRST_ZONE, UPDATE_ORIGIN } from '../fakes/update-messages.ts'
import { zoneText } from '../fakes/update-model.ts'
import type { UpdateTarget } from '../fakes/update-play.ts'
import { OPCODE_UPDATE } from '../fakes/update-wire.ts'
import { SEED } from '../runs.ts'
import { serviceTarget, type UpdatedService, updatedService } from '../system/service-updates.ts'

/** Damaged, forged, repeated and right messages of UPDATE by UDP and TCP, for a service that goes on. */
const COUNT = Number(process.env['HOLDFAST_TEST_FUZZ'] ?? 300_000)
/** Messages in flight, in so many lanes at once. */
const [BATCH, LANES] = [25, 8]
/** Messages between two looks at the zone. */
const ROUND = 1000
const LAST = { id: 0xfffe, name: UPDATE_ORIGIN, type: RR_TYPES.SOA } as const
/** In MiB: how much the memory of the service may grow after the first fifth of the messages. */
const MAX_GROWTH = 50

let service: UpdatedService
let target: UpdateTarget
let folder = ''
/** One in five goes by UDP. */
let batches = 0
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-updates-'))
  service = await updatedService(folder)
  target = serviceTarget(service.at)
}, 60_000)
afterAll(async () => {
  await service.at.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** RCODEs of answers to UPDATE, by how often; `isOver` with the answer to the question at the end. */
interface Seen {
  readonly rcodes: Map<number, number>
  /** How many messages are not answered yet of those that have an answer. */
  left: number
  /** When the last answer came, as `performance.now()`. */
  at: number
  isOver: boolean
}

function note(seen: Seen, answer: Buffer): void {
  if (answer.length < 12) return
  if (answer.readUInt16BE(0) === LAST.id && opcodeOf(answer.readUInt16BE(2)) === 0) seen.isOver = true
  if (opcodeOf(answer.readUInt16BE(2)) !== OPCODE_UPDATE) return
  seen.left--
  seen.at = performance.now()
  const rcode = (answer[3] ?? 0) & 15
  seen.rcodes.set(rcode, (seen.rcodes.get(rcode) ?? 0) + 1)
}

/** In milliseconds: for an answer to the question, and from one answer to the next, which may be left out by UDP. */
const [PATIENCE, GRACE] = [60_000, 700]

async function over(seen: Seen, again: () => void): Promise<void> {
  const until = performance.now() + PATIENCE
  for (let n = 1; !seen.isOver && performance.now() < until; n++) {
    await sleep(2)
    if (n % 500 === 0) again()
  }
  if (!seen.isOver) throw new Error('the service does not answer a question')
  seen.at = performance.now()
  while (seen.left > 0 && performance.now() < seen.at + GRACE) await sleep(2)
}

async function byStream(batch: readonly Buffer[], seen: Seen): Promise<void> {
  const socket = await connected(service.at.dns)
  onMessages(socket, (answer) => note(seen, answer))
  // Those that are cut short are as long as they say.
  socket.write(Buffer.concat([...batch, wire(LAST)].map(framed)))
  await over(seen, () => undefined)
  socket.destroy()
}

async function byDatagram(batch: readonly Buffer[], seen: Seen): Promise<void> {
  const socket = await datagramSocket()
  socket.on('message', (answer) => note(seen, answer))
  const send = (octets: Buffer): void => socket.send(octets, service.at.dns, '127.0.0.1')
  for (const octets of batch) send(octets)
  send(wire(LAST))
  await over(seen, () => send(wire(LAST)))
  socket.close()
}

const memory = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.at.pid()}/status`, 'utf8'))?.[1]) / 1024

const zoneNow = async (): Promise<readonly string[]> =>
  zoneText({ ...FIRST_ZONE, records: await target.zone() })

/** A part of the messages, all of them authentic or none; resolves with how often each RCODE was answered. */
async function sendAll(
  all: readonly FuzzedUpdate[],
  areAuthentic: boolean,
): Promise<ReadonlyMap<number, number>> {
  const rcodes = new Map<number, number>()
  const messages = all.filter(({ isAuthentic }) => isAuthentic === areAuthentic)
  const lane = async (first: number): Promise<void> => {
    for (let at = first * BATCH; at < messages.length; at += LANES * BATCH) {
      const batch = messages.slice(at, at + BATCH).map(({ octets }) => octets)
      const send = batches++ % 5 === 4 ? byDatagram : byStream
      // What changes nothing need not be waited for: the rate of refusals by UDP is limited.
      await send(batch, { rcodes, left: areAuthentic ? batch.length : 0, at: 0, isOver: false })
    }
  }
  await Promise.all(Array.from({ length: LANES }, async (_, first) => lane(first)))
  return rcodes
}

it(
  `${COUNT} messages end nothing, and change nothing without a right signature`,
  async () => {
    console.log(`HOLDFAST_TEST_SEED=${SEED}`)
    await target.reset(FIRST_ZONE.records)
    const now = (): number => Math.floor(Date.now() / 1000)
    const next = fuzzedUpdates({ random: seededRandom(SEED), keys: service.keys, now })
    const [taken, forged] = [new Map<number, number>(), new Map<number, number>()]
    const add = (to: Map<number, number>, rcodes: ReadonlyMap<number, number>): void => {
      for (const [rcode, count] of rcodes) to.set(rcode, (to.get(rcode) ?? 0) + count)
    }
    const began = performance.now()
    let [first, changes] = [0, 0]
    for (let sent = 0; sent < COUNT; sent += ROUND) {
      const messages = Array.from({ length: ROUND }, next)
      const before = await zoneNow()
      const rcodes = await sendAll(messages, false)
      add(forged, rcodes)
      const after = await zoneNow()
      expect([after, rcodes.get(0)], `forged messages from ${sent} on`).toEqual([before, undefined])
      add(taken, await sendAll(messages, true))
      if ((await zoneNow()).join() !== after.join()) changes++
      if (sent < COUNT / 5) first = memory()
    }
    const last = memory()

    console.log(
      `${COUNT} messages in ${Math.round((performance.now() - began) / 1000)} s; RCODEs with a right signature ${JSON.stringify([...taken])}, without ${JSON.stringify([...forged])}; ` +
        `${first.toFixed(0)} MiB, at the end ${last.toFixed(0)} MiB`,
    )
    expect(changes).toBeGreaterThan(0)
    expect(taken.get(0)).toBeGreaterThan(COUNT / 20)
    // FORMERR, REFUSED, NOTAUTH.
    for (const rcode of [1, 5, 9]) expect(forged.get(rcode)).toBeGreaterThan(COUNT / 1000)
    expect(last - first).toBeLessThan(MAX_GROWTH)
    expect(service.at.log()).not.toMatch(/internal error|an UPDATE message/)
  },
  120_000 + 5 * COUNT,
)
