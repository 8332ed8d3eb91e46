import { instant } from '../../src/shared/base/time.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { flushed, SETTINGS } from '../service/publish/flushed.ts'
import { storeWith, type World } from '../service/publish/zones.ts'
import { answers, textOfRecord } from './primary.ts'

/** Serials count by one: none of them is older than this clock. */
const EPOCH = instant(0)

/** The records of a transfer, in their order. */
const recordsOf = async (...call: Parameters<typeof answers>): Promise<readonly string[]> =>
  (await answers(...call)).flatMap(({ answers: records = [] }) => records.map(textOfRecord))

describe('the example of RFC 1995 §7', () => {
  const ZONE = 'jain.ad.jp'
  const JAIN = { ...SETTINGS, nameservers: ['ns.jain.ad.jp'], contact: 'mohta.jain.ad.jp' }
  const NS_A = '300 A 133.69.136.1'
  const OTHERS = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`other${n}`, ['300 A 192.0.2.1']]))

  /** Its three versions, made as a user makes them. */
  async function versions(others: typeof OTHERS = {}): Promise<World> {
    const world = await storeWith({ [ZONE]: { ns: [NS_A], nezu: ['300 A 133.69.136.5'], ...others } })
    const id = world.idOf(ZONE)
    // Serials begin with the time: two steps of less than 2^31 lead to the serial 0 (RFC 1982 §3.2).
    for (const serial of [0xe000_0000, 0]) await world.store.write(async (w) => w.raiseSerial(id, serial))
    await flushed(world.store, JAIN, EPOCH)
    await world.remove(ZONE, 'nezu')
    await world.put(ZONE, 'jain-bb', ['300 A 133.69.136.4', '300 A 192.41.197.2'])
    await flushed(world.store, JAIN, EPOCH)
    await world.put(ZONE, 'jain-bb', ['300 A 133.69.136.3', '300 A 192.41.197.2'])
    await flushed(world.store, JAIN, EPOCH)
    return world
  }

  /** Sections, each from one SOA to the next; the order within one has no meaning. */
  function sections(records: readonly string[]): readonly (readonly string[])[] {
    const found: string[][] = []
    for (const record of records)
      if (record.includes(' SOA ')) found.push([record])
      else found.at(-1)?.push(record)
    return found.map(([soa = '', ...rest]) => [soa, ...rest.toSorted()])
  }

  const soa = (serial: number): string => `${ZONE} 3600 SOA ${serial}`
  const [NEZU, BB_4, BB_3, BB_2] = [
    `nezu.${ZONE} 300 A 133.69.136.5`,
    `jain-bb.${ZONE} 300 A 133.69.136.4`,
    `jain-bb.${ZONE} 300 A 133.69.136.3`,
    `jain-bb.${ZONE} 300 A 192.41.197.2`,
  ]
  const FULL = [[soa(3), BB_3, BB_2, `${ZONE} 86400 NS ns.jain.ad.jp`, `ns.${ZONE} ${NS_A}`], [soa(3)]]
  const INCREMENTAL = [
    [soa(3)],
    [soa(1), NEZU],
    [soa(2), BB_4, BB_2],
    [soa(2), BB_4],
    [soa(3), BB_3],
    [soa(3)],
  ]
  const LAST_STEP = [[soa(3)], [soa(2), BB_4], [soa(3), BB_3], [soa(3)]]

  let small: World
  let large: World
  beforeAll(async () => {
    ;[small, large] = [await versions(), await versions(OTHERS)]
  })

  // The small zone is smaller than its steps from 1 on (RFC 1995 §5). A condensed answer is not made.
  // biome-ignore format: a table
  it.each<[what: string, world: () => World, serial: number, isDatagram: boolean, is: readonly (readonly string[])[]]>([
    ['full from 1, where the steps are larger',  () => small, 1, false, FULL],
    ['incremental from 1',                       () => large, 1, false, INCREMENTAL],
    ['incremental from 1 by UDP',                () => large, 1, true,  INCREMENTAL],
    ['incremental from 2',                       () => small, 2, false, LAST_STEP],
    ['only the SOA from 3',                      () => large, 3, false, [[soa(3)]]],
    ['only the SOA from 3 by UDP',               () => large, 3, true,  [[soa(3)]]],
    ['only the SOA by UDP where the answer is the whole zone', () => small, 1, true, [[soa(3)]]],
  ])('is %s', async (_, world, serial, isDatagram, is) => {
    const records = await recordsOf(world(), { name: ZONE, type: 'IXFR', serial, isDatagram }, JAIN)
    expect(sections(records)).toEqual(is.map(([first = '', ...rest]) => [first, ...rest.toSorted()]))
  })

  it('has the version 3 as AXFR', async () => {
    const records = await recordsOf(small, { name: ZONE, type: 'AXFR' }, JAIN)
    expect(sections(records)).toEqual(FULL.map(([first = '', ...rest]) => [first, ...rest.toSorted()]))
  })
})

describe('the catalog by RFC 9432 §4', () => {
  const CATALOG = 'catz.invalid'
  const MEMBERS = ['example.com', 'example.net', 'just-fun.example']
  let records: readonly string[]
  beforeAll(async () => {
    const world = await storeWith({
      ...Object.fromEntries(MEMBERS.map((zone) => [zone, {}])),
      'gone.example': {},
    })
    await flushed(world.store)
    await world.removeZone('gone.example')
    await flushed(world.store)
    records = await recordsOf(world, { name: CATALOG, type: 'AXFR' }, { catalog: CATALOG })
  })
  const at = (pattern: RegExp): readonly string[] => records.filter((one) => pattern.test(one))

  it('is a zone with an SOA at both ends, and the NS "invalid" alone', () => {
    expect([records[0], records.at(-1)]).toEqual(at(/ SOA /))
    expect(at(/ NS /)).toEqual([`${CATALOG} 0 NS invalid`])
  })

  it('has one version, which is "2" (§4.2.1)', () =>
    expect(at(/^version\./)).toEqual([`version.${CATALOG} 0 TXT 2`]))

  it('has each member once, at a label of its own, with one PTR (§4.1)', () => {
    const members = at(/ PTR /).map((one) => /^(\S+)\.zones\.catz\.invalid 0 PTR (\S+)$/.exec(one) ?? [])
    expect(members.map(([, , zone]) => zone).toSorted()).toEqual(MEMBERS)
    expect(new Set(members.map(([, label]) => label)).size).toBe(MEMBERS.length)
    expect(members.every(([, label = '.']) => !label.includes('.'))).toBe(true)
  })

  it('has nothing else', () => expect(records).toHaveLength(2 + 1 + 1 + MEMBERS.length))
})
