import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { instant } from '../../../src/shared/base/time.ts'
import type { Route } from '../../../src/service/api/route.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import type { OverviewRow } from '../../../src/service/store/overview.ts'
import { OPERATOR } from './at-the-website.ts'
import { apiWorld, type World } from './world.ts'
import { type Write, WRITES } from './writes.ts'

/** They make nothing different: what is stored is published as it is. */
const WITHOUT_CHANGE: readonly string[] = ['publishZone', 'publishName', 'createPasskeyOptions']
const R = '/v1/dns/records'

let world: World
beforeEach(async () => {
  world = await apiWorld()
})
afterEach(async () => world.close())

const trail = async (): Promise<readonly OverviewRow[]> =>
  world.store.read(async (r) => r.overview('trail', { filter: {}, now: instant(0) }))

describe('a change by the API', () => {
  it('is tried for each route that changes something', () => {
    const routes = Object.entries<Route>(ROUTES).flatMap(([name, { method }]) =>
      method === 'GET' ? [] : [name],
    )
    expect(routes.filter((name) => !WRITES.some(([route]) => route === name))).toEqual([])
  })

  it.each(WRITES.map((write) => [write] as const))('leaves an entry: %j', async (write: Write) => {
    const [route, method, path, body, as] = write
    if (route === 'deleteOffline')
      await world.ask('PUT', path, { action: 'redirect', url: 'https://example.test/' })
    const before = await trail()
    expect((await world.ask(method, path, body, as)).status).toBeLessThan(300)

    const entries = (await trail()).slice(0, (await trail()).length - before.length)
    const expected = {
      // An account that is gone has a number.
      account: route === 'deleteAccount' ? expect.stringMatching(/^#\d+$/) : as === OPERATOR ? OPERATOR : 'a',
      operation: route,
      by: as === undefined ? expect.stringMatching(/^API key \d+$/) : `account ${as.split(':')[0] ?? ''}`,
      from: '127.0.0.1',
    }
    if (WITHOUT_CHANGE.includes(route)) expect(entries).toEqual([])
    else {
      expect(entries.length).toBeGreaterThan(0)
      for (const entry of entries) expect(entry).toMatchObject(expected)
    }
  })

  it('has the whole name also where no RRSet changes', async () => {
    const made = await world.ask('POST', `${R}/example.test`, { name: 'vacant' })
    const set = await world.ask('POST', `${R}/example.test/home/metadata`, { metadata: { a: 'b' } })
    expect([made.status, set.status]).toEqual([201, 202])
    expect((await trail()).slice(0, 2).map(({ name }) => name)).toEqual([
      'home.example.test',
      'vacant.example.test',
    ])
  })

  it('has the values before and after of each RRSet, and none where nothing changes', async () => {
    const at = `${R}/example.test/free/rrsets`
    const steps: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ['PUT', `${at}/A`, { ttl: 300, rdata: [{ value: '192.0.2.1' }, { value: '192.0.2.2' }] }],
      ['PUT', `${at}/A`, { ttl: 300, rdata: [{ value: '192.0.2.1' }, { value: '192.0.2.2' }] }],
      ['PUT', `${at}/A`, { ttl: 600 }],
      ['DELETE', `${R}/example.test/free`],
    ]
    await world.ask('DELETE', `${R}/example.test/free/rrsets/A`)
    const before = (await trail()).length
    for (const [method, path, body] of steps) await world.ask(method, path, body)

    const entries = (await trail())
      .slice(0, -before)
      .map(({ name, type, before: was, after: is }) => [name, type, was, is])
    const a = ['free.example.test', 'A']
    expect(entries.toReversed().filter(([, type]) => type === 'A')).toEqual([
      [...a, null, '300 192.0.2.1, 192.0.2.2'],
      [...a, '300 192.0.2.1, 192.0.2.2', '600 192.0.2.1, 192.0.2.2'],
      [...a, '600 192.0.2.1, 192.0.2.2', null],
    ])
  })

  it('that takes the last record of a name away has its values too, beside other changes', async () => {
    const rdata = [{ value: '192.0.2.77' }]
    const made = [{ name: 'gone', dns_type: 'A', ttl: 300, rdata }]
    expect((await world.ask('PATCH', `${R}/example.test`, made)).status).toBe(202)
    const before = (await trail()).length
    const changes = [
      { name: 'gone', dns_type: 'A', rdata: [] },
      { name: 'other', dns_type: 'A', ttl: 300, rdata },
    ]
    expect((await world.ask('PATCH', `${R}/example.test`, changes)).status).toBe(202)

    const entries = (await trail()).slice(0, -before)
    expect(entries.map(({ name, before: was, after: is }) => [name, was, is]).toSorted()).toEqual([
      ['gone.example.test', '300 192.0.2.77', null],
      ['other.example.test', null, '300 192.0.2.77'],
    ])
  })

  it('to a zone as a whole is one entry', async () => {
    await world.ask('DELETE', '/v1/dns/zones/noadd.test')
    expect((await trail())[0]).toMatchObject({
      name: 'noadd.test',
      before: expect.stringMatching(/^\d+ names, serial \d+$/),
    })
  })

  it('that is refused leaves none', async () => {
    await world.ask('POST', `${R}/example.test`, { name: 'home' })
    await world.ask('PUT', `${R}/example.test/free/rrsets/A`, { ttl: 1 })
    expect(await trail()).toEqual([])
  })
})
