import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../../../src/service/api/routes.ts'
import { ERRORS } from '../../../../src/service/model/errors.ts'
import { DOCUMENT, misfit, type Operation, requestMisfit } from '../document.ts'
import { apiWorld, type World } from '../world.ts'

const operationOf = (id: string): Operation => {
  const found = Object.values(DOCUMENT.paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === id)
  if (found === undefined) throw new Error(`${id} is not in the document`)
  return found
}

describe('the OpenAPI document', () => {
  it('is valid by an independent validator', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(DOCUMENT))

    expect([valid, errors]).toEqual([true, undefined])
  })

  it.each(Object.entries(ROUTES))('%s: contains every error of the route', (id, { refuses }) => {
    const { responses } = operationOf(id)

    for (const name of refuses) {
      const { status, code } = ERRORS[name]
      expect(responses[String(status)]?.description).toContain(String(code))
    }
    expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true)
  })
})

describe('a response that the document does not describe is detected', () => {
  const about = { data: { name: 'x', version: '1' }, warnings: [] }
  const error = (code: string, title: string) => ({ errors: [{ id: 'err_1', code, title }], warnings: [] })
  const KEYS = '/v1/account/ddns-keys'
  // biome-ignore format: a table
  it.each<[difference: string | undefined, method: string, path: string, status: number, body: unknown, headers: readonly string[]]>([
    [undefined,               'GET',  '/v1/dns/about', 200, about, ['content-type', 'Date', 'Vary']],
    ['version',               'GET',  '/v1/dns/about', 200, { ...about, data: { name: 'x' } }, []],
    ['additional properties', 'GET',  '/v1/dns/about', 200, { ...about, data: { ...about.data, colour: 'red' } }, []],
    ['additional properties', 'GET',  '/v1/dns/about', 200, { ...about, colour: 'red' }, []],
    ['unknown header x-y',    'GET',  '/v1/dns/about', 200, about, ['x-y']],
    ['unknown header etag',   'GET',  '/v1/dns/about', 200, about, ['etag']],
    ['may not answer 201',    'GET',  '/v1/dns/about', 201, about, []],
    ['may not answer 404',    'GET',  '/v1/dns/about', 404, error('404', 'unknown path'), []],
    ['may not answer 401',    'GET',  '/v1/nothing',   401, error('2465', 'unauthorized'), ['www-authenticate']],
    [undefined,               'GET',  '/v1/nothing',   404, error('404', 'unknown path'), []],
    ['errors',                'GET',  '/v1/nothing',   404, {}, []],
    ['no header allow',       'PUT',  '/v1/dns/about', 405, error('405', 'method not allowed at this path'), []],
    [undefined,               'GET',  KEYS,            429, error('429', 'too many requests'), ['Retry-After']],
    ['no header retry-after', 'GET',  KEYS,            429, error('429', 'too many requests'), []],
    ['unknown error 429 no',  'GET',  KEYS,            429, error('429', 'no'), ['retry-after']],
    ['unknown error 4810',    'GET',  KEYS,            403, error('4810', 'DDNS key not found'), []],
  ])('%s: %s %s %i %j %j', (difference, method, path, status, body, names) => {
    const headers = names.map((name) => [name, 'x'] as const)
    const found = misfit({ method, path, status, headers, body })

    if (difference === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(difference)
  })
})

describe('responses conform to the document', () => {
  let world: World
  beforeAll(async () => void (world = await apiWorld()))
  afterAll(async () => world.close())

  const A = '/v1/dns/records/example.test'
  // biome-ignore format: a table
  it.each<[id: string, method: string, path: string, body: unknown, status: number]>([
    ['about',            'GET',    '/v1/dns/about', undefined, 200],
    ['listZones',        'GET',    '/v1/dns/zones', undefined, 200],
    ['createZone',       'POST',   '/v1/dns/zones', { zone_name: 'new.test', metadata: { a: 'b' } }, 201],
    ['getZone',          'GET',    '/v1/dns/zones/new.test', undefined, 200],
    ['getPublication',   'GET',    '/v1/dns/zones/new.test/publication', undefined, 200],
    ['getDelegation',    'GET',    '/v1/dns/zones/new.test/delegation', undefined, 200],
    ['changeZone',       'PATCH',  '/v1/dns/zones/new.test', { description: 'x', default_ttl: 300 }, 202],
    ['changeZone',       'PATCH',  '/v1/dns/zones/new.test', { default_ttl: 300 }, 200],
    ['deleteZone',       'DELETE', '/v1/dns/zones/new.test', undefined, 200],
    ['listAuthorities',  'GET',    '/v1/dns/zone-authorities', undefined, 200],
    ['listClients',      'GET',    '/v1/dns/clients', undefined, 200],
    ['listNames',        'GET',    '/v1/dns/records?view=detail&expand[]=offline_settings', undefined, 200],
    ['listNames',        'GET',    '/v1/dns/records?view=name_only', undefined, 200],
    ['listNames',        'GET',    '/v1/dns/records?sort[colour]=asc', undefined, 400],
    ['listNames',        'GET',    '/v1/dns/records?limit=x', undefined, 400],
    ['listZoneNames',    'GET',    A, undefined, 200],
    ['listZoneNames',    'GET',    '/v1/dns/records/b.test', undefined, 404],
    ['createName',       'POST',   A, { name: 'new', rrsets: [{ dns_type: 'A', ttl: 60, rdata: [{ value: '192.0.2.1', x: 1 }] }], colour: 'red' }, 201],
    ['createName',       'POST',   A, { name: 'new' }, 409],
    ['createName',       'POST',   A, { name: 'bad', rrsets: [{}, { dns_type: 'A', rdata: [{}] }] }, 400],
    ['changeRRSets',     'PATCH',  A, [{ name: 'new', dns_type: 'AAAA', rdata: [{ value: '2001:db8::1' }] }], 202],
    ['changeRRSets',     'PATCH',  A, [{ name: 'gone', dns_type: 'A', rdata: [] }], 200],
    ['getName',          'GET',    `${A}/new?expand[]=offline_settings`, undefined, 200],
    ['setNameMetadata',  'POST',   `${A}/new/metadata`, { metadata: { a: 'b' } }, 202],
    ['getNameMetadata',  'GET',    `${A}/new/metadata`, undefined, 200],
    ['setOffline',       'PUT',    `${A}/new/offline-settings`, { action: 'page', title: 'gone', email: 'me@example.test' }, 202],
    ['getOffline',       'GET',    `${A}/new/offline-settings`, undefined, 200],
    ['changeName',       'PATCH',  `${A}/new`, { offline: true, name: 'newer' }, 202],
    ['changeName',       'PATCH',  `${A}/newer`, { offline: false, name: 'new' }, 202],
    ['changeName',       'PATCH',  `${A}/new`, { offline: false }, 200],
    ['deleteOffline',    'DELETE', `${A}/new/offline-settings`, undefined, 200],
    ['createRRSets',     'POST',   `${A}/new/rrsets`, [{ dns_type: 'TXT', rdata: [{ value: 'hello' }], metadata: { a: 'b' } }], 201],
    ['listRRSets',       'GET',    `${A}/new/rrsets`, undefined, 200],
    ['replaceRRSet',     'PUT',    `${A}/new/rrsets/TXT`, { ttl: 300 }, 202],
    ['replaceRRSet',     'PUT',    `${A}/new/rrsets/TXT`, { ttl: 300 }, 200],
    ['replaceRRSet',     'PUT',    `${A}/new/rrsets/MX`, { rdata: [{ value: '10 mx.test.' }] }, 201],
    ['getRRSet',         'GET',    `${A}/new/rrsets/TXT`, undefined, 200],
    ['setRRSetMetadata', 'POST',   `${A}/new/rrsets/TXT/metadata`, { metadata: { c: 'd' } }, 202],
    ['getRRSetMetadata', 'GET',    `${A}/new/rrsets/TXT/metadata`, undefined, 200],
    ['replaceRdata',     'PUT',    `${A}/new/rrsets/TXT/rdata`, [{ value: 'a' }, { value: 'b', label: 'b' }], 202],
    ['appendRdata',      'POST',   `${A}/new/rrsets/TXT/rdata`, [{ value: 'c' }], 201],
    ['setRdata',         'PUT',    `${A}/new/rrsets/TXT/rdata/b`, { value: 'b' }, 200],
    ['setRdata',         'PUT',    `${A}/new/rrsets/TXT/rdata/d`, { value: 'd' }, 201],
    ['setRdata',         'PUT',    `${A}/new/rrsets/TXT/rdata/b`, { value: 'e' }, 202],
    ['deleteRdata',      'DELETE', `${A}/new/rrsets/TXT/rdata/b`, undefined, 200],
    ['deleteRRSet',      'DELETE', `${A}/new/rrsets/TXT`, undefined, 200],
    ['publishName',      'POST',   `${A}/new/publish`, undefined, 202],
    ['createKey',        'POST',   '/v1/account/ddns-keys', { description: 'x', hostnames: ['new.example.test'] }, 201],
    ['listKeys',         'GET',    '/v1/account/ddns-keys?sort[created_at]=desc', undefined, 200],
    ['getKey',           'GET',    '/v1/account/ddns-keys/kkk1111', undefined, 200],
    ['getKey',           'GET',    '/v1/account/ddns-keys/kkk9999', undefined, 404],
    ['changeKey',        'PUT',    '/v1/account/ddns-keys/kkk1111', { regenerate_password: true }, 202],
    ['deleteKey',        'DELETE', '/v1/account/ddns-keys/kkk1111', undefined, 200],
    ['deleteName',       'DELETE', `${A}/new`, undefined, 200],
  ])('%s: %s %s', async (id, method, path, body, status) => {
    const reply = await world.ask(method, path, body)
    expect([reply.status, reply.body.errors?.[0]]).toEqual([status, status < 400 ? undefined : expect.anything()])
    // `inside` checks every response of every test against the document.
    expect(operationOf(id).responses).toHaveProperty(String(status))
  })

  it('is served without credentials', async () => {
    const { status, body } = await world.ask('GET', '/v1/openapi.json', undefined, null)

    expect(status).toBe(200)
    expect((await world.ask('GET', '/v1/openapi.json?dry_run=true', undefined, null)).status).toBe(400)
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
    expect(Object.keys((body as unknown as typeof DOCUMENT).paths)).toEqual(Object.keys(DOCUMENT.paths))
  })
})

// `world` checks the body of every request that succeeds.
it.each([
  ['a field of another kind', 'POST', '/v1/dns/zones', { zone_name: 1 }, 'zone_name must be string'],
  ['a missing field', 'POST', '/v1/dns/zones', {}, "must have required property 'zone_name'"],
  ['a body where none is expected', 'POST', '/v1/dns/records/a.test/b/publish', {}, 'has no body'],
])('a request that the document does not describe is detected: %s', (_, method, path, body, fault) =>
  expect(requestMisfit({ method, path }, body)).toContain(fault),
)

it('a request with an unknown field is one that the document describes', () =>
  expect(
    requestMisfit({ method: 'POST', path: '/v1/dns/zones' }, { zone_name: 'a.test', colour: 'red' }),
  ).toBeUndefined())
