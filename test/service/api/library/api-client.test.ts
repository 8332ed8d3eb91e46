import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_DOCUMENT, callTable } from '../../../../.build/api-client.ts'
import { type ApiCall, apiClientMaker, each } from '../../../../src/service/api/library/api-client.ts'
import { HoldfastApiError } from '../../../../src/service/api/library/api-error.ts'
import type { Route } from '../../../../src/service/api/route.ts'
import { ROUTES } from '../../../../src/service/api/routes.ts'
import { apiWorld, type World } from '../world.ts'

const TABLE = callTable(API_DOCUMENT)
const holdfastApi = apiClientMaker(TABLE)

interface Sent {
  readonly url: string
  readonly init: Parameters<NonNullable<Parameters<typeof holdfastApi>[0]['fetch']>>[1]
}

const DONE = { status: 200, type: 'application/json', body: '{"warnings":[]}' }

/** A client whose requests are answered by this response, and kept. */
function answering(
  response: Partial<typeof DONE> & { readonly retryAfter?: string } = {},
  options: Partial<Parameters<typeof holdfastApi>[0]> = {},
  table = TABLE,
) {
  const { status, type, body, retryAfter } = { retryAfter: null, ...DONE, ...response }
  const sent: Sent[] = []
  const api = apiClientMaker(table)({
    server: 'https://dns.test',
    ...options,
    fetch: async (url, init) => {
      sent.push({ url, init })
      const headers = new Map([
        ['content-type', type],
        ['retry-after', retryAfter],
      ])
      return { status, headers: { get: (name) => headers.get(name) ?? null }, text: async () => body }
    },
  })
  const call = async (name: string, ...given: readonly unknown[]) => called(api, name)(...given)
  return { call, sent }
}
function called(api: Readonly<Record<string, ApiCall>>, name: string): ApiCall {
  const found = api[name]
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}
async function allOf(list: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for await (const one of list) all.push(one)
  return all
}
const refusalOf = async (promise: Promise<unknown>): Promise<HoldfastApiError> =>
  promise.then(
    () => {
      throw new Error('the call succeeded')
    },
    (error: unknown) => {
      if (error instanceof HoldfastApiError) return error
      throw error
    },
  )

describe('a client', () => {
  it('has one call for each operation of the API', () =>
    expect(Object.keys(holdfastApi({ server: '' })).toSorted()).toEqual(Object.keys(ROUTES).toSorted()))

  const path = {
    zone_name: 'example.test',
    name: 'www',
    dns_type: 'A',
    label: 'one',
    id: 7,
    ddns_key_username: 'abc',
    key_name: 'key-a',
    account_name: 'acme',
    plan_name: 'basic',
    subject: '192.0.2.1',
  }
  it.each(Object.entries<Route>(ROUTES))(
    '%s: sends the method and the path of the operation',
    async (name, route) => {
      const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one)
      // The answer of this one is a text.
      const isText = name === 'exportZone'
      const { call, sent } = answering(isText ? { type: 'text/dns; charset=utf-8', body: '$TTL 60' } : {})
      await call(name, Object.fromEntries(names.map((one) => [one, path[one as 'id']])), [])

      const filled = route.path.replace(/\{(\w+)\}/g, (_, one: string) => String(path[one as 'id']))
      expect(sent.map(({ url, init }) => [init.method, url])).toEqual([
        [route.method, `https://dns.test/v1${filled}`],
      ])
    },
  )
})

it.each(['with a blank', 'two\nlines', 'señal'])(
  'a token that no header can have is named, and not shown: %s',
  async (token) => {
    const { listZones } = holdfastApi({ server: 'http://127.0.0.1:1', token })
    const error = await (listZones as ApiCall)({}).catch((one: unknown) => String(one))
    expect(error).toMatch(/^TypeError: token is no API key/)
    expect(error).not.toContain(token)
  },
)

describe('a request', () => {
  it('has its parameters as the API spells them', async () => {
    const { call, sent } = answering({}, { server: 'https://dns.test/below//' })
    await call('listNames', {
      limit: 2,
      offset: undefined,
      view: 'detail',
      sort: { name: 'asc' },
      filter: { name: ['a', 'b&c'], dynupdate: false },
      'expand[]': ['offline_settings'],
      metadata: { op: 'exact', key: 'k', value: 'v' },
    })

    expect(decodeURIComponent(sent[0]?.url ?? '')).toBe(
      'https://dns.test/below/v1/dns/records?limit=2&view=detail&sort[name]=asc&filter[name]=a&filter[name]=b&c' +
        '&filter[dynupdate]=false&expand[]=offline_settings&metadata={"op":"exact","key":"k","value":"v"}',
    )
  })

  it('has a body only where the operation has one, and options behind it', async () => {
    const { call, sent } = answering()
    const headers = { 'If-Match': '"x"' }
    await call('changeRRSets', { zone_name: 'a.test' }, [{ name: 'ü' }], { headers })
    await call('publishName', { zone_name: 'a.test', name: '@' }, { headers })
    await call('createApiKey')

    expect(sent.map(({ init }) => [init.body, init.headers])).toEqual([
      ['[{"name":"ü"}]', { accept: 'application/json', 'content-type': 'application/json', ...headers }],
      [undefined, { accept: 'application/json', ...headers }],
      [undefined, { accept: 'application/json' }],
    ])
  })

  it.each([
    [{}, undefined],
    [{ token: 'k' }, 'Bearer k'],
    [{ username: 'acme', password: 'pä' }, `Basic ${Buffer.from('acme:pä').toString('base64')}`],
  ])('with %j has these credentials', async (credentials, authorization) => {
    const { call, sent } = answering({}, credentials)
    await call('getZone', { zone_name: 'a.test' })
    expect(sent[0]?.init.headers['authorization']).toBe(authorization)
    expect(sent[0]?.init.redirect).toBe('manual')
  })

  it('has the signal of the call, else that of the client', async () => {
    const [own, all] = [new AbortController().signal, new AbortController().signal]
    const { call, sent } = answering({}, { signal: all })
    await call('about')
    await call('about', {}, { signal: own })

    expect(sent.map(({ init }) => init.signal)).toEqual([all, own])
  })

  it.each([undefined, null, '', '.', '..', {}, []])(
    'is not sent with %j in its path: the URL would be that of another resource',
    async (label) => {
      const { call, sent } = answering()
      const at = { zone_name: 'a.test', name: 'x', dns_type: 'A' }
      await expect(call('deleteRdata', { ...at, label })).rejects.toThrow('deleteRdata: label cannot be')
      expect(sent).toEqual([])
    },
  )

  it('has separators in a segment of its path encoded', async () => {
    const { call, sent } = answering()
    await call('getName', { zone_name: 'a.test', name: '../b?c#d' })
    expect(sent[0]?.url).toBe('https://dns.test/v1/dns/records/a.test/..%2Fb%3Fc%23d')
  })
})

describe('an answer', () => {
  it('that is no success is an error with all of its reasons', async () => {
    const errors = [
      { id: 'err_1', code: '2839', title: 'invalid', detail: 'no', location: 'body', pointer: '/a' },
      { id: 'err_2', code: '2', title: 'also' },
    ]
    const { call } = answering({
      status: 429,
      body: JSON.stringify({ errors, warnings: [] }),
      retryAfter: '7',
    })
    const error = await refusalOf(call('about'))

    expect(error).toMatchObject({
      name: 'HoldfastApiError',
      operation: 'about',
      status: 429,
      errors,
      retryAfter: 7,
    })
    expect(error.message).toBe('about: 429 2839 invalid: no (body /a)')
  })

  it.each<[what: string, response: Partial<typeof DONE>]>([
    ['a page of a proxy', { status: 502, type: 'text/html', body: '<p>' }],
    ['a page that says success', { type: 'text/html', body: '<p>{"warnings":[]}' }],
    ['JSON of another program', { body: '{"ok":true}' }],
    ['null', { body: 'null' }],
    ['half of an answer', { body: '{"warnings":[' }],
    ['errors of another form', { status: 500, body: '{"errors":"no"}' }],
    ['a redirect', { status: 302, type: '', body: '' }],
  ])('that is %s is an error without reasons', async (_, response) => {
    const error = await refusalOf(
      answering({ ...response, retryAfter: 'Fri, 27 Nov 2026 12:00:00 GMT' }).call('about'),
    )

    expect([error.status, error.errors, error.retryAfter]).toEqual([response.status ?? 200, [], undefined])
    expect(error.message).toContain('is no answer of the API')
  })

  it('of 304 has no data', async () => {
    const { call } = answering({ status: 304, type: '', body: '' })
    expect(await call('getZone', { zone_name: 'a.test' })).toMatchObject({ status: 304, warnings: [] })
  })

  it.each([
    ['text/dns; charset=utf-8', 200],
    ['application/json', undefined],
    ['text/html', undefined],
  ])('of an operation with a text, as %s', async (type, status) => {
    const zone = '{"warnings":[]}'
    const { call, sent } = answering({ type, body: zone }, {}, { export: 'GET /v1/zone text/dns' })
    const answer = await call('export').catch(() => undefined)

    expect(sent[0]?.init.headers['accept']).toBe('text/dns')
    expect([answer?.status, answer?.data]).toEqual([status, status && zone])
  })

  it('to a request with a text', async () => {
    const { call, sent } = answering({}, {}, { import: 'POST:text/dns /v1/zone' })
    await call('import', {}, '@ A 192.0.2.1')
    expect(sent[0]?.init).toMatchObject({ body: '@ A 192.0.2.1', headers: { 'content-type': 'text/dns' } })
  })
})

describe('each page of a list', () => {
  const paged = (total: number, limit: number) => {
    const asked: unknown[] = []
    const list: ApiCall = async (parameters) => {
      asked.push(parameters)
      const { offset = 0, after } = parameters as { readonly offset?: number; readonly after?: string }
      const from = after === undefined ? offset : Number(after.slice(1))
      const data = Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (_, n) => from + n)
      const next = from + limit < total ? `c${from + limit}` : null
      return { status: 200, headers: { get: () => null }, data, page: { limit, next }, warnings: [] }
    }
    return { list, asked }
  }
  // biome-ignore format: a table
  it.each<[total: number, limit: number, from: number | undefined, cursors: readonly string[], count: number]>([
    [5, 2, undefined, ['c2', 'c4'], 5],
    [4, 2, undefined, ['c2'],       4],
    [6, 2, 1,         ['c3', 'c5'], 5],
    [0, 2, undefined, [],           0],
    [5, 0, undefined, [],           0],
  ])('of %i objects, %i at a time', async (total, limit, offset, cursors, count) => {
    const pages = paged(total, limit)
    const first = { sort: { name: 'asc' }, ...(offset !== undefined && { offset }) }
    const all = await allOf(each(pages.list, first))

    expect(all).toEqual(Array.from({ length: count }, (_, n) => n + (offset ?? 0)))
    expect(pages.asked).toEqual([first, ...cursors.map((after) => ({ sort: { name: 'asc' }, after }))])
  })
})

describe('at the service', () => {
  let world: World
  beforeAll(async () => void (world = await apiWorld()))
  afterAll(async () => world.close())

  it('lists, changes under a condition, and is refused', async () => {
    const api = holdfastApi({ server: world.url, token: 'key-of-a' })
    const at = { zone_name: 'example.test', name: 'free' }
    const names = await allOf(
      each(called(api, 'listNames'), {
        limit: 3,
        filter: { zone_name: ['example.test'] },
        sort: { name: 'asc' },
      }),
    )
    expect(names.map((one) => (one as { readonly name: string }).name)).toEqual([
      '@',
      'alias',
      'empty',
      'free',
      'home',
      'locked',
      'parts',
    ])
    const etag = (await called(api, 'getName')(at)).headers.get('etag') ?? ''
    const change = async (value: string) =>
      called(api, 'replaceRRSet')(
        { ...at, dns_type: 'A' },
        { rdata: [{ value }] },
        { headers: { 'If-Match': etag } },
      )
    const same = await called(api, 'getName')(at, { headers: { 'If-None-Match': etag } })

    expect([same.status, (await change('192.0.2.77')).status]).toEqual([304, 202])
    expect((await refusalOf(change('192.0.2.78'))).errors[0]?.code).toBe('412')
    expect((await refusalOf(change('300.0.2.1'))).status).toBe(412)
    await called(api, 'replaceRRSet')({ ...at, dns_type: 'A' }, { rdata: [{ value: '192.0.2.79' }] })
    const trail = await allOf(each(called(api, 'listTrail'), { limit: 1 }))
    expect(trail.map((one) => (one as { readonly subject: string }).subject)).toEqual(
      Array.from({ length: 2 }, () => 'free.example.test'),
    )
  })
})
