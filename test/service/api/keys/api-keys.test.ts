import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { addApiKey, codesOf } from '../inside.ts'
import { apiWorld, type Reply, type World } from '../world.ts'
import { WRITES } from '../writes.ts'

const KEYS = '/v1/account/api-keys'
const R = '/v1/dns/records/example.test'
const SOON = '2099-01-01T00:00:00.000Z'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const dataOf = ({ body }: Reply) => body.data as Readonly<Record<string, unknown>>
const resultOf = (reply: Reply): string =>
  [reply.status, ...codesOf(reply), ...(reply.body.errors ?? []).map(({ pointer }) => pointer ?? '')].join(
    ' ',
  )
/** Another API key of account A, with its secret. */
const make = async (...scopes: readonly string[]): Promise<string> =>
  String(dataOf(await world.ask('POST', KEYS, { scopes }))['key'])
const everything = async (): Promise<string> =>
  JSON.stringify([
    (await world.ask('GET', '/v1/dns/records?view=detail&limit=500&expand[]=offline_settings')).body,
    (await world.ask('GET', '/v1/account/ddns-keys')).body,
    (await world.ask('GET', '/v1/dns/zones')).body,
  ])

describe('API keys in the API', () => {
  it('are created with their secret, which no list shows; they work, and are deleted', async () => {
    const { ask } = world
    const made = await ask('POST', KEYS, {
      description: 'acme',
      scopes: ['type:txt', 'type:TXT'],
      expires_at: SOON,
    })
    const { key, ...rest } = dataOf(made)
    expect([made.status, rest]).toEqual([
      201,
      {
        id: expect.any(Number),
        description: 'acme',
        scopes: ['type:TXT'],
        created_at: expect.any(String),
        expires_at: SOON,
        last_used_at: null,
      },
    ])
    expect(key).toMatch(/^\w{20,}$/)
    expect((await ask('GET', R, undefined, String(key))).status).toBe(200)

    const listed = await ask('GET', KEYS)
    const found = (listed.body.data as readonly { id: number; last_used_at: string }[]).find(
      ({ id }) => id === rest['id'],
    )
    expect(found).toMatchObject({ scopes: ['type:TXT'], last_used_at: expect.any(String) })
    expect(JSON.stringify(listed.body)).not.toContain(key)

    expect((await ask('DELETE', `${KEYS}/${String(rest['id'])}`)).status).toBe(200)
    expect((await ask('GET', R, undefined, String(key))).status).toBe(401)
    expect(resultOf(await ask('DELETE', `${KEYS}/${String(rest['id'])}`))).toBe('404 404 ')
  })

  it('of another account are not listed and not deleted', async () => {
    const { ask } = world
    const other = (await ask('GET', KEYS, undefined, 'key-of-b')).body.data as readonly { id: number }[]
    const own = (await ask('GET', KEYS)).body.data as readonly { id: number }[]
    expect([own.length, other.length]).toEqual([2, 2])
    expect((await ask('DELETE', `${KEYS}/${other[0]?.id}`)).status).toBe(404)
    expect((await ask('GET', R.replace('example', 'b'), undefined, 'key-of-b')).status).toBe(200)
  })

  // biome-ignore format: a table
  it.each<[body: unknown, expected: string]>([
    [{ scopes: ['write'] },                                   '400 3809 /scopes/0'],
    [{ scopes: ['read', 5, 'zone:'] },                        '400 3809 3809 /scopes/1 /scopes/2'],
    [{ scopes: 'read' },                                      '400 3809 /scopes'],
    [{ scopes: Array.from({ length: 51 }, () => 'read') },    '400 3809 /scopes'],
    [{ description: 5 },                                      '400 3809 /description'],
    [{ description: 'x'.repeat(256) },                        '400 3809 /description'],
    [{ expires_at: '2020-01-01T00:00:00Z' },                  '400 3809 /expires_at'],
    [{ expires_at: 'tomorrow' },                              '400 3809 /expires_at'],
    [{ expires_at: 5 },                                       '400 3809 /expires_at'],
    [{ scope: ['read'], expires: SOON },                      '400 3809 3809 /scope /expires'],
    [[],                                                      '400 3809 '],
  ])('%j: %s', async (body, expected) => {
    expect(resultOf(await world.ask('POST', KEYS, body))).toBe(expected)
  })

  it('a scope that matches nothing now is told', async () => {
    const warningsOf = async (...scopes: readonly string[]): Promise<readonly string[]> =>
      ((await world.ask('POST', KEYS, { scopes })).body.warnings ?? []).map(
        (one) => (one as unknown as { detail: string }).detail,
      )
    expect(await warningsOf('read', 'type:A', 'zone:example.test', 'name:new.example.test')).toEqual([])
    expect(await warningsOf('zone:nozone.test', 'name:x.nozone.test', 'zone:b.test')).toEqual([
      'the scope zone:nozone.test matches nothing that this account may use now',
      'the scope name:x.nozone.test matches nothing that this account may use now',
      'the scope zone:b.test matches nothing that this account may use now',
    ])
  })

  it.each(['POST', 'PUT'])('of the update protocol have no fields but their own: %s', async (method) => {
    const path = '/v1/account/ddns-keys'
    const { username } = dataOf(await world.ask('POST', path, {})) as { username: string }
    const before = await everything()
    const body = { description: 'x', hostname: ['home.example.test'] }
    const reply = await world.ask(method, method === 'POST' ? path : `${path}/${username}`, body)
    expect(resultOf(reply)).toBe('400 3809 /hostname')
    expect(await everything()).toBe(before)
  })

  it.each([['read'], ['zone:example.test'], ['name:home.example.test'], ['type:A']])(
    'are not managed with an API key of the scope %s',
    async (scope) => {
      const key = await make(scope)
      const replies = [
        await world.ask('GET', KEYS, undefined, key),
        await world.ask('POST', KEYS, {}, key),
        await world.ask('GET', `${KEYS}/1`, undefined, key),
        await world.ask('PUT', `${KEYS}/1`, {}, key),
        await world.ask('DELETE', `${KEYS}/1`, undefined, key),
      ]
      expect(replies.map(resultOf)).toEqual(Array(5).fill('403 403 '))
    },
  )

  it('expire no later than the API key that creates them', async () => {
    const { ask, store, ids } = world
    await addApiKey(store, ids['a'] ?? 0, 'brief', { expiresAt: Date.parse(SOON) })
    const make = async (body: object) => ask('POST', KEYS, body, 'brief')

    expect(dataOf(await make({}))['expires_at']).toBe(SOON)
    expect(dataOf(await make({ expires_at: null }))['expires_at']).toBe(SOON)
    expect(resultOf(await make({ expires_at: '2099-01-01T00:00:01Z' }))).toBe('400 3809 /expires_at')
    expect((await make({ expires_at: '2098-01-01T00:00:00Z' })).status).toBe(201)
  })

  it('have a last use, which is written once a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const start = Date.UTC(2026, 5, 1)
      const used = async (at: number): Promise<unknown> => {
        vi.setSystemTime(at)
        const { body } = await world.ask('GET', KEYS)
        return (body.data as readonly { last_used_at: string }[])[0]?.last_used_at
      }
      const seen = [await used(start), await used(start + 59_999), await used(start + 60_000)]
      expect(seen).toEqual([0, 0, 60_000].map((after) => new Date(start + after).toISOString()))
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a change of an API key', () => {
  const WIDE = ['zone:example.test', 'zone:noadd.test', 'name:free.example.test']
  let path: string
  let key: string
  beforeEach(async () => {
    const made = dataOf(
      await world.ask('POST', KEYS, { description: 'acme', scopes: WIDE, expires_at: SOON }),
    )
    path = `${KEYS}/${String(made['id'])}`
    key = String(made['key'])
  })
  const change = async (body: unknown) => world.ask('PUT', path, body)
  const stored = async () => dataOf(await world.ask('GET', path))

  it('narrows its rights at once, and shows what is stored, without the key', async () => {
    expect((await world.ask('GET', R, undefined, key)).status).toBe(200)
    const body = {
      description: 'certbot',
      scopes: ['zone:noadd.test', 'name:_acme-challenge.free.example.test', 'read'],
      expires_at: '2098-01-01T00:00:00Z',
    }
    const changed = await change(body)
    expect([changed.status, dataOf(changed)]).toEqual([
      202,
      {
        ...body,
        id: expect.any(Number),
        created_at: expect.any(String),
        expires_at: '2098-01-01T00:00:00.000Z',
        last_used_at: expect.any(String),
      },
    ])
    expect(await stored()).toEqual(dataOf(changed))
    expect((await world.ask('GET', R, undefined, key)).status).toBe(404)
  })

  it('leaves what the body leaves out, and nothing is written where nothing changes', async () => {
    const before = await stored()
    const entries = async () =>
      (await world.store.read(async (r) => r.overview('trail', { filter: {}, now: instant(0) }))).length
    const count = await entries()
    for (const body of [{}, { description: 'acme' }, { scopes: WIDE, expires_at: SOON }]) {
      const { status } = await change(body)
      expect([status, await stored(), await entries()]).toEqual([200, before, count])
    }
    expect((await change({ description: '' })).status).toBe(202)
    expect([await stored(), await entries()]).toEqual([{ ...before, description: '' }, count + 1])
  })

  // biome-ignore format: a table
  it.each<[body: unknown, expected: string]>([
    [{ scopes: [] },                                             '400 3809 3809 /scopes /scopes'],
    [{ scopes: ['zone:example.test'] },                          '400 3809 /scopes'],
    [{ scopes: [...WIDE, 'zone:web.test'] },                     '400 3809 /scopes/3'],
    [{ scopes: ['zone:example.test', 'name:example.test'] },     '400 3809 /scopes/1'],
    [{ scopes: ['write'] },                                      '400 3809 /scopes/0'],
    [{ scopes: null },                                           '400 3809 /scopes'],
    [{ expires_at: null },                                       '400 3809 /expires_at'],
    [{ expires_at: '2099-01-01T00:00:00.001Z' },                 '400 3809 /expires_at'],
    [{ expires_at: '2020-01-01T00:00:00Z' },                     '400 3809 /expires_at'],
    [{ expires_at: 5 },                                          '400 3809 /expires_at'],
    [{ description: null },                                      '400 3809 /description'],
    [{ scope: WIDE },                                            '400 3809 /scope'],
    [[],                                                         '400 3809 '],
  ])('never gives it more: %j: %s', async (body, expected) => {
    const before = await stored()
    expect(resultOf(await change(body))).toBe(expected)
    expect(await stored()).toEqual(before)
  })

  it('is of a key of the account', async () => {
    const id = (await world.ask('GET', KEYS, undefined, 'key-of-b')).body.data as readonly { id: number }[]
    for (const other of [id[0]?.id, 0, 99_999, 'x', '1e0']) {
      expect(resultOf(await world.ask('GET', `${KEYS}/${other}`))).toBe('404 404 ')
      expect(resultOf(await world.ask('PUT', `${KEYS}/${other}`, {}))).toBe('404 404 ')
    }
  })

  it('may narrow a key without scopes and without an end', async () => {
    const { id } = dataOf(await world.ask('POST', KEYS, {}))
    const at = `${KEYS}/${String(id)}`
    expect((await world.ask('PUT', at, { expires_at: null })).status).toBe(200)
    expect((await world.ask('PUT', at, { scopes: ['type:TXT'], expires_at: SOON })).status).toBe(202)
    expect(dataOf(await world.ask('GET', at))).toMatchObject({ scopes: ['type:TXT'], expires_at: SOON })
  })
})

describe('an API key for _acme-challenge TXT records', () => {
  const NAME = '_acme-challenge.free.example.test'
  const TXT = `${R}/_acme-challenge.free/rrsets/TXT`
  let key: string
  beforeEach(async () => void (key = await make(`name:${NAME}`, 'type:TXT')))
  const ask = async (method: string, path: string, body?: unknown) => world.ask(method, path, body, key)

  it('makes, reads, changes and deletes them', async () => {
    const challenge = { name: '_acme-challenge.free', dns_type: 'TXT' }
    // biome-ignore format: a table
    const steps: readonly (readonly [method: string, path: string, body: unknown, status: number])[] = [
      ['GET',    '/v1/dns/zones',             undefined,                              200],
      ['POST',   `${TXT}/rdata`,              [{ value: 'x', label: 'a' }],           201],
      ['GET',    TXT,                         undefined,                              200],
      ['PUT',    `${TXT}/rdata/b`,            { value: 'y' },                         201],
      ['PUT',    `${TXT}/rdata`,              [{ value: 'z', label: 'a' }],           202],
      ['PUT',    TXT,                         { ttl: 90 },                            202],
      ['POST',   `${TXT}/metadata`,           { metadata: { a: 'b' } },               202],
      ['POST',   `${R}/_acme-challenge.free/publish`, undefined,                      202],
      ['DELETE', `${TXT}/rdata/a`,            undefined,                              200],
      ['PATCH',  R,                           [{ ...challenge, rdata: [{ value: 'x' }] }], 202],
      ['DELETE', TXT,                         undefined,                              200],
      ['POST',   R,                           { name: '_acme-challenge.free', rrsets: [{ dns_type: 'TXT', rdata: [{ value: 'x' }] }] }, 201],
      ['PATCH',  R,                           [{ ...challenge, rdata: [] }],          202],
      ['POST',   `${R}/_acme-challenge.free/rrsets`, [{ dns_type: 'TXT', rdata: [{ value: 'x' }] }], 201],
      ['POST',   `${R}/deep._acme-challenge.free/rrsets/TXT/rdata`, [{ value: 'x' }], 201],
    ]
    for (const [method, path, body, status] of steps) {
      const reply = await ask(method, path, body)
      expect([method, path, reply.status, reply.body.errors]).toEqual([method, path, status, undefined])
    }
  })

  it.each(WRITES.map((write) => [write] as const))('may not do %j', async ([, method, path, body]) => {
    const before = await everything()
    const { status } = await ask(method, path, body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).not.toBe(401)
    expect(await everything()).toBe(before)
  })

  // biome-ignore format: a table
  it.each<[method: string, path: string, body: unknown, expected: string]>([
    ['POST',   `${R}/_acme-challenge.free/rrsets/A/rdata`,  [{ value: '192.0.2.1' }],                  '403 2051 /dns_type'],
    ['PUT',    `${R}/_acme-challenge.free/rrsets/A/rdata`,  [{ value: '192.0.2.1' }],                  '403 2051 /dns_type'],
    ['PUT',    `${R}/_acme-challenge.free/rrsets/A/rdata/a`, { value: '192.0.2.1' },                   '403 2051 /dns_type'],
    ['PUT',    `${R}/_acme-challenge.free/rrsets/A`,        { rdata: [{ value: '192.0.2.1' }] },       '403 2051 /dns_type'],
    ['PUT',    `${R}/_acme-challenge.free/rrsets/MX`,       { ttl: 90 },                               '403 2051 /dns_type'],
    ['POST',   `${R}/_acme-challenge.free/rrsets`,          [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }], '403 2051 /0/dns_type'],
    ['PATCH',  R,  [{ name: '_acme-challenge.free', dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }], '403 2051 /0/dns_type'],
    ['PATCH',  R,  [{ name: '_acme-challenge.free', dns_type: 'MX', rdata: [] }],                      '403 2710 /0/dns_type'],
    ['PATCH',  R,  [{ name: 'free', dns_type: 'TXT', rdata: [] }],                                     '403 3998 /0/name'],
    ['PATCH',  R,  [{ name: 'new', dns_type: 'TXT', rdata: [{ value: 'x' }] }],                        '403 3331 /0/name'],
    ['POST',   R,  { name: 'x_acme-challenge.free' },                                                  '403 3331 '],
    ['POST',   R,  { name: 'x._acme-challenge.free' },                                                 '403 3331 '],
    ['POST',   R,  { name: 'x._acme-challenge.free', metadata: { a: 'b' } },                           '403 3331 '],
    ['POST',   R,  { name: 'x._acme-challenge.free', update_group: 'kkk1111' },                        '403 3331 '],
    ['DELETE', `${R}/_acme-challenge.free/rrsets/MX`,       undefined,                                 '403 2710 '],
    ['POST',   `${R}/_acme-challenge.free/rrsets/MX/metadata`, { metadata: { a: 'b' } },               '403 2710 '],
    ['DELETE', `${R}/_acme-challenge.free/rrsets/MX/rdata/m`, undefined,                               '403 2730 '],
    ['DELETE', `${R}/_acme-challenge.free`,                 undefined,                                 '403 3998 '],
    ['POST',   `${R}/_acme-challenge.free/metadata`,        { metadata: { a: 'b' } },                  '403 3998 '],
    ['PUT',    `${R}/_acme-challenge.free/offline-settings`, { action: 'none' },                       '403 3998 '],
    ['DELETE', `${R}/_acme-challenge.free/offline-settings`, undefined,                                '403 3998 '],
    ['GET',    `${R}/free`,                                 undefined,                                 '404 4809 '],
    ['GET',    `${R}/free/rrsets/TXT`,                      undefined,                                 '404 4809 '],
    ['GET',    `${R}/free/offline-settings`,                undefined,                                 '404 4809 '],
    ['GET',    '/v1/dns/records/noadd.test',                undefined,                                 '404 2728 '],
    ['GET',    '/v1/dns/zones/noadd.test',                  undefined,                                 '404 2728 '],
  ])('%s %s %j: %s', async (method, path, body, expected) => {
    await world.ask('PATCH', R, [{ name: '_acme-challenge.free', dns_type: 'MX', rdata: [{ value: '0 .', label: 'm' }] }])
    expect(resultOf(await ask(method, path, body))).toBe(expected)
  })

  it('lists its name, its zone, and no other, with exact totals', async () => {
    await world.ask('POST', R, { name: '_acme-challenge.free' })
    await world.ask('POST', R, { name: 'x._acme-challenge.free' })
    const listed = async (path: string): Promise<unknown> => {
      const { body } = await ask('GET', path)
      return [body.page?.total, (body.data as readonly { name: string }[]).map(({ name }) => name)]
    }
    const names = [2, ['_acme-challenge.free', 'x._acme-challenge.free']]
    expect(await listed('/v1/dns/records')).toEqual(names)
    expect(await listed(R)).toEqual(names)
    expect(await listed('/v1/dns/zones')).toEqual([1, ['example.test']])
    expect(await listed('/v1/dns/clients')).toEqual([0, []])
  })
})

describe('an API key for a name above a zone', () => {
  it('reads and lists the zones beneath it', async () => {
    const { ask } = world
    await ask('POST', '/v1/dns/zones', { zone_name: 'deep.example.test' })
    await ask('POST', '/v1/dns/zones', { zone_name: 'xdeep.test' })
    const key = await make('name:example.test')
    const { body } = await ask('GET', '/v1/dns/zones', undefined, key)

    expect((body.data as readonly { name: string }[]).map(({ name }) => name)).toEqual([
      'deep.example.test',
      'example.test',
    ])
    expect((await ask('GET', '/v1/dns/records/deep.example.test/@', undefined, key)).status).toBe(200)
    expect((await ask('GET', '/v1/dns/records/xdeep.test/@', undefined, key)).status).toBe(404)
  })
})
