import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codesOf } from './inside.ts'
import { countedOf, apiWorld, type World } from './world.ts'

const AT = '/v1/dns/records/example.test/_acme-challenge.www'
const TXT = `${AT}/rrsets/TXT`
const ZONE = '/v1/dns/records/example.test'
const TOKENS = ['gfj9Xq-Rg85nM_0', 'LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0'] as const

let world: World
beforeEach(async () => {
  world = await apiWorld()
})
afterEach(async () => world.close())

interface Shown {
  readonly rdata: readonly { readonly label: string; readonly value: string }[]
}
const shown = async (): Promise<readonly (readonly [string, string])[]> => {
  const { body } = await world.ask('GET', TXT)
  return (body.data as Shown).rdata.map(({ label, value }) => [label, value] as const)
}

describe('the requests of ACME clients for DNS-01', () => {
  it('append to a missing name, add a second token, and delete by label', async () => {
    const { ask } = world
    expect((await ask('GET', AT)).status).toBe(404)

    const first = await ask('POST', `${TXT}/rdata`, [{ value: TOKENS[0], label: 'challenge-1' }])
    expect([first.status, first.body]).toEqual([201, { warnings: [] }])
    const second = await ask('POST', `${TXT}/rdata`, [{ value: TOKENS[1], label: 'challenge-2' }])
    expect([second.status, second.body]).toEqual([201, { warnings: [] }])
    expect(await shown()).toEqual([
      ['challenge-1', `"${TOKENS[0]}"`],
      ['challenge-2', `"${TOKENS[1]}"`],
    ])

    for (const label of ['challenge-1', 'challenge-2'])
      expect((await ask('DELETE', `${TXT}/rdata/${label}`)).status).toBe(200)
    for (const label of ['challenge-1', 'challenge-2'])
      expect((await ask('DELETE', `${TXT}/rdata/${label}`)).status).toBe(404)

    expect([(await ask('GET', AT)).status, codesOf(await ask('GET', TXT))]).toEqual([404, ['4809']])
  })

  it('leave no names behind: a plan of one more name is enough for many certificates', async () => {
    const { ask, store, ids } = world
    await store.write(async (w) => {
      const { names } = await countedOf(w, ids['a'] ?? 0)
      await w.changePlan(ids['plan-a'] ?? 0, { maxNames: names + 1 })
    })
    for (let n = 0; n < 5; n++) {
      const data = `/v1/dns/records/example.test/_acme-challenge.h${n}/rrsets/TXT/rdata`
      expect((await ask('POST', data, [{ value: 'x', label: 'a' }])).status).toBe(201)
      expect((await ask('DELETE', `${data}/a`)).status).toBe(200)
    }
  })

  const OFFLINE = { action: 'redirect', url: 'https://x.test/' }
  // biome-ignore format: a table
  it.each<[what: string, steps: readonly (readonly [method: string, path: string, body?: unknown])[], status: number]>([
    ['made by POST of Rdata',           [['POST', `${TXT}/rdata`, [{ value: 'x', label: 'a' }]]], 404],
    ['made by a batch',                 [['PATCH', ZONE, [{ name: '_acme-challenge.www', dns_type: 'TXT', rdata: [{ value: 'x', label: 'a' }] }]]], 404],
    ['made by itself',                  [['POST', ZONE, { name: '_acme-challenge.www' }], ['POST', `${TXT}/rdata`, [{ value: 'x', label: 'a' }]]], 200],
    ['with another RRset',              [['POST', `${TXT}/rdata`, [{ value: 'x', label: 'a' }]], ['POST', `${AT}/rrsets`, [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }]]], 200],
    ['with metadata',                   [['POST', `${TXT}/rdata`, [{ value: 'x', label: 'a' }]], ['POST', `${AT}/metadata`, { metadata: { a: 'b' } }]], 200],
    ['with offline settings',           [['POST', `${TXT}/rdata`, [{ value: 'x', label: 'a' }]], ['PUT', `${AT}/offline-settings`, OFFLINE]], 200],
    ['that is the target of a key',     [['POST', `${TXT}/rdata`, [{ value: 'x', label: 'a' }]], ['POST', '/v1/account/ddns-keys', { hostnames: ['_acme-challenge.www.example.test'] }]], 200],
  ])('the last record of a name %s is deleted, in each way', async (_, steps, status) => {
    const removals = [
      ['DELETE', `${TXT}/rdata/a`, undefined],
      ['DELETE', TXT, undefined],
      ['PATCH', ZONE, [{ name: '_acme-challenge.www', dns_type: 'TXT', rdata: [] }]],
    ] as const
    for (const [method, path, body] of removals) {
      const fresh = await apiWorld()
      for (const step of steps) expect((await fresh.ask(...step)).status).toBeLessThan(300)
      expect((await fresh.ask(method, path, body)).status).toBeLessThan(300)
      expect((await fresh.ask('GET', AT)).status).toBe(status)
      await fresh.close()
    }
  })

  it('create the name without RRSets, then append', async () => {
    const { ask } = world
    const made = await ask('POST', '/v1/dns/records/example.test', { name: '_acme-challenge.www' })
    expect([made.status, made.body]).toEqual([201, { warnings: [] }])
    const again = await ask('POST', '/v1/dns/records/example.test', { name: '_acme-challenge.www' })
    expect([again.status, codesOf(again)]).toEqual([409, ['4285']])
    expect((await ask('POST', `${TXT}/rdata`, [{ value: TOKENS[0] }])).status).toBe(201)
    const [[label, value] = ['', '']] = await shown()
    expect(value).toBe(`"${TOKENS[0]}"`)
    expect(label).toMatch(/^_/) // made by the service
    expect((await ask('DELETE', `${TXT}/rdata/${label}`)).status).toBe(200)
  })

  it('set by label: created, unchanged, changed', async () => {
    const { ask } = world
    await ask('POST', '/v1/dns/records/example.test', { name: '_acme-challenge.www' })
    const set = async (value: string) => (await ask('PUT', `${TXT}/rdata/challenge-1`, { value })).status
    expect(await set(TOKENS[0])).toBe(201)
    expect(await set(TOKENS[0])).toBe(200)
    expect(await set(`"${TOKENS[0]}"`)).toBe(200) // the same value in quotes
    expect(await set(TOKENS[1])).toBe(202)
    expect(await set(TOKENS[1])).toBe(200)
    expect(await shown()).toEqual([['challenge-1', `"${TOKENS[1]}"`]])
  })

  it('fail to set by label at a missing name', async () => {
    const reply = await world.ask('PUT', `${TXT}/rdata/challenge-1`, { value: TOKENS[0] })
    expect([reply.status, codesOf(reply)]).toEqual([404, ['4809']])
  })

  it('get a conflict for the same token twice, which they accept', async () => {
    const { ask } = world
    await ask('POST', `${TXT}/rdata`, [{ value: TOKENS[0], label: 'challenge-1' }])
    const again = await ask('POST', `${TXT}/rdata`, [{ value: TOKENS[0], label: 'challenge-2' }])
    expect([again.status, codesOf(again)]).toEqual([409, ['2722']])
    const label = await ask('POST', `${TXT}/rdata`, [{ value: TOKENS[1], label: 'challenge-1' }])
    expect([label.status, codesOf(label)]).toEqual([400, ['2008']])
  })

  it.each([
    ['_acme-challenge.www.deep.sub.example.test', 'deep.sub.example.test'],
    ['_acme-challenge.www.sub.example.test', 'sub.example.test'],
    ['_acme-challenge.x.example.test', 'example.test'],
    ['_acme-challenge.notexample.test', undefined],
  ])('finds the zone of %s by paging the zones: %s', async (fqdn, zone) => {
    const { ask } = world
    for (const name of ['sub.example.test', 'deep.sub.example.test', 'zz.test'])
      expect((await ask('POST', '/v1/dns/zones', { zone_name: name })).status).toBe(201)
    const names: string[] = []
    for (let offset = 0, total = 1; offset < total; ) {
      const { body } = await ask('GET', `/v1/dns/zones?limit=2&offset=${offset}`)
      names.push(...(body.data as readonly { name: string }[]).map(({ name }) => name))
      offset += body.page?.limit ?? 1
      total = body.page?.total ?? 0
    }
    expect(new Set(names).size).toBe(names.length)
    const longest = names
      .filter((name) => fqdn === name || fqdn.endsWith(`.${name}`))
      .toSorted((a, b) => b.length - a.length)[0]
    expect(longest).toBe(zone)
  })

  const basic = (user: string, password: string): string =>
    `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  it.each([
    ['Basic with account and a wrong password', basic('a', 'wrong'), 401],
    ['Basic with the account and its API key', basic('a', 'key-of-a'), 401],
    ['Basic with nobody and the API key', basic('', 'key-of-a'), 200],
    ['basic in small letters', basic('', 'key-of-a').replace('Basic', 'basic'), 200],
    ['Bearer', 'Bearer key-of-a', 200],
    ['bearer in small letters', 'bearer key-of-a', 200],
    ['Bearer without a token', 'Bearer ', 401],
  ])('logs in: %s', async (_, authorization, status) => {
    const response = await fetch(`${world.url}/v1/dns/zones`, { headers: { authorization } })
    expect(response.status).toBe(status)
    await response.text()
  })
})
