import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codesOf } from '../inside.ts'
import { apiWorld, type Reply, type World } from '../world.ts'

const R = '/v1/dns/records/example.test'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

interface Shown {
  readonly ttl: number
  readonly metadata: Readonly<Record<string, string>>
  readonly rdata: readonly { label: string; value: string; update_group: string | null }[]
}
const shown = async (path: string): Promise<string> => {
  const { ttl, metadata, rdata } = (await world.ask('GET', `${R}/${path}`)).body.data as Shown
  const records = rdata.map(({ label, value, update_group: group }) =>
    [label, value, group ?? ''].join(' ').trim(),
  )
  return [ttl, ...records, ...Object.entries(metadata).map((entry) => entry.join('='))].join(', ')
}
const serial = async (): Promise<number> =>
  ((await world.ask('GET', '/v1/dns/zones/example.test')).body.data as { serial: number }).serial
const resultOf = (reply: Reply): string =>
  [reply.status, ...codesOf(reply), ...(reply.body.errors ?? []).map(({ pointer }) => pointer ?? '')].join(
    ' ',
  )

describe('PUT of an RRSet', () => {
  // biome-ignore format: a table
  it.each<[what: string, path: string, body: unknown, status: number, after: string]>([
    ['the TTL alone',                    'free/rrsets/A',   { ttl: 300 },                                              202, '300, one 192.0.2.7'],
    ['the metadata alone',               'free/rrsets/A',   { metadata: { k: 'v', empty: '' } },                       202, '60, one 192.0.2.7, k=v'],
    ['values alone: the TTL stays',      'free/rrsets/A',   { rdata: [{ value: '192.0.2.9', label: 'x' }] },           202, '60, x 192.0.2.9'],
    ['everything',                       'free/rrsets/A',   { ttl: 90, rdata: [{ value: '192.0.2.9' }], metadata: { k: 'v' } }, 202, '90, _1 192.0.2.9, k=v'],
    ['a new RRSet',                      'empty/rrsets/A',  { rdata: [{ value: '192.0.2.9' }] },                       201, '60, _1 192.0.2.9'],
    ['the stored value without label',   'free/rrsets/A',   { rdata: [{ value: '192.0.2.9' }, { value: '192.0.2.7' }] }, 202, '60, one 192.0.2.7, _1 192.0.2.9'],
    ['the label of a stored value again', 'free/rrsets/A',  { rdata: [{ value: '192.0.2.7' }, { value: '192.0.2.9', label: 'ONE' }] }, 202, '60, one 192.0.2.9, _1 192.0.2.7'],
    ['a target of a DDNS key stays one', 'parts/rrsets/A',  { ttl: 120, rdata: [{ value: '192.0.2.5' }] },             202, '120, p 192.0.2.5 kkk1111'],
    ['the same by its label',            'parts/rrsets/A',  { rdata: [{ value: '192.0.2.50', label: 'p' }] },          202, '60, p 192.0.2.50 kkk1111'],
    ['a type in small letters',          'free/rrsets/a',   { ttl: 300 },                                              202, '300, one 192.0.2.7'],
  ])('%s', async (_, path, body, status, after) => {
    const reply = await world.ask('PUT', `${R}/${path}`, body)

    expect([resultOf(reply), await shown(path)]).toEqual([String(status), after])
  })

  it('warns of a target without a dot', async () => {
    const { status, body } = await world.ask('PUT', `${R}/empty/rrsets/CNAME`, { rdata: [{ value: 'www' }] })
    expect([status, body.warnings.map(({ code }) => code)]).toEqual([201, ['W1000']])
  })

  it.each<[what: string, path: string, body: unknown]>([
    ['an empty body', 'free/rrsets/A', {}],
    ['the stored values', 'free/rrsets/AAAA', { ttl: 60, rdata: [{ value: '2001:DB8:0::7' }] }],
    [
      'the stored values in another order',
      'parts/rrsets/A',
      { rdata: [{ value: '192.0.2.6' }, { value: '192.0.2.5' }] },
    ],
  ])('%s changes nothing: 200, and the serial stays', async (_, path, body) => {
    const before = [await serial(), await shown(path)]
    const reply = await world.ask('PUT', `${R}/${path}`, body)

    expect([reply.status, await serial(), await shown(path)]).toEqual([200, ...before])
  })

  it.each<[what: string, path: string, body: unknown, expected: string]>([
    [
      'all faults with their places',
      'free/rrsets/A',
      { ttl: 'x', rdata: [{ value: 'y' }] },
      '400 3295 2839 /ttl /rdata/0/value',
    ],
    ['a list as body', 'free/rrsets/A', [], '400 3809 '],
    ['metadata that is no text', 'free/rrsets/A', { metadata: { k: 1 } }, '400 3809 /metadata/k'],
    ['an RRSet of the service', '@/rrsets/NS', { ttl: 300 }, '403 2710 '],
    [
      'one value twice',
      'free/rrsets/A',
      { rdata: [{ value: '192.0.2.1' }, { value: '192.0.2.1' }] },
      '409 2722 /rdata/1/value',
    ],
  ])('is refused: %s', async (_, path, body, expected) => {
    expect(resultOf(await world.ask('PUT', `${R}/${path}`, body))).toBe(expected)
  })

  it('no reader sees the name without the RRSet', async () => {
    const seen = new Set<string>()
    const changes = Array.from({ length: 20 }, async (_, n) =>
      world.ask('PUT', `${R}/free/rrsets/A`, { ttl: 100 + n, rdata: [{ value: `192.0.2.${n}` }] }),
    )
    const reads = Array.from({ length: 60 }, async () => world.ask('GET', `${R}/free/rrsets/A`))
    for (const { status, body } of await Promise.all(reads))
      seen.add(`${status} ${status === 200 ? (body.data as Shown).rdata.length : ''}`)
    await Promise.all(changes)

    expect([...seen]).toEqual(['200 1'])
  })
})

it('a generated label never takes one that the request gives later', async () => {
  await world.ask('PUT', `${R}/empty/rrsets/A/rdata`, [{ value: '192.0.2.1' }])
  const body = [{ value: '192.0.2.2' }, { value: '192.0.2.1', label: '_1' }]

  expect((await world.ask('PUT', `${R}/empty/rrsets/A/rdata`, body)).status).toBe(202)
  expect(await shown('empty/rrsets/A')).toBe('60, _1 192.0.2.1, _2 192.0.2.2')
})
