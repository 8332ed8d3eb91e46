import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { addApiKey, codesOf } from '../inside.ts'
import { apiWorld, prepare, type World } from '../world.ts'

const ZONE = '/v1/dns/zones/example.test'

let world: World
beforeEach(async () => {
  world = await apiWorld()
})
afterEach(async () => world.close())

const change = async (body: unknown, key = 'key-of-a') => world.ask('PATCH', ZONE, body, key)
const zone = async (): Promise<unknown> => (await world.ask('GET', ZONE)).body.data

describe('the description and the default TTL of a zone', () => {
  it('are shown, changed each alone, and removed', async () => {
    expect(await zone()).toMatchObject({ description: '', default_ttl: 60 })

    expect((await change({ description: 'the house' })).status).toBe(202)
    expect(await zone()).toMatchObject({ description: 'the house', default_ttl: 60 })
    expect((await change({ default_ttl: 300 })).status).toBe(202)
    expect(await zone()).toMatchObject({ description: 'the house', default_ttl: 300 })
    expect((await world.ask('GET', '/v1/dns/zones')).body.data).toContainEqual(await zone())
    expect((await change({ description: '' })).status).toBe(202)
    expect(await zone()).toMatchObject({ description: '', default_ttl: 300 })
  })

  it('say when the zone was changed, which an import with the old default must notice', async () => {
    const { updated_at: before } = (await zone()) as { updated_at: string }
    await change({ default_ttl: 300 })
    expect((await zone()) as object).not.toMatchObject({ updated_at: before })
  })

  it('change nothing, and leave no entry in the trail, where they are as they were', async () => {
    await change({ description: 'the house', default_ttl: 300 })
    const before = await trail()
    const same = await change({ description: 'the house', default_ttl: 300, colour: 'red' })

    expect([same.status, same.body.warnings]).toEqual([200, [expect.objectContaining({ code: 'W1000' })]])
    expect((await change({})).status).toBe(200)
    expect(await trail()).toEqual(before)
  })

  it('are in the trail, before and after', async () => {
    await change({ default_ttl: 300 })
    await change({ description: 'the house', default_ttl: 300 })

    expect((await trail()).map(({ name, before, after }) => [name, before, after])).toEqual([
      ['example.test', '{"description":""}', '{"description":"the house"}'],
      ['example.test', '{"default_ttl":60}', '{"default_ttl":300}'],
    ])
  })

  it('the default TTL is that of records without one', async () => {
    await change({ default_ttl: 300 })
    await world.ask('POST', '/v1/dns/records/example.test', {
      name: 'new',
      rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }],
    })
    const { body } = await world.ask('GET', '/v1/dns/records/example.test/new/rrsets/A')
    expect(body.data).toMatchObject({ ttl: 300 })
  })

  it('a default TTL that the plan does not allow stays, but is not set', async () => {
    await prepare(world, 'min-ttl:100')
    expect((await change({ default_ttl: 60, description: 'x' })).status).toBe(202)
    const lower = await change({ default_ttl: 99 })
    expect([codesOf(lower), lower.body.errors?.[0]?.pointer]).toEqual([['3655'], '/default_ttl'])
    expect((await change({ default_ttl: 100 })).status).toBe(202)
  })

  it.each([
    ['a list', [], '3809'],
    ['no body', undefined, '3809'],
    ['a description that is no text', { description: 1 }, '3809'],
    ['half of a surrogate pair', { description: '\ud800' }, '3809'],
    ['too long a description', { description: 'x'.repeat(256) }, '3809'],
    ['a TTL that is no number', { default_ttl: '300' }, '3295'],
    ['a TTL above a week', { default_ttl: 604_801 }, '3295'],
  ])('%s is refused', async (_, body, code) => {
    expect(codesOf(await change(body))).toEqual([code])
  })

  it('are not for an API key with a scope', async () => {
    const account = world.ids['a'] ?? 0
    await addApiKey(world.store, account, 'typed', { scopes: ['type:TXT'] })
    await addApiKey(world.store, account, 'zoned', { scopes: ['zone:example.test'] })

    const answers = []
    for (const key of ['typed', 'zoned', 'reader-of-a'])
      answers.push(codesOf(await change({ description: 'x' }, key)))
    // As for the metadata of a zone: a key for a zone may manage what the zone has, and no key that only reads.
    expect(answers).toEqual([['403'], [], ['3998']])
  })
})

const trail = async () => world.store.read(async (r) => r.overview('trail', { filter: {}, now: instant(0) }))
