import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Route } from '../../../src/service/api/route.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import { apiWorld, type World } from './world.ts'

let world: World
beforeAll(async () => void (world = await apiWorld()))
afterAll(async () => world.close())

const VALUES: Readonly<Record<string, string>> = {
  zone_name: 'example.test',
  name: 'home',
  dns_type: 'A',
  label: '_1',
  id: '1',
  ddns_key_username: 'abc1234',
}

const everything = async (): Promise<string> =>
  JSON.stringify([
    (await world.ask('GET', '/v1/dns/records?view=detail&limit=500')).body,
    (await world.ask('GET', '/v1/account/ddns-keys')).body,
    (await world.ask('GET', '/v1/dns/zones')).body,
  ])

it.each(Object.entries<Route>(ROUTES))(
  '%s refuses a parameter that it does not know, and changes nothing',
  async (_, route) => {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => VALUES[param] ?? 'x')
    const known = route.query?.page === undefined ? '' : '&limit=1'
    const before = await everything()
    // Where dry_run is known, another spelling is not.
    const parameter = route.method === 'GET' ? 'dry_run' : 'dryrun'
    const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : {}
    const { status, body: answer } = await world.ask(
      route.method,
      `/v1${path}?${parameter}=true${known}`,
      body,
    )
    expect([status, answer.errors]).toEqual([
      400,
      [expect.objectContaining({ code: '2451', location: 'query', pointer: parameter })],
    ])
    expect(await everything()).toBe(before)
  },
)
