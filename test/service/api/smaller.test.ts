import type { Instant } from '../../../src/shared/base/time.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { flushed } from '../publish/flushed.ts'
import { prepare, apiWorld, type Reply, type World } from './world.ts'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const R = '/v1/dns/records'
const KEYS = '/v1/account/ddns-keys'
const codes = (reply: Reply): string =>
  [reply.status, ...(reply.body.errors ?? []).map(({ code }) => code)].join(' ')

describe('offset and limit', () => {
  it.each([
    ['limit=9223372036854775807', { offset: 0, limit: 500 }],
    ['limit=9007199254740993', { offset: 0, limit: 500 }],
    ['offset=9223372036854775807', { offset: Number.MAX_SAFE_INTEGER, limit: 50 }],
  ])('of 64 bits are reduced: %s', async (query, page) => {
    for (const path of [R, `${R}/example.test`, `${R}/example.test/free/rrsets`]) {
      const { status, body } = await world.ask('GET', `${path}?${query}`)
      expect([status, body.page]).toMatchObject([200, page])
    }
  })

  it.each(['limit=-1', 'offset=1e3', 'limit=99999999999999999999', 'offset=x'])(
    '%s is refused',
    async (query) => {
      expect(codes(await world.ask('GET', `${R}?${query}`))).toBe('400 2451')
    },
  )
})

it('offline settings of a new name need the plan, as for PUT', async () => {
  await prepare(world, 'no-offline')
  const settings = { action: 'redirect', url: 'https://x.test/' }

  const made = await world.ask('POST', `${R}/example.test`, { name: 'new', offline_settings: settings })
  expect(codes(made)).toBe('403 4748')
  expect(codes(await world.ask('PUT', `${R}/example.test/free/offline-settings`, settings))).toBe('403 4748')
})

describe('a body of another shape', () => {
  // biome-ignore format: a table
  it.each<[what: string, method: string, path: string, body: unknown, pointer: string | undefined]>([
    ['a list as a new name',     'POST', `${R}/example.test`, [{ name: 'new' }], undefined],
    ['null as a new name',       'POST', `${R}/example.test`, null, undefined],
    ['offline as text',          'POST', `${R}/example.test`, { name: 'new', offline: 'yes' }, '/offline'],
    ['the message of a page',    'PUT',  `${R}/example.test/free/offline-settings`, { action: 'page', title: 't', message: 5 }, '/message'],
    ['the message of a new one', 'POST', `${R}/example.test`, { name: 'new', offline_settings: { action: 'page', title: 't', message: {} } }, '/offline_settings/message'],
  ])('is refused, with its place: %s', async (_, method, path, body, pointer) => {
    const reply = await world.ask(method, path, body)
    expect([codes(reply), reply.body.errors?.[0]?.pointer]).toEqual(['400 3809', pointer])
  })
})

it.each(['catalog.holdfast', 'x.catalog.holdfast'])(
  'a zone with a name of the catalog is refused: %s',
  async (zone) => {
    expect(codes(await world.ask('POST', '/v1/dns/zones', { zone_name: zone }))).toBe('409 3425')
  },
)

describe.each(['locked', 'blocked'] as const)('a name that the operator has %s', (how) => {
  beforeEach(async () =>
    world.store.write(async (w) => {
      const id = (await w.nameAt((await w.zoneNamed('example.test'))?.id ?? 0, 'free'))?.id ?? 0
      await (how === 'locked' ? w.lockName(id, true) : w.blockName(id, true))
    }),
  )

  it('is not evaded by a zone of its name, or by a removal of its zone', async () => {
    for (const zone of ['free.example.test', 'example.test'])
      expect(codes(await world.ask('POST', '/v1/dns/zones', { zone_name: zone }))).toBe('409 3425')
    expect(codes(await world.ask('POST', '/v1/dns/zones', { zone_name: 'deep.free.example.test' }))).toBe(
      '201',
    )
    expect(codes(await world.ask('DELETE', '/v1/dns/zones/example.test'))).toBe('403 4821')
  })

  it('is not evaded by a delegation above it', async () => {
    await world.ask('POST', `${R}/example.test/x.cut/rrsets/A/rdata`, [{ value: '192.0.2.1' }])
    const delegate = async (name: string) =>
      codes(
        await world.ask('POST', `${R}/example.test/${name}/rrsets/NS/rdata`, [{ value: 'ns.other.test.' }]),
      )
    await world.store.write(async (w) => {
      const id = (await w.nameAt((await w.zoneNamed('example.test'))?.id ?? 0, 'x.cut'))?.id ?? 0
      await (how === 'locked' ? w.lockName(id, true) : w.blockName(id, true))
    })
    expect([await delegate('cut'), await delegate('other')]).toEqual(['400 3363', '201'])
  })
})

it('published_at is of the present state: null after a change, until it is published', async () => {
  const at = async () =>
    ((await world.ask('GET', `${R}/example.test/free`)).body.data as { published_at: string | null })
      .published_at
  expect(await at()).toBeNull()
  await flushed(world.store)
  expect(await at()).toBe('2026-01-02T00:00:00.000Z')
  expect(codes(await world.ask('PUT', `${R}/example.test/free/rrsets/A`, { ttl: 120 }))).toBe('202')
  expect(await at()).toBeNull()
})

it('a name is not shown with an expansion that does not exist', async () => {
  expect(codes(await world.ask('GET', `${R}/example.test/free?expand[]=colour`))).toBe('400 2451')
  expect(codes(await world.ask('GET', `${R}/example.test/free?expand[]=offline_settings`))).toBe('200')
})

describe('a name that belongs into a deeper zone', () => {
  const at = async (zone: string, name: string, key: string) =>
    world.ask(
      'POST',
      `${R}/${zone}`,
      { name, rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }] },
      key,
    )

  it('of another account is refused, by itself and in a batch', async () => {
    expect((await world.ask('POST', '/v1/dns/zones', { zone_name: 'kid.dyn.test' }, 'key-of-o')).status).toBe(
      201,
    )
    expect(codes(await at('dyn.test', 'kid', 'key-of-a'))).toBe('403 3331')
    const change = { name: 'kid', dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }
    expect(codes(await world.ask('PATCH', `${R}/dyn.test`, [change]))).toBe('403 3331')
    expect(codes(await at('dyn.test', 'other', 'key-of-a'))).toBe('201')
  })

  it('of the same account is made with a warning', async () => {
    expect((await world.ask('POST', '/v1/dns/zones', { zone_name: 'kid.example.test' })).status).toBe(201)
    for (const name of ['kid', 'www.kid']) {
      const { status, body } = await at('example.test', name, 'key-of-a')
      expect([status, body.warnings]).toEqual([
        201,
        [
          expect.objectContaining({
            code: 'W1000',
            detail: expect.stringContaining('the zone kid.example.test. hides'),
          }),
        ],
      ])
    }
  })
})

it('a batch keeps the records of the parent of a wildcard', async () => {
  const a = (name: string, ...values: readonly string[]) => ({
    name,
    dns_type: 'A',
    rdata: values.map((value) => ({ value })),
  })
  const patch = async (...changes: readonly object[]) =>
    codes(await world.ask('PATCH', `${R}/example.test`, changes))
  expect(await patch(a('p', '192.0.2.1'), a('*.p', '192.0.2.2'))).toBe('202')

  expect(await patch(a('p'))).toBe('400 3363')
  expect(await patch(a('p'), a('*.p'))).toBe('202')
})

it('a batch may make as many names as it removes', async () => {
  const txt = (name: string, ...values: readonly string[]) => ({
    name,
    dns_type: 'TXT',
    rdata: values.map((value) => ({ value })),
  })
  const patch = async (...changes: readonly object[]) =>
    codes(await world.ask('PATCH', `${R}/example.test`, changes))
  expect(await patch(txt('_acme-challenge.a', 'x'))).toBe('202')
  await prepare(world, 'names-full')

  expect(await patch(txt('_acme-challenge.b', 'x'))).toBe('402 3354')
  expect(await patch(txt('_acme-challenge.a'), txt('_acme-challenge.b', 'x'))).toBe('202')
})

it('an ALIAS that leads to a loop over a wildcard is refused', async () => {
  const alias = (name: string, target: string) => ({
    name,
    dns_type: 'ALIAS',
    rdata: [{ value: `${target}.example.test.` }],
  })
  expect(codes(await world.ask('PATCH', `${R}/example.test`, [alias('*', 'nothere')]))).toBe('400 4159')
  expect(codes(await world.ask('PATCH', `${R}/example.test`, [alias('*', 'free')]))).toBe('202')
  expect(codes(await world.ask('PATCH', `${R}/example.test`, [alias('free2', 'nothere')]))).toBe('202')
})

describe('text that cannot be stored', () => {
  // biome-ignore format: a table
  it.each<[what: string, method: string, path: string, body: unknown, pointer: string]>([
    ['a key of metadata',       'POST', `${R}/example.test/free/metadata`, { metadata: { '\ud800': 'x' } }, '/metadata/\ufffd'],
    ['a value of metadata',     'POST', `${R}/example.test/free/metadata`, { metadata: { a: 'x\0' } }, '/metadata/a'],
    ['a description',           'POST', KEYS, { description: '\udfff' }, '/description'],
    ['that of an API key',      'POST', '/v1/account/api-keys', { description: 'a\0' }, '/description'],
    ['the title of a page',     'PUT',  `${R}/example.test/free/offline-settings`, { action: 'page', title: '\ud800' }, '/title'],
  ])('is refused: %s', async (_, method, path, body, pointer) => {
    const reply = await world.ask(method, path, body)
    expect([codes(reply), reply.body.errors?.[0]?.pointer]).toEqual(['400 3809', pointer])
  })

  it('is refused: octets that are not UTF-8', async () => {
    const response = await fetch(`${world.url}${R}/example.test/free/rrsets/TXT/rdata/x`, {
      method: 'PUT',
      headers: { authorization: 'Bearer key-of-a', 'content-type': 'application/json' },
      body: Buffer.from('{"value":"\xff"}', 'latin1'),
    })
    expect(response.status).toBe(400)
  })
})

it('an API key does not expire on a day that does not exist', async () => {
  const make = async (at: string) =>
    codes(await world.ask('POST', '/v1/account/api-keys', { expires_at: at }))
  expect(await make('2027-02-30T00:00:00Z')).toBe('400 3809')
  expect(await make('2028-02-29T00:00:00Z')).toBe('201')
})

it('update_group may be null, as GET shows it', async () => {
  const path = `${R}/example.test/free/rrsets/A/rdata`
  expect(codes(await world.ask('POST', path, [{ value: '192.0.2.99', update_group: null }]))).toBe('201')
  expect(codes(await world.ask('POST', `${R}/example.test`, { name: 'new', update_group: null }))).toBe('201')
})

it('a batch checks the TTL of a removal', async () => {
  const change = { name: 'free', dns_type: 'A', rdata: [], ttl: -1 }
  expect(codes(await world.ask('PATCH', `${R}/example.test`, [change]))).toBe('400 3295')
})

it('an account for the website only makes no zones and no keys', async () => {
  await world.store.write(async (w) =>
    w.changeAccount(world.ids['a'] ?? 0, { isWebsiteOnly: true }, Date.UTC(2026, 0, 1) as Instant),
  )
  for (const [path, body] of [
    ['/v1/dns/zones', { zone_name: 'new.test' }],
    [KEYS, {}],
    ['/v1/account/api-keys', {}],
  ] as const)
    expect(codes(await world.ask('POST', path, body))).toBe('403 4786')
  expect(codes(await world.ask('GET', KEYS))).toBe('200')
})

it('hostnames: [] detaches every target of a DDNS key; another list leaves single Rdata', async () => {
  const targets = async (): Promise<number> =>
    ((await world.ask('GET', `${KEYS}/kkk1111`)).body.data as { targets: readonly unknown[] }).targets.length
  const put = async (hostnames: readonly string[]) => world.ask('PUT', `${KEYS}/kkk1111`, { hostnames })

  expect([await targets(), codes(await put(['free.example.test'])), await targets()]).toEqual([2, '202', 2])
  expect([codes(await put([])), await targets()]).toEqual(['202', 0])
})

describe('DELETE of a shared zone with names of other accounts', () => {
  const remove = async (query = '') =>
    world.ask('DELETE', `/v1/dns/zones/dyn.test${query}`, undefined, 'key-of-o')

  it('needs their number', async () => {
    const reply = await remove()
    expect(codes(reply)).toBe('409 409')
    expect(reply.body.errors?.[0]?.detail).toContain('?confirm=2')
    expect(codes(await remove('?confirm=1'))).toBe('409 409')
    expect(codes(await remove('?confirm=2'))).toBe('200')
  })

  it('needs nothing without such names, and refuses another number', async () => {
    await world.ask('DELETE', `${R}/dyn.test/bob`, undefined, 'key-of-o')
    await world.ask('DELETE', `${R}/dyn.test/mine`, undefined, 'key-of-o')
    for (const query of ['?confirm=abc', '?confirm=7', '?confirm='])
      expect(codes(await remove(query))).toBe('409 409')
    expect(codes(await remove())).toBe('200')
  })
})

it('DDNS keys are limited by the plan: 402, and fewer than the limit may be made again', async () => {
  const { store, ids, ask } = world
  await store.write(async (w) => w.changePlan(ids['plan-a'] ?? 0, { maxKeys: 3 }))
  const make = async () => codes(await ask('POST', KEYS, {}))

  expect([await make(), await make()]).toEqual(['201', '402 402'])
  await ask('DELETE', `${KEYS}/kkk2222`)
  expect(await make()).toBe('201')
})

describe('the zone listing', () => {
  const listed = async (query: string, key = 'key-of-a'): Promise<string> => {
    const { body } = await world.ask('GET', `/v1/dns/zones${query}`, undefined, key)
    return [body.page?.total, ...(body.data as readonly { name: string }[]).map(({ name }) => name)].join(' ')
  }

  it.each([
    ['', 'key-of-a', '4 example.test frozen.test noadd.test web.test'],
    ['?filter[is_shared]=true', 'key-of-a', '3 closed.test dyn.test vip.test'],
    ['?filter[is_shared]=true&limit=1&offset=1', 'key-of-a', '3 dyn.test'],
    ['?filter[is_shared]=false', 'key-of-a', '4 example.test frozen.test noadd.test web.test'],
    ['', 'key-of-o', '3 closed.test dyn.test vip.test'],
    ['?filter[is_shared]=false', 'key-of-o', '0'],
  ])('%s as %s: %s', async (query, key, expected) => expect(await listed(query, key)).toBe(expected))

  it.each(['filter[is_shared]=maybe', 'filter[name]=x', 'filter=x', 'filter[is_shared]=true&filter[name]=x'])(
    'refuses %s',
    async (query) => expect(codes(await world.ask('GET', `/v1/dns/zones?${query}`))).toBe('400 2451'),
  )
})

describe('a zone', () => {
  const ZONE = '/v1/dns/zones/example.test'

  it('has metadata that can be changed, and that filters its names', async () => {
    const set = async (metadata: object) => codes(await world.ask('POST', `${ZONE}/metadata`, { metadata }))
    const get = async () => (await world.ask('GET', `${ZONE}/metadata`)).body.data
    expect([await set({ a: 'b', c: 'd' }), await set({ a: '', e: 'f' }), await get()]).toEqual([
      '202',
      '202',
      { c: 'd', e: 'f' },
    ])
    const filter = encodeURIComponent('{"op":"exact","key":"e","value":"f"}')
    expect((await world.ask('GET', `${R}?zone_metadata=${filter}`)).body.page?.total).toBe(7)
    expect(codes(await world.ask('POST', `${ZONE}/metadata`, []))).toBe('400 3809')
  })

  it('is published with all of its names', async () => {
    expect(codes(await world.ask('POST', `${ZONE}/publish`))).toBe('202')
    await flushed(world.store)
    const { body } = await world.ask('GET', `${R}/example.test`)
    const times = (body.data as readonly { published_at: string | null }[]).map((one) => one.published_at)
    expect(times.filter((time) => time === null)).toEqual([])
  })
})

describe('a name with other letters than ASCII', () => {
  const A = [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }]
  const shownName = async (path: string): Promise<unknown> =>
    ((await world.ask('GET', path)).body.data as { name: string } | undefined)?.name

  it.each<[what: string, make: () => Promise<Reply>]>([
    ['POST of the name', async () => world.ask('POST', `${R}/example.test`, { name: 'München', rrsets: A })],
    [
      'POST of Rdata',
      async () =>
        world.ask('POST', `${R}/example.test/${encodeURIComponent('München')}/rrsets/A/rdata`, A[0]?.rdata),
    ],
    ['a batch', async () => world.ask('PATCH', `${R}/example.test`, [{ name: 'München', ...A[0] }])],
  ])('is made by %s, and found in both forms', async (_, make) => {
    expect((await make()).status).toBeLessThan(300)
    for (const name of ['xn--mnchen-3ya', encodeURIComponent('münchen')])
      expect(await shownName(`${R}/example.test/${name}`)).toBe('xn--mnchen-3ya')
    const filtered = await world.ask('GET', `${R}?filter[name]=${encodeURIComponent('münchen')}`)
    expect(filtered.body.page?.total).toBe(1)
    expect(codes(await world.ask('POST', `${R}/example.test`, { name: 'xn--mnchen-3ya' }))).toBe('409 4285')
    expect(codes(await world.ask('POST', KEYS, { hostnames: ['münchen.example.test'] }))).toBe('201')
  })

  it('may be a zone', async () => {
    expect(codes(await world.ask('POST', '/v1/dns/zones', { zone_name: 'bücher.test' }))).toBe('201')
    expect(await shownName('/v1/dns/zones/xn--bcher-kva.test')).toBe('xn--bcher-kva.test')
    expect(await shownName(`/v1/dns/zones/${encodeURIComponent('bücher.test')}`)).toBe('xn--bcher-kva.test')
  })

  it.each(['mün chen', 'a\u3002b', '\u2603$'])('is refused without a form in ASCII: %s', async (name) => {
    expect(codes(await world.ask('POST', `${R}/example.test`, { name }))).toBe('400 3284')
  })
})
