import { expect, it } from 'vitest'
import { NewerSerials } from '../../../../src/service/program/publishing/newer-serials.ts'
import { parseAddress } from '../../../../src/shared/base/address.ts'
import type { Secondary } from '../../../../src/service/publish/settings.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { key } from '../../publish/secondary.ts'

const NOW = Math.floor(Date.now() / 1000)

const secondary = (name: string, signs = false): Secondary => {
  const address = parseAddress('192.0.2.1')
  if (address === undefined) throw new Error(name)
  return { name, address, port: 53, key: key(name), signs }
}

/** A store with these zones, by their ids, and what is raised in it. */
function world(serials: Record<number, number>) {
  const lines: string[] = []
  const raised: string[] = []
  const publishedZones = async (after: number, limit: number) =>
    Promise.resolve(
      Object.entries(serials)
        .map(([id, serial]) => ({ id: Number(id), apex: `z${id}.test`, serial, size: 0 }))
        .filter(({ id }) => id > after)
        .slice(0, limit),
    )
  const raiseSerial = async (id: number, serial: number) => Promise.resolve(void (serials[id] = serial))
  const store = {
    read: async (work: (r: object) => unknown) => work({ publishedZones }),
    write: async (work: (w: object) => unknown) => work({ raiseSerial }),
  } as unknown as Store
  const newer = new NewerSerials({
    store,
    log: (_, __, details) => void lines.push(details?.line ?? ''),
    metrics: { raised: (name) => void raised.push(name) },
    onRaised: () => undefined,
  })
  return { newer, serials, lines, raised }
}

it('a zone is raised above what is served; one line for each secondary', async () => {
  const { newer, serials, lines, raised } = world({ 1: NOW, 2: NOW, 3: NOW })
  const ns1 = secondary('ns1')
  for (const [id, serial] of [
    [1, NOW + 5],
    [2, NOW - 5],
    [3, NOW + 9],
  ] as const)
    await newer.seen(ns1, { id, apex: `z${id}.test` }, serial)
  expect(serials).toEqual({ 1: NOW + 6, 2: NOW, 3: NOW + 10 })
  expect(raised).toEqual(['ns1', 'ns1'])
  expect(lines).toEqual([
    expect.stringMatching(/^ns1 has serial \d+ of z1\.test, newer than \d+ here: .*raised above/),
  ])
})

it('a zone is raised once for each start, because a secondary may have numbers of its own', async () => {
  const { newer, serials } = world({ 1: NOW })
  await newer.seen(secondary('ns1'), { id: 1, apex: 'z1.test' }, NOW + 5)
  await newer.seen(secondary('ns1'), { id: 1, apex: 'z1.test' }, NOW + 500)
  expect(serials[1]).toBe(NOW + 6)
})

it('a secondary that signs raises none', async () => {
  const { newer, serials, lines } = world({ 1: NOW })
  await newer.seen(secondary('ns1', true), { id: 1, apex: 'z1.test' }, NOW + 5)
  expect([serials[1], lines]).toEqual([NOW, []])
})

it('a serial that is too far ahead to be true is told, and raises none', async () => {
  const { newer, serials, lines } = world({ 1: NOW })
  await newer.seen(secondary('ns1'), { id: 1, apex: 'z1.test' }, NOW + 2 ** 31 - 1)
  expect(serials[1]).toBe(NOW)
  expect(lines).toEqual([expect.stringContaining('too far ahead of the clock')])
})

it.each([
  ['half of all numbers ahead of a busy zone', NOW + 285, NOW + 284 + 2 ** 31],
  ['one more claim after others', NOW + 9_999_000, NOW + 19_998_000],
])('%s is no serial that is believed', async (_, own, claimed) => {
  const { newer, serials } = world({ 1: own })
  await newer.seen(secondary('ns1'), { id: 1, apex: 'z1.test' }, claimed)
  expect(serials[1]).toBe(own)
})
