import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { ADMIN_OPERATIONS } from '../../../../src/service/admin/operations.ts'
import { PEPPER } from '../inside.ts'
import { PASSWORD, type World, apiWorld } from '../world.ts'
import { consoleOn, personAt } from '../../console/person.ts'

/** Which zones an account may make, at every door that makes zones or could. */

const NOW = instant(Date.UTC(2026, 0, 2))
/** In addition to the name servers of the test, in operator.test. */
const SETTINGS = {
  console: 'https://dns.web.example.net',
  mailServer: 'post.example.org',
  mailFrom: 'holdfast@post.example.org',
  soaContact: 'hostmaster@contact.example.co.uk',
}
const TABLE = new URL('./taken-zones.tsv', import.meta.url)

interface Row {
  readonly zone: string
  readonly status: number
  readonly why: string
}
const ROWS: readonly Row[] = readFileSync(TABLE, 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .filter((line) => !line.startsWith('#'))
  .map((line) => {
    const [zone = '', status = '', why = ''] = line.split('\t')
    return { zone, status: Number(status), why }
  })
const REFUSED = ROWS.filter(({ status }) => status === 409)
const titled = (rows: readonly Row[]) => rows.map((row) => [`${row.zone}, ${row.why}`, row] as const)

let world: World
beforeAll(async () => void (world = await apiWorld({}, SETTINGS)))
afterAll(async () => world.close())

const canonical = (zone: string): string => zone.toLowerCase().replace(/\.$/, '')
const isStored = async (zone: string): Promise<boolean> =>
  (await world.store.read(async (r) => r.zoneNamed(canonical(zone)))) !== undefined
/** So that the next row starts without it. */
async function forget(zone: string): Promise<void> {
  await world.store.write(async (w) => {
    const found = await w.zoneNamed(canonical(zone))
    if (found !== undefined) await w.removeZone(found.id)
  })
}

describe('POST /v1/dns/zones', () => {
  it.each(titled(ROWS))('%s', async (_, { zone, status }) => {
    const { status: given, body } = await world.ask('POST', '/v1/dns/zones', { zone_name: zone })
    const stored = await isStored(zone)
    await forget(zone)
    expect([given, stored]).toEqual([status, status === 201])
    if (status !== 409) return
    expect(body.errors).toMatchObject([{ code: '3425', location: 'body', pointer: '/zone_name' }])
    // A person reads why, and of which zone.
    expect(body.errors?.[0]?.detail).toContain(canonical(zone))
  })

  it('allows suffixes with public_suffixes, and no name of the service nor a reverse zone', async () => {
    const open = await apiWorld({}, { ...SETTINGS, publicSuffixes: 'yes' })
    const given: [zone: string, status: number][] = []
    const zones = ['github.io', 'co.uk', 'ns1.operator.test', 'operator.test', '10.in-addr.arpa']
    for (const zone of zones)
      given.push([zone, (await open.ask('POST', '/v1/dns/zones', { zone_name: zone })).status])
    await open.close()
    expect(given).toEqual(zones.map((zone, at) => [zone, at < 2 ? 201 : 409]))
  })
})

describe('the form of the console', () => {
  it.each(titled(REFUSED))('refuses %s', async (_, { zone }) => {
    const one = personAt(consoleOn(world.store, { now: () => NOW, settings: SETTINGS }))
    await one.signIn('a', PASSWORD)
    await one.send('/console/zones')
    const { status, text } = await one.post('/console/zones', { zone })
    const stored = await isStored(zone)
    await forget(zone)
    expect([status, stored]).toEqual([422, false])
    expect(text).toContain(canonical(zone))
  })
})

describe('other requests of an account', () => {
  // biome-ignore format: a table
  it.each<[door: string, path: string, body: unknown]>([
    ['httpreq',      '/v1/acme/httpreq/present',           { fqdn: '_acme-challenge.github.io.', value: 'x' }],
    ['an import',    '/v1/dns/zones/github.io/import',     '@ 60 IN A 192.0.2.1\n'],
    ['a new name',   '/v1/dns/records/github.io',          { name: 'home' }],
  ])('%s makes no zone', async (_, path, body) => {
    const before = await world.store.read(async (r) => r.totals(NOW))
    const { status } = await world.ask('POST', path, body)
    expect([status >= 400, await isStored('github.io')]).toEqual([true, false])
    expect((await world.store.read(async (r) => r.totals(NOW))).zones).toBe(before.zones)
  })
})

describe('holdfast admin zone add', () => {
  it.each(titled(REFUSED))('makes %s', async (_, { zone }) => {
    const context = { pepper: PEPPER, nameservers: ['ns1.operator.test'], catalogZone: 'catalog.test' }
    const made = await world.store.write(async (w) =>
      ADMIN_OPERATIONS['zone add']?.run({ w, ...context, console: SETTINGS.console, now: NOW }, [zone, 'a']),
    )
    expect([made?.ok, await isStored(zone)]).toEqual([true, true])
    // Which its account uses as any other.
    const names = await world.ask('POST', `/v1/dns/records/${canonical(zone)}`, { name: 'home' })
    await forget(zone)
    expect(names.status).toBe(201)
  })
})
