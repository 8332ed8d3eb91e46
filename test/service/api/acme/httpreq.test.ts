import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyedHash, pepperOf } from '../../../../src/service/auth/hashes.ts'
import { type World, apiWorld } from '../world.ts'

let world: World
beforeAll(async () => void (world = await apiWorld()))
afterAll(async () => world.close())

const [PRESENT, CLEANUP] = ['/v1/acme/httpreq/present', '/v1/acme/httpreq/cleanup']
const textsAt = async (name: string, zone = 'example.test'): Promise<readonly string[]> => {
  const { body } = await world.ask(
    'GET',
    `/v1/dns/records/${zone}/${name}/rrsets/TXT`,
    undefined,
    zone === 'dyn.test' ? 'key-of-o' : 'key-of-a',
  )
  const { rdata = [] } = (body.data ?? {}) as { readonly rdata?: readonly { readonly value: string }[] }
  return rdata.map(({ value }) => value)
}
const post = async (path: string, body: object, key = 'key-of-a') =>
  (await world.ask('POST', path, body, key)).status

it('adds the records of several challenges, each once, and removes each alone', async () => {
  const fqdn = '_acme-challenge.www.example.test.'
  expect(await post(PRESENT, { fqdn, value: 'one' })).toBe(200)
  expect(await post(PRESENT, { fqdn: fqdn.toUpperCase(), value: 'two' })).toBe(200)
  expect(await post(PRESENT, { fqdn, value: 'two' })).toBe(200)
  expect(await textsAt('_acme-challenge.www')).toEqual(['"one"', '"two"'])
  expect(await post(CLEANUP, { fqdn, value: 'one' })).toBe(200)
  expect(await post(CLEANUP, { fqdn, value: 'none' })).toBe(200)
  expect(await textsAt('_acme-challenge.www')).toEqual(['"two"'])
  expect(await post(CLEANUP, { fqdn, value: 'two' })).toBe(200)
  // The name was there for the challenge alone.
  expect((await world.ask('GET', '/v1/dns/records/example.test/_acme-challenge.www')).status).toBe(404)
  expect(await post(CLEANUP, { fqdn, value: 'two' })).toBe(200)
})

it('makes the record from the key authorization', async () => {
  // RFC 8555 §8.4: the digest in base64url.
  const raw = { domain: '*.raw.example.test', token: 'tok', keyAuth: 'tok.thumbprint' }
  expect(await post(PRESENT, raw)).toBe(200)
  expect(await textsAt('_acme-challenge.raw')).toEqual(['"yKCudOCZgG8qQwi5ThOINd5az0OzxPY3veFsqLGDCA0"'])
  expect(await post(CLEANUP, raw)).toBe(200)
  expect(await textsAt('_acme-challenge.raw')).toEqual([])
})

it('follows a CNAME to where the challenges are', async () => {
  const cname = {
    name: '_acme-challenge.led',
    rrsets: [{ dns_type: 'CNAME', rdata: [{ value: 'led.dyn.test' }] }],
  }
  expect((await world.ask('POST', '/v1/dns/records/example.test', cname)).status).toBe(201)
  expect(await post(PRESENT, { domain: 'led.example.test', token: 't', keyAuth: 't.k' })).toBe(200)
  expect(await textsAt('led', 'dyn.test')).toHaveLength(1)
})

it('a CNAME that leads around is no place', async () => {
  const loop = { name: 'round', rrsets: [{ dns_type: 'CNAME', rdata: [{ value: 'round2.example.test' }] }] }
  const back = { name: 'round2', rrsets: [{ dns_type: 'CNAME', rdata: [{ value: 'round.example.test' }] }] }
  for (const one of [loop, back]) await world.ask('POST', '/v1/dns/records/example.test', one)
  const lost = async (fqdn: string) =>
    (await world.ask('POST', PRESENT, { fqdn, value: 'v' })).body.errors?.map(({ code, detail }) => [
      code,
      detail,
    ])
  expect(await lost('round.example.test')).toEqual([
    ['2510', 'the CNAME of round.example.test leads into a loop'],
  ])
  const away = { name: 'away', rrsets: [{ dns_type: 'CNAME', rdata: [{ value: 'x.elsewhere.example.' }] }] }
  await world.ask('POST', '/v1/dns/records/example.test', away)
  expect(await lost('away.example.test')).toEqual([
    ['2510', 'the CNAME of away.example.test leads to x.elsewhere.example, which is in no zone here'],
  ])
  expect(await lost('x.elsewhere.example')).toEqual([['2510', 'no zone contains x.elsewhere.example']])
})

it('warns of a record that a delegation hides', async () => {
  const cut = { name: 'cut', rrsets: [{ dns_type: 'NS', rdata: [{ value: 'ns.elsewhere.example.' }] }] }
  expect((await world.ask('POST', '/v1/dns/records/example.test', cut)).status).toBe(201)
  const { status, body } = await world.ask('POST', PRESENT, {
    fqdn: '_acme-challenge.cut.example.test',
    value: 'v',
  })
  expect([status, body.warnings]).toEqual([
    200,
    [
      expect.objectContaining({
        code: 'W1000',
        detail: expect.stringContaining('the delegation cut.example.test.'),
      }),
    ],
  ])
})

it.each([
  [{}, '/fqdn'],
  [{ fqdn: 'a.example.test' }, '/value'],
  [{ fqdn: 'a.example.test', value: 7 }, '/value'],
  [{ fqdn: 'a.example.test', value: 'x'.repeat(256) }, '/value'],
  [{ fqdn: 'a.example.test', value: 'a\0b' }, '/value'],
  [{ domain: 'a.example.test' }, '/keyAuth'],
  [{ domain: '', keyAuth: 'k' }, '/domain'],
])('%j is refused at %s', async (body, pointer) => {
  const reply = await world.ask('POST', PRESENT, body)
  expect([reply.status, reply.body.errors?.[0]?.pointer]).toEqual([400, pointer])
})

it('is done by a key for TXT records beneath one name, and by no key for others', async () => {
  const key = async (name: string, scopes: readonly string[]) =>
    world.store.write(async (w) =>
      w.addApiKey(
        {
          accountId: world.ids['a'] ?? 0,
          hash: keyedHash(pepperOf(new Uint8Array(32)), name),
          description: '',
          scopes,
        },
        (await w.account(world.ids['a'] ?? 0)) === undefined ? (0 as never) : (Date.now() as never),
      ),
    )
  await key('challenges', ['type:TXT', 'name:_acme-challenge.sc.example.test'])
  await key('addresses', ['type:A'])
  const at = (name: string) => ({ fqdn: `_acme-challenge.${name}.example.test`, value: 'v' })
  expect([await post(PRESENT, at('sc'), 'challenges'), await post(PRESENT, at('sd'), 'challenges')]).toEqual([
    200, 403,
  ])
  expect([await post(PRESENT, at('sc2'), 'addresses'), await post(CLEANUP, at('sc'), 'addresses')]).toEqual([
    403, 403,
  ])
  expect(await post(CLEANUP, at('sc'), 'challenges')).toBe(200)
})
