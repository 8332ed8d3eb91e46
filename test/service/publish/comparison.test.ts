import { describe, expect, it, onTestFinished } from 'vitest'
import { keepComparing } from '../../../src/service/publish/comparison.ts'
import type { Served } from '../../../src/service/publish/notify-sender.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import type { NotifiedZone } from '../../../src/service/publish/notify.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { eventually } from '../../eventually.ts'
import { SETTINGS } from './flushed.ts'
import { key } from './secondary.ts'

const SERIAL = 1_795_000_000
const zone = (id: number): NotifiedZone => ({ id, apex: `z${id}.test`, serial: SERIAL })

/** A store with this many zones, and what a secondary serves of each. */
function world({ zones, signs = false }: { readonly zones: number; readonly signs?: boolean }) {
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const all = Array.from({ length: zones }, (_, n) => ({ ...zone(n + 1), size: 100 }))
  const publishedZones = async (last: number, limit: number) =>
    Promise.resolve(all.filter(({ id }) => id > last).slice(0, limit))
  const store = { read: async (work: (r: object) => unknown) => work({ publishedZones }) } as unknown as Store
  const address = parseAddress('192.0.2.1')
  if (address === undefined) throw new Error('no address')
  const secondary = { name: 'ns1', address, port: 53, key: key('ns1'), signs }
  const asked: number[] = []
  const differing: [number, number | undefined][] = []
  /** The number of questions before each `onComparedAll`. */
  const compared: number[] = []
  const compare = (unnotified: readonly NotifiedZone[], serve: (id: number) => Served): void =>
    void keepComparing(secondary, unnotified, {
      store,
      settings: () => SETTINGS,
      ending: ending.signal,
      ask: async (_, { id }) => (asked.push(id), Promise.resolve(serve(id))),
      onCompared: (_, { id }, serial) => differing.push([id, serial]),
      onComparedAll: () => void compared.push(asked.length),
    })
  return { asked, differing, compared, compare }
}

describe('at the start', () => {
  it('all zones are compared, and those that differ are told', async () => {
    const { asked, differing, compare } = world({ zones: 600 })
    compare([], (id) => ({ serial: SERIAL + (id === 7 ? 1 : id === 590 ? -1 : 0) }))
    await eventually(() => asked.length).toBe(600)
    expect(differing).toEqual([
      [7, SERIAL + 1],
      [590, SERIAL - 1],
    ])
  })

  it('the zones that a secondary may not have been told of are the first, whatever it serves', async () => {
    const { asked, differing, compare } = world({ zones: 100 })
    compare([zone(90), zone(95)], (id) => ({ serial: id === 95 ? undefined : SERIAL }))
    await eventually(() => asked.length).toBe(102)
    expect(asked.slice(0, 3)).toEqual([90, 95, 1])
    // A missing zone is reported again.
    expect(differing).toEqual([
      [90, SERIAL],
      [95, undefined],
      [95, undefined],
    ])
  })

  it('one that signs is told of them, and asked whether it has each zone: its serials are its own', async () => {
    const { asked, differing, compared, compare } = world({ zones: 100, signs: true })
    compare([zone(90)], (id) => ({ serial: id === 7 ? undefined : SERIAL + 5 }))
    await eventually(() => compared.length).toBe(1)
    expect([asked.length, differing]).toEqual([
      100,
      [
        [90, undefined],
        [7, undefined],
      ],
    ])
  })

  it('one that signs and says nothing is not up to date', async () => {
    const { asked, compared, compare } = world({ zones: 100, signs: true })
    compare([], () => undefined)
    await eventually(() => asked.length).toBe(32)
    expect(compared).toEqual([])
  })
})

it('a secondary that says nothing is not asked for every zone, and is told of those that it may not know', async () => {
  const { asked, differing, compare } = world({ zones: 2000 })
  const unnotified = Array.from({ length: 500 }, (_, n) => zone(n + 1))
  compare(unnotified, () => undefined)
  await eventually(() => asked.length).toBe(64)
  expect(differing).toEqual(unnotified.map(({ id }) => [id, undefined]))
})
