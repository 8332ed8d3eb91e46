import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startNotifySender } from '../../../src/service/publish/notify-sender.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import type { Secondary } from '../../../src/service/publish/settings.ts'
import { SETTINGS } from './flushed.ts'
import { type Answering, nameServer } from './name-server.ts'
import { KEYS } from './stage.ts'

const CHECK = 10_000
const zone = (id: number, serial = 1) => ({ id, apex: `z${id}.test`, serial })

// Sockets are real, and so is the time that they take.
beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    }),
)
afterEach(() => void vi.useRealTimers())
const turns = async (): Promise<void> => {
  for (let n = 0; n < 40; n++) await new Promise(setImmediate)
}
async function pass(ms: number): Promise<void> {
  await turns()
  for (let left = ms; left > 0; left -= 1000) {
    await vi.advanceTimersByTimeAsync(Math.min(1000, left))
    await turns()
  }
}

async function stage() {
  const servers = [await nameServer(KEYS[0]), await nameServer(KEYS[1])] as const
  const address = parseAddress('127.0.0.1')
  if (address === undefined) throw new Error('no address')
  const secondaries = servers.map(
    ({ port }, n): Secondary => ({
      name: `ns${n + 1}`,
      address,
      port,
      key: KEYS[n === 0 ? 0 : 1],
      signs: false,
    }),
  )
  const gone = new Set<number>()
  const stuck: string[] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const sender = startNotifySender({
    secondaries,
    settings: () => SETTINGS,
    from: address,
    ending: ending.signal,
    exists: async (id) => !gone.has(id),
    onServed: () => undefined,
    onStuck: ({ name }, { apex }) => stuck.push(`${name} ${apex}`),
  })
  const known = (n = 0) => sender.status()[n]?.zones.map(({ id }) => id) ?? []
  const fetchedAll = (...zones: readonly ReturnType<typeof zone>[]) => {
    for (const one of zones)
      for (const [n, secondary] of secondaries.entries()) {
        sender.fetched(secondary, one)
        servers[n]?.serves.set(one.apex, one.serial)
      }
  }
  return { sender, servers, secondaries, gone, stuck, ending, known, fetchedAll }
}

describe('the sender of NOTIFY', () => {
  it('tells every secondary the zone and its serial, signed with the key of each', async () => {
    const { sender, servers } = await stage()
    sender.changed([zone(1, 7), zone(2, 8)])
    await pass(10)
    for (const { told } of servers)
      expect(told).toEqual([
        ['z1.test', 7, true],
        ['z2.test', 8, true],
      ])
    expect(sender.status()[0]?.zones.map(({ told, isAcknowledged }) => [told, isAcknowledged])).toEqual([
      [7, true],
      [8, true],
    ])
  })

  it.each<Answering>(['unsigned', 'refused', 'silent', 'another id'])(
    'repeats a NOTIFY whose answer is %s, and tells the others meanwhile',
    async (answering) => {
      const { sender, servers } = await stage()
      servers[0].answering = answering
      sender.changed([zone(1, 7)])
      await pass(20_000)
      expect(servers[0].told.length).toBeGreaterThan(2)
      expect(servers[1].told).toHaveLength(1)
      const before = servers[0].told.length
      servers[0].answering = 'signed'
      await pass(20_000)
      expect(servers[0].told).toHaveLength(before + 1)
    },
  )

  it('makes one NOTIFY of the changes until the secondary fetches', async () => {
    const { sender, servers, secondaries } = await stage()
    sender.changed([zone(1, 7)])
    await turns()
    for (const serial of [8, 9, 10]) sender.changed([zone(1, serial)])
    await turns()
    expect(servers[0].told.map(([, serial]) => serial)).toEqual([7])
    if (secondaries[0] !== undefined) sender.fetched(secondaries[0], zone(1, 7))
    await pass(10)
    expect(servers[0].told.map(([, serial]) => serial)).toEqual([7, 10])
  })

  it('reports a secondary that is told and does not fetch, once, and not one that serves it', async () => {
    const { sender, servers, stuck } = await stage()
    servers[1].serves.set('z1.test', 7)
    sender.changed([zone(1, 7)])
    await pass(50_000)
    expect(stuck).toEqual([])
    await pass(40_000)
    expect([stuck, new Set(servers[0].asked)]).toEqual([['ns1 z1.test'], new Set(['z1.test'])])
    expect(sender.status()[1]?.zones.map(({ fetched, served }) => [fetched, served])).toEqual([[7, 7]])
  })

  it('forgets a zone that is gone, also one that the secondary has', async () => {
    const { sender, gone, known, fetchedAll, stuck } = await stage()
    sender.changed([zone(1), zone(2), zone(3)])
    await pass(10)
    fetchedAll(zone(1), zone(2))
    await pass(2 * CHECK)
    expect(known()).toEqual([1, 2, 3])
    gone.add(1).add(3)
    await pass(CHECK)
    expect([known(0), known(1)]).toEqual([[2], [2]])
    await pass(100_000)
    expect(stuck).toEqual([])
  })

  it('asks for the serials of all zones in turn, and forgets any number that are gone', async () => {
    const { sender, servers, gone, known } = await stage()
    const zones = Array.from({ length: 120 }, (_, n) => zone(n + 1))
    sender.changed(zones)
    await pass(3000)
    expect(servers[0].told).toHaveLength(120)
    await pass(5 * CHECK)
    expect(new Set(servers[0].asked)).toEqual(new Set(zones.map(({ apex }) => apex)))
    for (const { id } of zones.slice(1)) gone.add(id)
    await pass(CHECK)
    expect(known()).toEqual([1])
  })

  it('sends nothing after its end', async () => {
    const { sender, servers, ending } = await stage()
    ending.abort()
    sender.changed([zone(1)])
    await pass(2 * CHECK)
    expect([servers[0].told, servers[0].asked, vi.getTimerCount()]).toEqual([[], [], 0])
  })
})
