import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codesOf } from './inside.ts'
import { countedOf, apiWorld, type Reply, type World } from './world.ts'
import { flushed } from '../publish/flushed.ts'

const WRITERS = Array.from({ length: 64 }, (_, n) => n)
const R = '/v1/dns/records/example.test'

let world: World
beforeEach(async () => {
  world = await apiWorld()
  const { store, ids } = world
  await store.write(async (w) => w.changePlan(ids['plan-a'] ?? 0, { maxNames: 5000, maxRdata: 5000 }))
})
afterEach(async () => world.close())

const together = async (
  ask: (n: number) => Promise<Reply>,
): Promise<{ readonly tally: Readonly<Record<string, number>>; readonly replies: readonly Reply[] }> => {
  const replies = await Promise.all(WRITERS.map(ask))
  const tally: Record<string, number> = {}
  for (const reply of replies) {
    const key = [reply.status, ...codesOf(reply)].join(' ')
    tally[key] = (tally[key] ?? 0) + 1
  }
  return { tally, replies }
}

const dataOf = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
  (await world.ask('GET', path)).body.data as Readonly<Record<string, unknown>>
interface One {
  readonly label: string
  readonly value: string
}

describe('64 concurrent writers', () => {
  it('create a name once', async () => {
    const { tally } = await together(async (n) =>
      world.ask('POST', R, { name: 'same', metadata: { by: String(n) } }),
    )
    expect(tally).toEqual({ '201': 1, '409 4285': 63 })
    const { body } = await world.ask('GET', '/v1/dns/records?filter[dns_name]=same')
    expect(body.page?.total).toBe(1)
  })

  it('create a zone once', async () => {
    const { tally } = await together(async () =>
      world.ask('POST', '/v1/dns/zones', { zone_name: 'new.test' }),
    )
    expect(tally).toEqual({ '201': 1, '409 3425': 63 })
    expect(await dataOf('/v1/dns/records/new.test/@')).toMatchObject({ rrsets: [{ dns_type: 'NS' }] })
  })

  it('append different values to a missing name: all are stored', async () => {
    const { tally } = await together(async (n) =>
      world.ask('POST', `${R}/pool/rrsets/A/rdata`, [{ value: `192.0.2.${n}`, label: `w${n}` }]),
    )
    expect(tally).toEqual({ '201': 64 })
    const { rdata } = await dataOf(`${R}/pool/rrsets/A`)
    expect((rdata as readonly One[]).map(({ label, value }) => `${label} ${value}`).toSorted()).toEqual(
      WRITERS.map((n) => `w${n} 192.0.2.${n}`).toSorted(),
    )
  })

  it('append values without labels: every generated label is unique', async () => {
    const { tally } = await together(async (n) =>
      world.ask('POST', `${R}/free/rrsets/TXT/rdata`, [{ value: `token ${n}` }]),
    )
    expect(tally).toEqual({ '201': 64 })
    const { rdata } = await dataOf(`${R}/free/rrsets/TXT`)
    expect(new Set((rdata as readonly One[]).map(({ label }) => label)).size).toBe(65)
  })

  it('append the same value once', async () => {
    const { tally } = await together(async (n) =>
      world.ask('POST', `${R}/free/rrsets/A/rdata`, [{ value: '192.0.2.200', label: `w${n}` }]),
    )
    expect(tally).toEqual({ '201': 1, '409 2722': 63 })
  })

  it('fill a quota exactly: names', async () => {
    const { store, ids } = world
    await store.write(async (w) => {
      const { names } = await countedOf(w, ids['a'] ?? 0)
      await w.changePlan(ids['plan-a'] ?? 0, { maxNames: names + 10 })
    })
    const { tally } = await together(async (n) =>
      n % 2 === 0
        ? world.ask('POST', R, { name: `n${n}` })
        : world.ask('POST', `${R}/n${n}/rrsets/TXT/rdata`, [{ value: 'x' }]),
    )
    expect(tally).toEqual({ '201': 10, '402 3354': 54 })
  })

  it('fill a quota exactly: Rdata', async () => {
    const { store, ids } = world
    await store.write(async (w) => {
      const { rdata } = await countedOf(w, ids['a'] ?? 0)
      await w.changePlan(ids['plan-a'] ?? 0, { maxRdata: rdata + 10 })
    })
    const { tally } = await together(async (n) =>
      world.ask('POST', `${R}/empty/rrsets/A/rdata`, [{ value: `198.51.100.${n}` }]),
    )
    expect(tally).toEqual({ '201': 10, '402 4428': 54 })
  })

  it('set one label: one Rdata with one of the values', async () => {
    const { tally } = await together(async (n) =>
      world.ask('PUT', `${R}/empty/rrsets/TXT/rdata/token`, { value: `value ${n}` }),
    )
    expect(tally).toEqual({ '201': 1, '202': 63 })
    const { rdata } = await dataOf(`${R}/empty/rrsets/TXT`)
    const [one, ...more] = rdata as readonly One[]
    expect(more).toEqual([])
    expect(one?.label).toBe('token')
    expect(WRITERS.map((n) => `"value ${n}"`)).toContain(one?.value)
  })

  it('merge metadata: no key is lost', async () => {
    const { store, ids } = world
    await store.write(async (w) => w.changePlan(ids['plan-a'] ?? 0, { maxNameMetadata: 100 }))
    const { tally } = await together(async (n) =>
      world.ask('POST', `${R}/free/metadata`, { metadata: { [`k${n}`]: String(n) } }),
    )
    expect(tally).toEqual({ '202': 64 })
    expect(await dataOf(`${R}/free/metadata`)).toEqual(
      Object.fromEntries(WRITERS.map((n) => [`k${n}`, String(n)])),
    )
  })

  it('delete one name once', async () => {
    const { tally } = await together(async () => world.ask('DELETE', `${R}/home`))
    expect(tally).toEqual({ '200': 1, '404 4809': 63 })
  })

  it('are published together, with one serial', async () => {
    const serial = async () => Number((await dataOf('/v1/dns/zones/example.test'))['serial'])
    await flushed(world.store)
    const before = await serial()
    await together(async (n) => world.ask('POST', `${R}/s${n}/rrsets/A/rdata`, [{ value: '192.0.2.1' }]))
    expect(await flushed(world.store)).toMatchObject({ count: 64, zones: [{ serial: before + 1 }] })
    expect(await serial()).toBe(before + 1)
  })

  it('attach a hostname to one key: the others get a conflict', async () => {
    const { tally } = await together(async () =>
      world.ask('POST', '/v1/account/ddns-keys', { hostnames: ['free.example.test'] }),
    )
    expect(tally).toEqual({ '201': 1, '409 3311': 63 })
  })
})
