import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { apiWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const make = async (zone_name: unknown) => world.ask('POST', '/v1/dns/zones', { zone_name })

/** ACME clients are told to delegate exactly such a zone; labels of services begin with an underscore (RFC 8552). */
describe('a zone whose name has an underscore', () => {
  it.each([
    '_acme-challenge.example.test',
    '_acme-challenge.free.example.test',
    '_dmarc.example.test',
    '_tcp.new.test',
    '_acme-challenge.new.test',
  ])('is made: %s', async (zone) => {
    expect((await make(zone)).status).toBe(201)
    const path = `/v1/dns/zones/${zone}`
    expect((await world.ask('GET', path)).body.data).toMatchObject({ name: zone })
    const rrset = [{ dns_type: 'TXT', rdata: [{ value: 'token' }] }]
    const at = `/v1/dns/records/${zone}`
    expect((await world.ask('POST', `${at}/@/rrsets`, rrset)).status).toBe(201)
    expect((await world.ask('GET', `${at}/@/rrsets/TXT`)).status).toBe(200)
    expect((await world.ask('DELETE', path)).status).toBeLessThan(300)
  })

  it('is refused beneath a zone of another account, as any other', async () => {
    const { status, body } = await make('_acme-challenge.b.test')
    expect(status).not.toBe(201)
    expect(body.errors?.[0]?.detail).toContain('another account')
  })
})

const ONE_LABEL = ['test', 'localhost', 'x', '_acme-challenge']
const BAD_NAMES = [
  'a b.test',
  '-x.test',
  'x-.test',
  'a..test',
  '.test',
  'x!.test',
  `${'x'.repeat(64)}.test`,
  `${'abcdefg.'.repeat(32)}test`,
]
const NO_NAMES = [undefined, null, 7, '', {}, ['x.test']]

/** The sentence about a name, without the name. */
const sentenceAbout = async (zone: unknown): Promise<string> => {
  const { status, body } = await make(zone)
  const [error] = body.errors ?? []
  expect([status, error?.code, error?.pointer]).toEqual([400, '3809', '/zone_name'])
  const detail = error?.detail ?? ''
  return typeof zone === 'string' && zone !== '' ? detail.replaceAll(zone.slice(0, 100), 'NAME') : detail
}

describe('why a zone is not made', () => {
  it.each(ONE_LABEL)('is said of one label: %s', async (zone) =>
    expect(await sentenceAbout(zone)).toMatch(/two labels|one label/),
  )

  it.each(BAD_NAMES)('is said of a name that is none, and not that of one label: %s', async (zone) =>
    expect(await sentenceAbout(zone)).not.toMatch(/two labels|one label/),
  )

  it.each(NO_NAMES.map((one) => [one] as const))('is said of what is no name: %j', async (zone) =>
    expect(await sentenceAbout(zone)).not.toBe(''),
  )

  it('is another sentence for each of the two', async () => {
    const [one, bad] = [await sentenceAbout('test'), await sentenceAbout('a b.test')]
    expect(one).not.toBe(bad)
  })
})
