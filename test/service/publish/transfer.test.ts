import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseRequest } from '../../../src/shared/dns/request.ts'
import { RR_TYPES } from '../../../src/shared/dns/types.ts'
import { encodeRows, ownerKey, sizeOfRow } from '../../../src/service/publish/rows.ts'
import { messages } from '../../../src/service/publish/transfer.ts'
import type { PublishedRow } from '../../../src/service/store/published.ts'
import { opt, wire, type WireRecord } from '../../shared/dns/wire.ts'
import { flushed } from './flushed.ts'
import { areSigned, type Call, ixfr, KEY, recordsIn, sentFor } from './secondary.ts'
import { NOW, storeWith, type World } from './zones.ts'

const { A, AXFR, TXT } = RR_TYPES
const JAIN = 'jain.ad.jp'
const row = (owner: string, value: string): PublishedRow => ({
  owner: ownerKey(owner),
  type: A,
  ttl: 300,
  rdata: Buffer.from(value.split('.').map(Number)),
})
const sizeOf = (rows: readonly PublishedRow[]): number => rows.reduce((sum, one) => sum + sizeOfRow(one), 0)

/** Publishes rows as the step to a serial. */
const step = async (
  world: World,
  from: number,
  { gone = [], come = [] }: { gone?: readonly PublishedRow[]; come?: readonly PublishedRow[] },
) =>
  world.store.write(async (w) => {
    const id = world.idOf(JAIN)
    await w.replacePublished(id, { gone, come })
    const growth = sizeOf(come) - sizeOf(gone)
    await w.addStep(
      id,
      {
        from,
        to: from === 0xffffffff ? 1 : from + 1,
        gone: encodeRows(gone),
        come: encodeRows(come),
        growth,
      },
      NOW,
    )
  })

/** The zone of RFC 1995 §7 with the serials 1, 2 and 3, and another name. */
async function jain(first = 1): Promise<World> {
  const world = await storeWith({
    [JAIN]: {
      nezu: ['300 A 133.69.136.5'],
      'other.name': ['300 A 192.0.2.1', '300 A 192.0.2.2', '300 A 192.0.2.3'],
    },
  })
  await flushed(world.store)
  await step(world, first, {
    gone: [row('nezu', '133.69.136.5')],
    come: [row('jain-bb', '133.69.136.4'), row('jain-bb', '192.41.197.2')],
  })
  await step(world, first === 0xffffffff ? 1 : first + 1, {
    gone: [row('jain-bb', '133.69.136.4')],
    come: [row('jain-bb', '133.69.136.3')],
  })
  return world
}
const WHOLE = [
  `${JAIN} SOA 3`,
  `${JAIN} 86400 NS ns1.operator.test`,
  `${JAIN} 86400 NS ns2.operator.test`,
  `jain-bb.${JAIN} 300 A 133.69.136.3`,
  `jain-bb.${JAIN} 300 A 192.41.197.2`,
  ...[1, 2, 3].map((n) => `other.name.${JAIN} 300 A 192.0.2.${n}`),
  `${JAIN} SOA 3`,
]
const STEPS = [
  `${JAIN} SOA 3`,
  `${JAIN} SOA 1`,
  `nezu.${JAIN} 300 A 133.69.136.5`,
  `${JAIN} SOA 2`,
  `jain-bb.${JAIN} 300 A 133.69.136.4`,
  `jain-bb.${JAIN} 300 A 192.41.197.2`,
  `${JAIN} SOA 2`,
  `jain-bb.${JAIN} 300 A 133.69.136.4`,
  `${JAIN} SOA 3`,
  `jain-bb.${JAIN} 300 A 133.69.136.3`,
  `${JAIN} SOA 3`,
]
const SOA_ALONE = [`${JAIN} SOA 3`]
const HALF = 2 ** 31

describe('an IXFR of the zone of RFC 1995 §7', () => {
  let world: World
  beforeAll(async () => {
    world = await jain()
  })

  // biome-ignore format: a table
  it.each<[what: string, serial: number, call: Call & { size?: number }, is: readonly string[], isFetched: boolean, newer?: number]>([
    ['from two steps ago',           1,        {},                              STEPS,     true],
    ['from one step ago',            2,        {},                              [STEPS[0] ?? '', ...STEPS.slice(6)], true],
    ['from the present serial',      3,        {},                              SOA_ALONE, true],
    ['from a newer serial',          4,        {},                              SOA_ALONE, true, 4],
    ['from the newest serial',       HALF + 2, {},                              SOA_ALONE, true, HALF + 2],
    ['from a serial that is neither newer nor older', HALF + 3, {},             WHOLE,     true],
    ['from a serial before the journal', 0,    {},                              WHOLE,     true],
    ['by UDP from one step ago',     2,        { isDatagram: true, size: 1232 }, [STEPS[0] ?? '', ...STEPS.slice(6)], true],
    ['by UDP without EDNS',          1,        { isDatagram: true },            STEPS,     true],
    ['by UDP from the present serial', 3,      { isDatagram: true },            SOA_ALONE, true],
    ['by UDP from before the journal', 0,      { isDatagram: true, size: 1232 }, SOA_ALONE, false],
  ])('%s', async (_, serial, { size, ...call }, is, isFetched, newer) => {
    const additions: readonly WireRecord[] = size === undefined ? [] : [opt(size)]
    const { sent, fetches, mac } = await sentFor(world, withName(serial, additions), { key: KEY, ...call })
    expect(recordsIn(sent)).toEqual(is)
    expect(areSigned(sent, mac)).toBe(true)
    expect(fetches.map(({ apex, newer: than }) => [apex, than])).toEqual(isFetched ? [[JAIN, newer]] : [])
    if (call.isDatagram === true) for (const message of sent) expect(message.length).toBeLessThanOrEqual(Math.min(Math.max(size ?? 0, 512), 1232))
  })

  it.each([512, undefined, 1232])(
    'by UDP has steps of twenty names only with room for them: %s',
    async (size) => {
      const own = await jain()
      await step(own, 3, { come: Array.from({ length: 20 }, (_, n) => row(`h${n}`, '192.0.2.8')) })
      const additions = size === undefined ? [] : [opt(size)]
      const { sent, fetches } = await sentFor(own, withName(3, additions), { key: KEY, isDatagram: true })
      expect([recordsIn(sent).length, fetches.length]).toEqual(size === 1232 ? [24, 1] : [1, 0])
    },
  )

  it('is the whole zone if the steps are larger', async () => {
    const own = await jain()
    for (let serial = 3; serial < 8; serial += 2) {
      await step(own, serial, { come: [row('x', '192.0.2.8'), row('y', '192.0.2.8')] })
      await step(own, serial + 1, { gone: [row('x', '192.0.2.8'), row('y', '192.0.2.8')] })
    }
    const rows = recordsIn((await sentFor(own, withName(1), { key: KEY })).sent)
    expect(rows).toEqual(WHOLE.map((one) => one.replace('SOA 3', 'SOA 9')))
    expect(recordsIn((await sentFor(own, withName(8), { key: KEY })).sent)).toHaveLength(6)
  })

  it('goes over the end of the serials', async () => {
    const own = await jain(0xfffffffe)
    const rows = recordsIn((await sentFor(own, withName(0xfffffffe), { key: KEY })).sent)
    expect(rows.filter((one) => one.includes('SOA'))).toEqual(
      ['1', '4294967294', '4294967295', '4294967295', '1', '1'].map((serial) => `${JAIN} SOA ${serial}`),
    )
  })

  it('has all of more than 64 steps, in order', async () => {
    const own = await storeWith({
      [JAIN]: { filler: Array.from({ length: 90 }, (_, n) => `300 TXT "${'x'.repeat(200)}${n}"`) },
    })
    await flushed(own.store)
    for (let n = 1; n <= 130; n++) await step(own, n, { come: [row(`n${n}`, '192.0.2.1')] })
    const rows = recordsIn((await sentFor(own, withName(1), { key: KEY })).sent)
    expect(rows.filter((one) => one.includes(' A '))).toEqual(
      Array.from({ length: 130 }, (_, n) => `n${n + 1}.${JAIN} 300 A 192.0.2.1`),
    )
    expect(rows).toHaveLength(2 + 3 * 130)
  })
})

const withName = (serial: number, additions: readonly WireRecord[] = []): Buffer =>
  ixfr(serial, { name: JAIN, additions })

describe('a large zone', () => {
  let world: World
  let sent: readonly Buffer[]
  let mac: Uint8Array | undefined
  beforeEach(async () => {
    if (world !== undefined) return
    world = await storeWith({ [JAIN]: {} })
    const rows = Array.from({ length: 3000 }, (_, n) =>
      row(`name${n}.a-longer-label-that-is-the-same`, '192.0.2.1'),
    )
    await step(world, 1, { come: rows })
    ;({ sent, mac } = await sentFor(world, wire({ type: AXFR, name: JAIN }), { key: KEY }))
  })

  it('has several messages, each with the question and of 16,384 octets at most', () => {
    expect(sent.length).toBeGreaterThan(3)
    for (const message of sent) {
      expect(message.length).toBeLessThanOrEqual(16_384)
      expect([message.readUInt16BE(4), message.readUInt16BE(2), message.readUInt16BE(0)]).toEqual([
        1, 0x8400, 0x1234,
      ])
    }
    for (const message of sent.slice(0, -1)) expect(message.length).toBeGreaterThan(16_384 - 80)
  })

  it('has all records, and an SOA at both ends alone', () => {
    const rows = recordsIn(sent)
    expect(rows).toHaveLength(3002)
    expect(new Set(rows).size).toBe(3001)
    expect([rows.at(0), rows.at(-1), rows.slice(1, -1).some((one) => one.includes('SOA'))]).toEqual([
      `${JAIN} SOA 2`,
      `${JAIN} SOA 2`,
      false,
    ])
  })

  it('has messages that are all signed, in a chain', () => {
    expect(areSigned(sent, mac)).toBe(true)
    expect(areSigned(sent.slice(1), mac)).toBe(false)
  })

  it('compresses its owners', () =>
    expect(sent.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(3000 * 30))
})

describe('a record that is larger than other messages', () => {
  const parsed = parseRequest(wire({ type: AXFR, name: JAIN }))
  async function* records(...sizes: readonly number[]) {
    for (const size of sizes) yield { owner: JAIN, type: TXT, ttl: 60, rdata: Buffer.alloc(size, 7) }
  }
  async function lengths(...sizes: readonly number[]) {
    if (parsed.kind !== 'request') throw new Error(parsed.kind)
    const all: (readonly [length: number, records: number])[] = []
    for await (const message of messages(parsed.request, records(...sizes), 100))
      all.push([message.length, message.readUInt16BE(6)])
    return all
  }
  const HEAD = 12 + 12 + 4

  // biome-ignore format: a table
  it.each<[sizes: readonly number[], is: readonly (readonly [number, number])[]]>([
    [[10],                    [[HEAD + 22, 1]]],
    [[60_000],                [[HEAD + 60_012, 1]]],
    [[10, 60_000, 10],        [[HEAD + 22, 1], [HEAD + 60_034, 2]]],
    [[60_000, 60_000],        [[HEAD + 60_012, 1], [HEAD + 60_012, 1]]],
    [[16_384 - 100 - HEAD - 12], [[16_284, 1]]],
    [[16_384 - 100 - HEAD - 11], [[16_285, 1]]],
    [[8000, 8000, 8000],      [[HEAD + 2 * 8012, 2], [HEAD + 8012, 1]]],
  ])('begins a message: %j', async (sizes, is) => expect(await lengths(...sizes)).toEqual(is))

  it('is transferred between the others, signed', async () => {
    const world = await storeWith({ [JAIN]: {} })
    const large = { owner: ownerKey('large'), type: TXT, ttl: 60, rdata: Buffer.alloc(60_000, 7) }
    await step(world, 1, { come: [row('a', '192.0.2.1'), large, row('z', '192.0.2.1')] })
    const { sent, mac } = await sentFor(world, wire({ type: AXFR, name: JAIN }), { key: KEY })
    expect(recordsIn(sent).map((one) => one.slice(0, 14))).toEqual(
      [`${JAIN} SOA`, `a.${JAIN} 3`, `large.${JAIN}`, `z.${JAIN} 3`, `${JAIN} SOA`].map((one) =>
        expect.stringContaining(one.slice(0, 10)),
      ),
    )
    expect(areSigned(sent, mac)).toBe(true)
  })
})
