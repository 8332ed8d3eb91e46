import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { addApiKey } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

const TRAIL = '/v1/account/trail'
const R = '/v1/dns/records'

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly page: { readonly limit: number; readonly next: string | null }
}

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const read = async (query = '', key?: string): Promise<Page> => {
  const { status, body } = await world.ask('GET', `${TRAIL}?${query}`, undefined, key)
  expect([status, body.errors]).toEqual([200, undefined])
  return body as unknown as Page
}
const subjects = async (query: string): Promise<readonly unknown[]> =>
  (await read(query)).data.map(({ subject }) => subject)

const change = async (): Promise<void> => {
  const { ask, store, ids } = world
  await ask('POST', `${R}/example.test`, { name: 'new' })
  await ask('PUT', `${R}/example.test/free/rrsets/A`, { ttl: 300 })
  await ask('POST', '/v1/account/api-keys', { description: 'x' })
  await ask('POST', `${R}/dyn.test/mine/metadata`, { metadata: { a: 'b' } })
  await store.write(async (w) =>
    w.addTrail([
      {
        at: instant(Date.UTC(2026, 0, 2)),
        accountId: ids['a'] ?? 0,
        isUpdate: true,
        actor: 'key kkk1111',
        peer: '192.0.2.9',
        operation: 'update',
        subject: 'home.example.test',
        dnsType: 'A',
        after: '60 192.0.2.1',
      },
    ]),
  )
}

describe('the trail', () => {
  it('shows the changes of the account, the newest first, and those of no other', async () => {
    await change()
    await world.ask('POST', `${R}/b.test`, { name: 'of-b' }, 'key-of-b')
    const { data, page } = await read()
    expect(page).toEqual({ limit: 50, next: null })
    expect(data.map(({ subject }) => subject)).toEqual([
      'mine.dyn.test',
      expect.stringMatching(/^\d+$/),
      'free.example.test',
      'new.example.test',
      'home.example.test',
    ])
    expect([data[2], data[4]]).toEqual([
      {
        at: expect.stringMatching(/^20.*Z$/),
        actor: expect.stringMatching(/^API key \d+$/),
        peer: '127.0.0.1',
        operation: 'replaceRRSet',
        subject: 'free.example.test',
        dns_type: 'A',
        before: '60 192.0.2.7',
        after: '300 192.0.2.7',
      },
      {
        at: '2026-01-02T00:00:00.000Z',
        actor: 'key kkk1111',
        peer: '192.0.2.9',
        operation: 'update',
        subject: 'home.example.test',
        dns_type: 'A',
        before: null,
        after: '60 192.0.2.1',
      },
    ])
  })

  it('is read in pages, each of which begins after the one before', async () => {
    await change()
    const whole = (await read()).data
    const rows: unknown[] = []
    for (let next: string | null = ''; next !== null; ) {
      const { data, page } = await read(`limit=2${next === '' ? '' : `&after=${next}`}`)
      expect([data.length <= 2, page.limit]).toEqual([true, 2])
      rows.push(...data)
      next = page.next
    }
    expect(rows).toEqual(whole)
    expect(await read('limit=0&after=3-4')).toMatchObject({ data: [], page: { limit: 0, next: '3-4' } })
  })

  it('is filtered', async () => {
    await change()
    expect(await subjects('filter[zone_name]=Example.TEST')).toEqual([
      'free.example.test',
      'new.example.test',
      'home.example.test',
    ])
    expect(await subjects('filter[name]=FREE.example.test')).toEqual(['free.example.test'])
    expect(await subjects('filter[zone_name]=example.test&filter[name]=home')).toEqual(['home.example.test'])
    expect(await subjects('filter[zone_name]=example.test&filter[name]=@')).toEqual([])
    expect(await subjects('filter[operation]=setNameMetadata')).toEqual(['mine.dyn.test'])
    expect(await subjects('filter[actor]=key kkk1111')).toEqual(['home.example.test'])
    expect(await subjects('filter[to]=2026-01-03T00:00:00Z')).toEqual(['home.example.test'])
    expect(await subjects('filter[to]=2026-01-02T00:00:00Z')).toEqual([])
    expect(await subjects('filter[from]=2026-01-03T00:00:00Z&filter[zone_name]=dyn.test')).toEqual([
      'mine.dyn.test',
    ])
  })

  // biome-ignore format: a table
  it.each([
    ['after=x',                                              'after'],
    ['after=1-2-3',                                          'after'],
    ['after=9999999999999999-1',                             'after'],
    ['after=1-1&after=1-1',                                  'after'],
    ['offset=1',                                             'offset'],
    ['filter[colour]=red',                                   'filter'],
    ['filter[constructor]=red',                              'filter'],
    ['filter=x',                                             'filter'],
    ['filter[name]=a&filter[name]=b',                        'filter'],
    ['filter[from]=yesterday',                               'filter'],
    ['filter[to]=2026-01-01',                                'filter'],
    ['filter[actor]=%00',                                    'filter'],
  ])('refuses %s', async (query, pointer) => {
    const { status, body } = await world.ask('GET', `${TRAIL}?${query}`)
    expect([status, body.errors?.map((error) => error.pointer)]).toEqual([400, [pointer]])
  })

  it('is read by a key of the scope read, and by none for a part of the account', async () => {
    await change()
    expect((await read('', 'reader-of-a')).data).toHaveLength(5)
    for (const scope of ['zone:example.test', 'name:home.example.test', 'type:A']) {
      const key = scope.replace(':', '-')
      await addApiKey(world.store, world.ids['a'] ?? 0, key, { scopes: [scope] })
      const { status, body } = await world.ask('GET', TRAIL, undefined, key)
      expect([status, body.errors?.map(({ code }) => code)]).toEqual([403, ['403']])
    }
  })
})
