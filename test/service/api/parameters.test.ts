import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Route } from '../../../src/service/api/route.ts'
import { ref } from '../../../src/service/api/openapi/schema.ts'
import { formFaults, ignoredFields } from '../../../src/service/api/request/body.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import { DOCUMENT, type Operation, type Parameter } from './document.ts'
import { NOW } from './inside.ts'
import { OPERATOR } from './at-the-website.ts'
import { apiWorld, type World } from './world.ts'

const OPERATIONS = Object.values(DOCUMENT.paths).flatMap((methods) => Object.values(methods))
const inQuery = ({ parameters = [] }: Operation): readonly Parameter[] =>
  parameters.filter((parameter) => parameter.in === 'query')

const PARAMS: Readonly<Record<string, string>> = {
  zone_name: 'dyn.test',
  name: 'bob',
  dns_type: 'A',
  label: 'one',
  id: '1',
  ddns_key_username: 'kkk1111',
}
/** The example of every path. */
const filled = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PARAMS[name] ?? '')
const pathOf = (id: string): string => filled(`/v1${(ROUTES as Readonly<Record<string, Route>>)[id]?.path}`)

const ACCOUNT = { name: 'o', isWebsiteOnly: false, isSuspended: false }
const PLAN = {
  name: '',
  maxNames: 50,
  maxKeys: 50,
  maxRdata: 50,
  maxNameMetadata: 10,
  maxRRSetMetadata: 10,
  minTtl: 60,
  hasOffline: true,
  hasWildcards: true,
}
const SERVICE = {
  name: 'x',
  version: '1.0.0',
  nameservers: [],
  reservedNames: [],
  zoneNames: { ownDomains: [], isPublicSuffix: () => false },
  answerer: 'service' as const,
  lateZones: () => ({ zones: [], areBehind: true }),
  zoneProof: { isNeeded: false, value: () => '', proved: async () => undefined },
  contact: undefined,
  secondaries: () => [],
  delegation: async () => undefined,
  whenServed: async () => undefined,
  blockEnd: () => undefined,
  newKey: () => ({ username: 'kkk0000', password: '', hash: new Uint8Array(48) }),
  requestFlush: () => undefined,
  pause: async () => undefined,
  newPassword: () => ({ password: '', hash: new Uint8Array(48) }),
  secondFactors: {
    newTotp: () => ({ secret: '', uri: '', sealed: new Uint8Array() }),
    totpStep: () => undefined,
    newRecoveryCodes: () => [],
    passkeyOptions: () => undefined,
    newPasskey: async () => undefined,
    isNewChallenge: async () => true,
  },
  operate: async () => ({ data: { accounts: [], plans: [], blocks: [], lockouts: [], invitations: [] } }),
  sendMail: async () => undefined,
  newTsigKey: () => ({ name: 'key-0000000000', secret: '', sealed: new Uint8Array(60) }),
}

/** The query parameters that the handler of a route reads; its changes are not kept. */
async function readBy({ store, ids }: World, operation: string, route: Route): Promise<Set<string>> {
  const read = new Set<string>()
  const query = new Proxy({}, { get: (_, name) => void read.add(String(name)) })
  const caller = { account: { ...ACCOUNT, id: ids['o'] ?? 0, plan: PLAN }, isReadOnly: false }
  const undone = new Error('undone')
  const run = store.write(async (writes) => {
    await route.handle({
      caller,
      operation,
      parameters: route.query ?? {},
      params: PARAMS,
      query,
      body: undefined,
      form: route.request,
      store: writes,
      now: NOW,
      service: SERVICE,
    })
    throw undone
  })
  await expect(run).rejects.toBe(undone)
  return read
}

const callerFor = (id: string): string => (pathOf(id).startsWith('/v1/operator') ? OPERATOR : 'key-of-o')

let world: World
beforeAll(async () => void (world = await apiWorld()))
afterAll(async () => world.close())

describe('the query parameters in the document', () => {
  it.each(Object.entries(ROUTES))('%s: are those that the handler reads', async (id, route) => {
    const operation = OPERATIONS.find(({ operationId }) => operationId === id)
    const documented = operation === undefined ? [] : inQuery(operation).map(({ name }) => name)

    const read = await readBy(world, id, route)
    // A preview is made outside of the handlers.
    if (route.method !== 'GET') read.add('dry_run')
    expect(documented.map((name) => name.replace('[]', '')).toSorted()).toEqual([...read].toSorted())
  })

  const VALUES: Readonly<Record<string, string>> = { boolean: 'true', 'date-time': '2026-01-01T00:00:00Z' }
  const NESTED = OPERATIONS.flatMap((operation) =>
    inQuery(operation).flatMap(({ name, schema }) =>
      schema?.properties === undefined ? [] : [[operation.operationId, name, schema.properties] as const],
    ),
  )
  it.each(NESTED)('%s: %s has the keys that are accepted', async (id, name, properties) => {
    const status = async (key: string, value: string): Promise<number> =>
      (await world.ask('GET', `${pathOf(id)}?${name}[${key}]=${value}`, undefined, callerFor(id))).status

    for (const [key, { type, format = type, items }] of Object.entries(properties))
      for (const value of items?.enum ?? [VALUES[format] ?? 'asc'])
        expect([key, value, await status(key, value)]).toEqual([key, value, 200])
    expect(await status('colour', 'asc')).toBe(400)
  })

  const CHOICES = OPERATIONS.flatMap((operation) =>
    inQuery(operation).flatMap(({ name, schema }) =>
      schema?.enum === undefined ? [] : [[operation.operationId, name, schema.enum] as const],
    ),
  )
  it.each(CHOICES)('%s: %s has the values that are accepted', async (id, name, values) => {
    for (const value of values)
      expect((await world.ask('GET', `${pathOf(id)}?${name}=${value}`)).status).toBe(200)
    expect((await world.ask('GET', `${pathOf(id)}?${name}=x`)).status).toBe(400)
  })

  const PAGED = OPERATIONS.flatMap((operation) =>
    inQuery(operation).flatMap((parameter) =>
      parameter.name === 'limit' ? [[operation.operationId, parameter] as const] : [],
    ),
  )
  it.each(PAGED)('%s: limit has its default and its maximum', async (id, { description, schema }) => {
    const limitOf = async (query: string): Promise<number | undefined> =>
      (await world.ask('GET', `${pathOf(id)}${query}`, undefined, callerFor(id))).body.page?.limit

    expect(await limitOf('')).toBe(schema?.default)
    expect(await limitOf('?limit=9223372036854775807')).toBe(Number(/above (\d+)/.exec(description)?.[1]))
  })
})

describe('every part of the document has a description', () => {
  it.each(OPERATIONS)('$operationId: each parameter', ({ parameters = [] }) => {
    for (const { name, description } of parameters)
      expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)])
  })

  it.each(Object.entries(DOCUMENT.components.schemas))('%s: the schema and each field', (name, schema) => {
    const { description, properties = {} } = schema as {
      readonly description?: string
      readonly properties?: Readonly<Record<string, { readonly description?: string }>>
    }
    expect([name, description]).toEqual([name, expect.stringMatching(/\.$/)])
    for (const [field, row] of Object.entries(properties))
      expect([field, row.description]).not.toEqual([field, undefined])
  })
})

describe('objects', () => {
  const used = (from: unknown, seen = new Set<string>()): ReadonlySet<string> => {
    for (const [, name = ''] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      if (!seen.has(name)) {
        seen.add(name)
        used(DOCUMENT.components.schemas[name], seen)
      }
    return seen
  }
  const isClosed = (name: string): boolean | undefined => {
    const { type, properties, additionalProperties } = DOCUMENT.components.schemas[name] as Readonly<
      Record<string, unknown>
    >
    return type === 'object' && properties !== undefined ? additionalProperties === false : undefined
  }
  const responses = [...used(OPERATIONS.map((operation) => operation.responses))]
  const requests = [...used(OPERATIONS.map((operation) => ({ ...operation, responses: {}, parameters: [] })))]

  it.each(responses)('of responses are closed: %s', (name) => expect(isClosed(name)).not.toBe(false))
  it.each(requests.filter((name) => isClosed(name) !== undefined))(
    'of requests refuse an unknown field, or ignore it with a warning, as the document says: %s',
    (name) => {
      const body = { unknown: 1 }
      const refused = formFaults(ref(name), body, '').filter(({ pointer }) => pointer === '/unknown')
      const ignored = ignoredFields({ body, form: ref(name) })
      expect([refused.length, ignored.length]).toEqual(isClosed(name) === true ? [1, 0] : [0, 1])
    },
  )
  // A field that is misspelt there would make or leave something that may do more than is meant.
  it('of requests that make keys, change an account or are for operators are closed', () =>
    expect(requests.filter((name) => isClosed(name)).toSorted()).toEqual(CLOSED))
})

const CLOSED = [
  'AccountPatch',
  'ApiKeyChange',
  'FactorCode',
  'KeyChange',
  'NewApiKey',
  'NewInvitation',
  'NewKey',
  'NewPasskey',
  'NewTotp',
  'NewTsigKey',
  'OperatorAccountPatch',
  'PasswordChange',
  'PlanPatch',
  'ResetLinkRequest',
]

describe('a value that is refused', () => {
  // biome-ignore format: a table
  it.each([
    ['/dns/records?limit=x',                    'limit'],
    ['/dns/records?limit=1&limit=2',            'limit'],
    ['/dns/records?offset=-1',                  'offset'],
    ['/dns/records?view=all',                   'view'],
    ['/dns/records?view=detail&expand[]=other', 'expand'],
    ['/dns/records?filter=x',                   'filter'],
    ['/dns/records?filter[other]=x',            'filter'],
    ['/dns/records?filter[state]=lost',         'filter'],
    ['/dns/records?filter[offline]=maybe',      'filter'],
    ['/dns/records?filter[search]=a&filter[search]=b', 'filter'],
    ['/dns/records/example.test?filter[zone_name]=x', 'filter'],
    ['/dns/clients?filter[username]=x',         'filter'],
    ['/account/api-keys?filter[description]=x', 'filter'],
    ['/dns/records?after=x',                    'after'],
    ['/dns/records?after=W10&offset=0',         'after'],
    ['/dns/records?after[x]=x',                 'after'],
    ['/dns/records?sort[nam]=asc',              'sort'],
    ['/dns/records?metadata=x',                 'metadata'],
    ['/dns/zones?filter[is_shared]=maybe',      'filter'],
    ['/account/ddns-keys?filter[description]=a&filter[description]=b', 'filter'],
  ])('is named: %s', async (path, pointer) => {
    const { status, body } = await world.ask('GET', `/v1${path}`)
    expect([status, body.errors?.map((error) => error.pointer)]).toEqual([400, [pointer]])
  })
})
