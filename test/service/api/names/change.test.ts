import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { addApiKey, codesOf } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

const R = '/v1/dns/records/example.test'
const NOW = instant(Date.UTC(2026, 0, 1))

let world: World
beforeEach(async () => {
  world = await apiWorld()
})
afterEach(async () => world.close())

const change = async (name: string, body: unknown, key = 'key-of-a') =>
  world.ask('PATCH', `${R}/${name}`, body, key)
const read = async (name: string) =>
  (await world.ask('GET', `${R}/${name}?expand[]=offline_settings`)).body.data as Record<string, unknown>
const make = async (name: string, ...rrsets: readonly (readonly [type: string, value: string])[]) => {
  const body = {
    name,
    rrsets: rrsets.map(([type, value]) => ({ dns_type: type, ttl: 60, rdata: [{ value }] })),
  }
  expect((await world.ask('POST', R, body)).status).toBe(201)
}
const trail = async () =>
  (await world.store.read(async (r) => r.overview('trail', { filter: {}, now: NOW }))).map((entry) => [
    entry['name'],
    entry['type'],
    entry['before'],
    entry['after'],
  ])

describe('a name', () => {
  it('goes offline and comes back, with its records and settings', async () => {
    await world.ask('PUT', `${R}/home/offline-settings`, { action: 'redirect', url: 'https://x.test/' })
    const before = await read('home')

    expect((await change('home', { offline: true })).status).toBe(202)
    expect(await read('home')).toEqual({ ...before, offline: true, updated_at: expect.any(String) })
    const entries = (await trail()).length
    expect((await change('home', { offline: true })).status).toBe(200)
    expect((await change('home', {})).status).toBe(200)
    expect(await trail()).toHaveLength(entries)
    expect((await change('home', { offline: false })).status).toBe(202)
    expect(await read('home')).toEqual({ ...before, updated_at: expect.any(String) })
  })

  it('is renamed with its records, its metadata, its offline settings, its time and its DDNS keys', async () => {
    await world.ask('POST', `${R}/home/metadata`, { metadata: { room: 'attic' } })
    await world.ask('PUT', `${R}/home/offline-settings`, { action: 'none' })
    const before = await read('home')

    const { status, body } = await change('home', { name: 'House.München', offline: true, colour: 'red' })
    expect([status, body.warnings.map(({ code }) => code)]).toEqual([202, ['W1000']])
    const name = 'house.xn--mnchen-3ya'
    expect(await read(name)).toEqual({ ...before, name, offline: true, updated_at: expect.any(String) })
    expect((await world.ask('GET', `${R}/home`)).status).toBe(404)
    const keys = (await world.ask('GET', '/v1/account/ddns-keys/kkk1111')).body.data
    expect(keys).toMatchObject({ targets: expect.arrayContaining([{ zone_name: 'example.test', name }]) })
  })

  it('keeps the keys of single Rdata', async () => {
    await change('parts', { name: 'pieces' })
    expect(await read('pieces')).toMatchObject({
      rrsets: [{ rdata: [{ label: 'p', update_group: 'kkk1111' }, { label: 'q' }] }],
    })
  })

  it('that is renamed to itself does not change', async () => {
    expect((await change('home', { name: 'HOME' })).status).toBe(200)
    expect(await trail()).toEqual([])
  })

  it('leaves its records in the trail at both names, and both names where it has none', async () => {
    await change('home', { name: 'house' })
    await change('empty', { name: 'vacant' })

    expect((await trail()).toReversed()).toEqual([
      ['home.example.test', 'A', '60 192.0.2.1', null],
      ['house.example.test', 'A', null, '60 192.0.2.1'],
      ['empty.example.test', null, null, null],
      ['vacant.example.test', null, null, null],
    ])
  })

  it('is not renamed with a tag of older data', async () => {
    const response = await fetch(`${world.url}${R}/home`, {
      method: 'PATCH',
      headers: { authorization: 'Bearer key-of-a', 'content-type': 'application/json', 'if-match': '"x"' },
      body: '{"name":"house"}',
    })
    expect(response.status).toBe(412)
    expect(await read('home')).toMatchObject({ name: 'home' })
  })

  it('gets the warning of a new name', async () => {
    const { status, body } = await change('home', { name: 'home.example.test' })
    expect([status, body.warnings.map(({ code }) => code)]).toEqual([202, ['W1000']])
  })
})

/** A refused change changes nothing. */
const refusedAt = async (name: string, body: unknown, key?: string) => {
  const before = await world.ask('GET', '/v1/dns/records?view=detail&limit=500')
  const reply = await change(name, body, key)
  expect(await world.ask('GET', '/v1/dns/records?view=detail&limit=500')).toMatchObject({ body: before.body })
  return codesOf(reply)
}

describe('it is refused to rename', () => {
  it('the apex, and to the apex', async () => {
    expect(await refusedAt('@', { name: 'other' })).toEqual(['3998'])
    expect(await refusedAt('home', { name: '@' })).toEqual(['4285'])
  })

  it('a name whose wildcard needs it, and a name to a wildcard that needs that name', async () => {
    await make('*.free', ['A', '192.0.2.3'])
    expect(await refusedAt('free', { name: 'other' })).toEqual(['3363'])
    expect(await refusedAt('home', { name: '*.home' })).toEqual(['3624'])
    expect((await change('*.free', { name: '*' })).status).toBe(202)
    expect((await change('free', { name: 'other' })).status).toBe(202)
  })

  it('a name with a TTL that the zone does not take any more', async () => {
    await make('brief', ['A', '192.0.2.3'])
    await world.store.write(async (w) => w.changeZone(world.ids['example.test'] ?? 0, { minTtl: 600 }))
    expect(await refusedAt('brief', { name: 'short' })).toEqual(['3655'])
    await world.store.write(async (w) => w.changeZone(world.ids['example.test'] ?? 0, { fixedTtl: 300 }))
    expect(await refusedAt('brief', { name: 'short' })).toEqual(['4535'])
  })

  it('a delegation to a wildcard, and an ALIAS whose target it would become', async () => {
    await make('sub', ['NS', 'ns.other.test.'])
    await make('apple', ['ALIAS', 'pear.example.test.'])
    expect(await refusedAt('sub', { name: '*' })).toEqual(['3363'])
    expect(await refusedAt('apple', { name: 'pear' })).toEqual(['4159'])
  })

  it('the address of a name server of the zone, to where it is not found', async () => {
    await make('ns', ['A', '192.0.2.3'])
    await make('sub', ['NS', 'ns.example.test.'])
    expect(await refusedAt('ns', { name: 'ns0' })).toEqual(['3363'])
    expect((await change('sub', { name: 'branch' })).status).toBe(202)
  })

  it('a delegation to above a name that the operator has locked', async () => {
    await make('sub', ['NS', 'ns.other.test.'])
    await make('locked-too.deep', ['A', '192.0.2.3'])
    await world.store.write(async (w) => {
      const name = await w.nameAt(world.ids['example.test'] ?? 0, 'locked-too.deep')
      await w.lockName(name?.id ?? 0, true)
    })
    expect(await refusedAt('sub', { name: 'deep' })).toEqual(['3363'])
  })

  it('a name in a shared zone beneath itself, and one of another account in an own zone', async () => {
    const { store, ids } = world
    await store.write(async (w) => w.changeZone(ids['dyn.test'] ?? 0, { maxLabels: 2 }))
    const rename = async (name: string, to: string, key: string) =>
      codesOf(await world.ask('PATCH', `/v1/dns/records/dyn.test/${name}`, { name: to }, key))

    // The name beneath which it would be is the one that goes.
    expect(await rename('mine', '_a.mine', 'key-of-a')).toEqual(['3331'])
    expect(await rename('mine', 'www', 'key-of-o')).toEqual(['3998'])
    expect(await rename('mine', 'own', 'key-of-a')).toEqual([])
  })

  it('with an API key for some types, for another name, or for reading', async () => {
    const account = world.ids['a'] ?? 0
    await addApiKey(world.store, account, 'typed', { scopes: ['type:A'] })
    await addApiKey(world.store, account, 'named', { scopes: ['name:home.example.test'] })

    expect(await refusedAt('home', { name: 'house' }, 'typed')).toEqual(['3998'])
    expect(await refusedAt('home', { offline: false }, 'typed')).toEqual(['3998'])
    expect(await refusedAt('home', { name: 'house' }, 'named')).toEqual(['3331'])
    expect(await refusedAt('free', { name: 'a.home' }, 'named')).toEqual(['3998'])
    expect(await refusedAt('home', { name: 'house' }, 'reader-of-a')).toEqual(['3998'])
    expect((await change('home', { name: 'a.home' }, 'named')).status).toBe(202)
  })

  it.each([
    ['offline that is neither true nor false', { offline: 'yes' }, '3809'],
    ['a list', [], '3809'],
    ['no body', undefined, '3809'],
    ['a name that is no text', { name: 1 }, '3607'],
    ['no name', { name: null }, '3607'],
  ])('with %s', async (_, body, code) => {
    expect(await refusedAt('home', body)).toEqual([code])
  })
})
