import { instant } from '../../src/shared/base/time.ts'
import { describe, expect, it } from 'vitest'
import { isNewer, nextSerial } from '../../src/service/publish/soa.ts'
import { flushed, SETTINGS } from '../service/publish/flushed.ts'
import { storeWith } from '../service/publish/zones.ts'
import { type Asked, answers, textOfRecord } from './primary.ts'

/** Serials count by one: none of them is older than this clock. */
const EPOCH = instant(0)

describe('serials by RFC 1982 §5.2', () => {
  /** The examples have 8 bits: the same with 32 bits are 2^24 times as far apart. */
  const scaled = (serial: number): number => serial * 2 ** 24

  // biome-ignore format: a table
  it.each([
    [1, 0], [44, 0], [100, 0], [100, 44], [200, 100], [255, 200], [0, 255], [100, 255], [0, 200], [44, 200],
  ])('%i is newer than %i', (newer, older) => {
    expect(isNewer(scaled(newer), scaled(older))).toBe(true)
    expect(isNewer(scaled(older), scaled(newer))).toBe(false)
  })

  it('255 + 1 is newer than 255, although the serial 0 is skipped', () => {
    expect(nextSerial(2 ** 32 - 1)).toBe(1)
    expect(isNewer(nextSerial(2 ** 32 - 1), 2 ** 32 - 1)).toBe(true)
  })

  it('0 and 128, 1 and 129, to 127 and 255: neither is newer', () => {
    const pairs = Array.from({ length: 128 }, (_, n) => [scaled(n), scaled(n + 128)] as const)
    expect(pairs.filter(([one, other]) => isNewer(one, other) || isNewer(other, one))).toEqual([])
  })
})

describe('negative answers by RFC 2308 §2', () => {
  const XX = { ...SETTINGS, nameservers: ['ns1.xx', 'ns2.xx'], contact: 'hostmaster.ns1.xx' }
  const made = (async () => {
    const world = await storeWith({
      example: { an: ['60 CNAME tripple.xx.'], another: ['60 TXT "no address"'] },
      xx: { an: ['60 CNAME tripple.xx.'], to: ['60 CNAME another.xx.'], another: ['60 TXT "no address"'] },
    })
    // Zones begin with the time as their serial: a known one, so that the SOA is known.
    for (const zone of ['example', 'xx'])
      for (const serial of [0xe000_0000, 0])
        await world.store.write(async (w) => w.raiseSerial(world.idOf(zone), serial))
    await flushed(world.store, XX, EPOCH)
    return world
  })()
  const soa = (zone: string): string => `-- ${zone} 60 SOA 1`

  // All are of the second type: the SOA, and no NS. A resolver follows a CNAME to another zone.
  // biome-ignore format: a table
  it.each<[what: string, name: string, is: readonly string[]]>([
    ['NXDOMAIN (§2.1)',                         'tripple.xx',      ['NXDOMAIN', soa('xx')]],
    ['NXDOMAIN of the end of a CNAME (§2.1)',   'an.xx',           ['NXDOMAIN', 'an.xx 60 CNAME tripple.xx', soa('xx')]],
    ['a CNAME to another zone',                 'an.example',      ['NOERROR', 'an.example 60 CNAME tripple.xx']],
    ['NODATA (§2.2)',                           'another.example', ['NOERROR', soa('example')]],
    ['NODATA of the end of a CNAME (§2.2)',     'to.xx',           ['NOERROR', 'to.xx 60 CNAME another.xx', soa('xx')]],
  ])('%s', async (_, name, is) => {
    const asked: Asked = { name, type: 'A', isDatagram: true }
    const [answer] = await answers(await made, asked, XX)
    expect(answer?.flag_aa).toBe(true)
    expect([
      answer?.rcode,
      ...(answer?.answers ?? []).map(textOfRecord),
      ...(answer?.authorities ?? []).map((one) => `-- ${textOfRecord(one)}`),
    ]).toEqual(is)
  })
})
