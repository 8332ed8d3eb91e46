import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { formatBasic, Secret } from '../../../src/shared/base/secret.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import { keyedHash, slowHash } from '../../../src/service/auth/hashes.ts'
import { addApiKey, type Asked, bodyIn, codesOf, inside, NOW, PEPPER } from './inside.ts'
import { apiWorld, prepare, type World } from './world.ts'
import { WRITES } from './writes.ts'

let world: World
beforeEach(async () => {
  world = await apiWorld()
})
afterEach(async () => {
  vi.useRealTimers()
  await world.close()
})

const basic = (username: string, password: string): string =>
  formatBasic({ username, password: new Secret(password) }).reveal()
const R = '/v1/dns/records'
const HOME = `${R}/example.test/home`
const ids = (): Readonly<Record<string, number>> => world.ids
const json = { contentType: 'application/json' } as const
const bearer = (key: string) => ({ authorization: `Bearer ${key}` }) as const

const everything = async (): Promise<string> =>
  JSON.stringify([
    (await world.ask('GET', `${R}?view=detail&limit=500&expand[]=offline_settings`)).body,
    (await world.ask('GET', '/v1/account/ddns-keys')).body,
    (await world.ask('GET', '/v1/dns/zones')).body,
  ])

describe('an API key with the scope read', () => {
  it('is tested at every route that writes', () => {
    const writing = Object.entries(ROUTES).flatMap(([name, { method }]) => (method === 'GET' ? [] : [name]))
    expect([...new Set(WRITES.map(([name]) => name))].toSorted()).toEqual(writing.toSorted())
  })

  it.each(WRITES.map((write) => [write] as const))(
    '%j changes nothing',
    async ([, method, path, body, as]) => {
      const before = await everything()
      const reply = await world.ask(method, path, body, 'reader-of-a')
      expect([reply.status >= 400, JSON.stringify(reply.body)]).toEqual([true, expect.any(String)])
      expect(await everything()).toBe(before)
      expect(reply.status).not.toBe(401)
      expect((await world.ask(method, path, body, as)).status).toBeLessThan(300) // only the scope was missing
    },
  )

  it.each([['/v1/dns/records'], ['/v1/account/ddns-keys'], ['/v1/dns/zones'], [HOME]])(
    'reads %s',
    async (path) => {
      expect((await world.ask('GET', path, undefined, 'reader-of-a')).status).toBe(200)
    },
  )
})

describe('an API key for one zone', () => {
  beforeEach(async () => addApiKey(world.store, ids()['a'] ?? 0, 'zoned', { scopes: ['zone:example.test'] }))
  const get = async (path: string) => world.ask('GET', path, undefined, 'zoned')

  it.each([
    ['GET', `${R}/noadd.test/x`],
    ['GET', `${R}/noadd.test`],
    ['GET', `${R}/dyn.test/mine`],
    ['GET', '/v1/dns/zones/noadd.test'],
    ['GET', `${R}/noadd.test/x/offline-settings`],
    ['GET', `${R}/noadd.test/x/rrsets/A/metadata`],
    ['DELETE', '/v1/dns/zones/noadd.test'],
    ['DELETE', `${R}/noadd.test/x`],
    ['POST', `${R}/noadd.test/x/publish`],
  ])('gets 404 for %s %s', async (method, path) => {
    const reply = await world.ask(method, path, undefined, 'zoned')
    expect(reply.status).toBe(404)
    expect((await world.ask('GET', path.replace(/\/publish$/, ''))).status).toBe(200)
  })

  it('reads and writes in its zone', async () => {
    expect((await get(HOME)).status).toBe(200)
    expect((await world.ask('POST', `${R}/example.test`, { name: 'new' }, 'zoned')).status).toBe(201)
  })

  it('lists and counts only names of its zone', async () => {
    const { body } = await get(`${R}?view=name_only&limit=500`)
    const zones = (body.data as readonly { zone_name: string }[]).map((one) => one.zone_name)
    expect(new Set(zones)).toEqual(new Set(['example.test']))
    expect(body.page?.total).toBe(zones.length)
  })

  it('gets full pages', async () => {
    const { body } = await get(`${R}?view=name_only&limit=1&sort[zone_name]=desc`)
    expect(body.data).toHaveLength(1)
  })

  it('lists only its zone', async () => {
    const { body } = await get('/v1/dns/zones')
    expect((body.data as readonly { name: string }[]).map(({ name }) => name)).toEqual(['example.test'])
    expect(body.page?.total).toBe(1)
  })

  it.each<readonly [method: string, path: string, body: unknown]>([
    ['POST', '/v1/dns/zones', { zone_name: 'new.test' }],
    ['DELETE', '/v1/dns/zones/example.test', undefined],
    ['GET', '/v1/account/ddns-keys', undefined],
    ['POST', '/v1/account/ddns-keys', {}],
    ['PUT', '/v1/account/ddns-keys/kkk1111', { description: 'x' }],
    ['DELETE', '/v1/account/ddns-keys/kkk1111', undefined],
  ])('is not allowed to %s %s, and is not asked to pay', async (method, path, body) => {
    const reply = await world.ask(method, path, body, 'zoned')
    expect([reply.status, reply.body.errors]).toEqual([
      403,
      [expect.objectContaining({ code: '403', title: 'this API key is not allowed to do that' })],
    ])
  })

  it('lists the clients all of whose targets are in its zone: names, or one Rdata', async () => {
    const { store, ask } = world
    const use = { agent: 'x', peer: '192.0.2.1' as never, reply: 'good', at: NOW }
    await store.write(async (w) => {
      for (const key of ['kkk1111', 'kkk2222'])
        await w.putUsage(
          { kind: 'key', id: ids()[key] ?? 0, accountId: ids()['a'] ?? 0 },
          { requests: [], refusals: [], nondescriptive: 0 },
          use,
        )
    })
    const listed = async (): Promise<unknown> => {
      const { body } = await get('/v1/dns/clients')
      const names = (body.data as readonly { ddns_key_username: string }[]).map(
        (one) => one.ddns_key_username,
      )
      return [body.page?.total, ...names]
    }
    expect(await listed()).toEqual([1, 'kkk1111'])
    await ask('PUT', '/v1/account/ddns-keys/kkk1111', { hostnames: ['x.noadd.test'] })
    expect(await listed()).toEqual([0])
    await ask('PUT', '/v1/account/ddns-keys/kkk1111', { hostnames: ['home.example.test'] })
    expect(await listed()).toEqual([1, 'kkk1111']) // and an Rdata of parts
    await ask('PUT', '/v1/account/ddns-keys/kkk1111', { hostnames: ['x.noadd.test'] })
    await ask('PUT', '/v1/account/ddns-keys/kkk2222', { hostnames: ['home.example.test'] })
    await ask('PUT', `${R}/example.test/parts/rrsets/A/rdata`, [{ value: '192.0.2.5' }])
    expect(await listed()).toEqual([1, 'kkk2222'])
  })

  it('cannot attach a hostname of another zone to a DDNS key', async () => {
    const body = { hostnames: ['x.noadd.test'] }
    const made = await world.ask('POST', '/v1/account/ddns-keys', body, 'zoned')
    const changed = await world.ask('PUT', '/v1/account/ddns-keys/kkk2222', body, 'zoned')
    expect([made.status, changed.status].every((status) => status >= 400)).toBe(true)
  })

  it('cannot regenerate the password of a DDNS key with targets in another zone', async () => {
    const { ask } = world
    await ask('PUT', '/v1/account/ddns-keys/kkk2222', { hostnames: ['x.noadd.test'] })
    const path = '/v1/account/ddns-keys/kkk2222'
    const reply = await ask('PUT', path, { regenerate_password: true }, 'zoned')
    expect(reply.status).toBeGreaterThanOrEqual(400)
  })
})

describe('data of another account', () => {
  it.each([
    ['GET', '/v1/account/ddns-keys/kkk9999', 404],
    ['PUT', '/v1/account/ddns-keys/kkk9999', 404],
    ['DELETE', '/v1/account/ddns-keys/kkk9999', 404],
    ['GET', '/v1/dns/zones/b.test', 404],
    ['DELETE', '/v1/dns/zones/b.test', 404],
    ['GET', `${R}/b.test`, 404],
    ['GET', `${R}/b.test/@`, 404],
    ['GET', `${R}/dyn.test/bob`, 404],
    ['GET', `${R}/dyn.test/bob/rrsets`, 404],
    ['GET', `${R}/dyn.test/bob/metadata`, 404],
    ['GET', `${R}/dyn.test/bob/offline-settings`, 404],
    ['DELETE', `${R}/dyn.test/bob`, 403],
    ['DELETE', `${R}/dyn.test/bob/rrsets/A/rdata/one`, 403],
    ['DELETE', '/v1/dns/zones/dyn.test', 403],
  ])('%s %s gives %i', async (method, path, status) => {
    const reply = await world.ask(method, path, method === 'PUT' ? {} : undefined)
    expect(reply.status).toBe(status)
    expect(JSON.stringify(reply.body)).not.toContain('192.0.2.10')
  })

  it('is in no listing', async () => {
    const paths = [
      `${R}?limit=500&view=detail`,
      `${R}/dyn.test`,
      '/v1/dns/zones',
      '/v1/account/ddns-keys',
      '/v1/dns/clients',
    ]
    for (const path of paths) {
      const { status, body } = await world.ask('GET', path)
      expect(status).toBe(200)
      expect(JSON.stringify(body)).not.toMatch(/"bob|"b\.test|kkk9999/)
    }
  })

  it('cannot be attached to a key', async () => {
    const reply = await world.ask('POST', '/v1/account/ddns-keys', { hostnames: ['bob.dyn.test'] })
    expect([reply.status, codesOf(reply)]).toEqual([400, ['3316']])
  })
})

describe('credentials', () => {
  const seen = async (authorization: string | undefined) => {
    const { store } = world
    const { send } = inside(store)
    return send({
      method: 'GET',
      path: '/v1/dns/zones',
      ...(authorization !== undefined && { authorization }),
    })
  }

  it('get the same response whatever is wrong with them', async () => {
    const { store } = world
    await addApiKey(store, ids()['a'] ?? 0, 'expired-key', { expiresAt: Date.UTC(2020, 0, 1) })
    await store.write(async (w) => {
      const plan = ids()['plan-a'] ?? 0
      await w.addAccount({ name: 'carol', hash: await slowHash('right'), planId: plan }, NOW)
      const hash = keyedHash(PEPPER, 'ddns-password')
      await w.addKey({ accountId: ids()['a'] ?? 0, username: 'ddnskey', hash, description: '' }, NOW)
    })
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer nobodys-key',
      'Bearer expired-key',
      'Bearer a b',
      'Digest username="a"',
      'Basic !!!',
      `Basic ${Buffer.from('no colon').toString('base64')}`,
      basic('nobody', 'x'),
      basic('carol', 'wrong'),
      basic('carol', ''),
      basic('', 'expired-key'),
      basic('', ''),
      basic('ddnskey', 'ddns-password'),
      basic('', 'ddns-password'),
      'Bearer ddns-password',
    ]
    const without = (text: string): string => text.replace(/err_\w{8}/, 'err_')
    const answers = await Promise.all(wrong.map(seen))
    for (const [n, answer] of answers.entries()) {
      expect([answer.status, wrong[n]]).toEqual([401, wrong[n]])
      expect(without(answer.text)).toBe(without(answers[0]?.text ?? ''))
      expect(codesOf({ body: bodyIn(answer) })).toEqual(['2465'])
      expect(answer.headers['www-authenticate']).toMatch(/\bBasic realm=.*\bBearer\b/)
    }
    expect((await seen(basic('carol', 'right'))).status).toBe(200)
    expect((await seen('Bearer key-of-a')).status).toBe(200)
  })

  it('expire at their time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await addApiKey(world.store, ids()['a'] ?? 0, 'brief', { expiresAt: Date.UTC(2026, 5, 1) })
    vi.setSystemTime(Date.UTC(2026, 5, 1) - 1)
    expect((await seen('Bearer brief')).status).toBe(200)
    vi.setSystemTime(Date.UTC(2026, 5, 1))
    expect((await seen('Bearer brief')).status).toBe(401)
  })

  it('with a password are refused for ten minutes when the network is locked out; API keys are not', async () => {
    const right = basic('carol', 'right')
    await world.store.write(async (w) =>
      w.addAccount({ name: 'carol', hash: await slowHash('right'), planId: ids()['plan-a'] ?? 0 }, NOW),
    )
    vi.useFakeTimers({ toFake: ['Date'] })
    const start = Date.UTC(2026, 5, 1)
    vi.setSystemTime(start)
    const { send } = inside(world.store, { badauthLimit: 3 })
    const at = async (authorization: string, peer: string) =>
      send({ method: 'GET', path: '/v1/dns/zones', authorization, peer })
    for (let n = 0; n < 4; n++) expect((await at('Bearer wrong', '2001:db8::1')).status).toBe(401)
    const lockedOut = await at(right, '2001:db8::2') // the same /64
    expect([lockedOut.status, lockedOut.headers['retry-after']]).toEqual([429, '600'])
    expect(bodyIn(lockedOut).errors).toHaveLength(1)
    expect((await at(right, '2001:db8:0:1::1')).status).toBe(200)
    expect((await at('Bearer key-of-a', '2001:db8::2')).status).toBe(200)
    vi.setSystemTime(start + 599_500)
    expect((await at(right, '2001:db8::1')).headers['retry-after']).toBe('1')
    vi.setSystemTime(start + 600_000)
    expect((await at(right, '2001:db8::1')).status).toBe(200)
  })

  it('are rate-limited per account and minute for DDNS keys', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const start = Date.UTC(2026, 5, 1)
    vi.setSystemTime(start)
    const { send } = inside(world.store, { keyRequestLimit: 3 })
    const at = async (key: string, path = '/v1/account/ddns-keys') =>
      send({ method: 'GET', path, ...bearer(key) })
    for (let n = 0; n < 3; n++) expect((await at('key-of-a')).status).toBe(200)
    vi.setSystemTime(start + 20_000)
    const refused = await at('reader-of-a') // counted by account
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40'])
    expect((await at('key-of-b')).status).toBe(200)
    expect((await at('key-of-a', '/v1/dns/zones')).status).toBe(200)
    vi.setSystemTime(start + 60_000)
    expect((await at('key-of-a')).status).toBe(200)
  })
})

describe('invalid requests', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const post = { method: 'POST', path: `${R}/example.test`, ...json } as const
  it.each<readonly [string, Asked, number, string]>([
    ['a member twice', { ...post, body: '{"name":"n1","name":"n2"}' }, 400, '3809'],
    [
      'a member twice, deep',
      { ...post, body: '{"name":"n1","rrsets":[{"ttl":1,"\\u0074tl":2}]}' },
      400,
      '3809',
    ],
    ['__proto__', { ...post, body: '{"name":"n1","__proto__":{"a":1}}' }, 400, '3809'],
    ['__proto__, escaped', { ...post, body: '{"name":"n1","\\u005f_proto__":{"a":1}}' }, 400, '3809'],
    ['33 deep', { ...post, body: nested(33) }, 400, '3809'],
    ['100,000 deep', { ...post, body: nested(100_000) }, 400, '3809'],
    ['no JSON', { ...post, body: '{name:"n1"}' }, 400, '3809'],
    ['a byte order mark', { ...post, body: '\uFEFF{"name":"n1"}' }, 400, '3809'],
    ['NaN', { ...post, body: '{"name":NaN}' }, 400, '3809'],
    ['another media type', { ...post, body: '{}', contentType: 'text/plain' }, 415, '415'],
    ['a form', { ...post, body: 'name=x', contentType: 'application/x-www-form-urlencoded' }, 415, '415'],
    ['nearly JSON', { ...post, body: '{}', contentType: 'application/jsonx' }, 415, '415'],
    ['too large', { method: 'POST', path: `${R}/example.test`, ...json }, 413, '413'],
    ['an unknown path', { method: 'GET', path: '/v1/nothing' }, 404, '404'],
    ['an empty segment', { method: 'GET', path: '/v1/dns/records//home' }, 404, '404'],
    ['a broken escape', { method: 'GET', path: `${R}/%zz` }, 400, '2451'],
    ['a method that is not there', { method: 'POST', path: HOME, body: '' }, 405, '405'],
  ])('%s', async (_, asked, status, code) => {
    const { send, lines } = inside(world.store)
    const answer = await send({ ...asked, ...bearer('key-of-a') })
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`"code":"${code}"`)])
    expect(answer.headers['content-type']).toBe('application/json')
    expect(bodyIn(answer)).toEqual({
      errors: [expect.objectContaining({ id: expect.stringMatching(/^err_\w{8}$/), code })],
      warnings: [],
    })
    expect(lines).toEqual([])
  })

  it.each([
    ['broken JSON', post.path, '{name:', 401, '2465'],
    ['another media type', post.path, 'x', 401, '2465'],
  ])('with %s and without credentials', async (what, path, body, status, code) => {
    const { send } = inside(world.store)
    const contentType = what === 'broken JSON' ? 'application/json' : 'text/plain'
    const answer = await send({ method: 'POST', path, body, contentType })
    expect([answer.status, codesOf({ body: bodyIn(answer) })]).toEqual([status, [code]])
  })

  it('with a wrong method get the allowed ones', async () => {
    const { send } = inside(world.store)
    const allowed = async (path: string): Promise<readonly string[]> =>
      ((await send({ method: 'TRACE', path, body: '' })).headers['allow'] ?? '').split(', ').toSorted()
    expect(await allowed(HOME)).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH'])
    expect(await allowed('/v1/account/ddns-keys/kkk1111')).toEqual(['DELETE', 'GET', 'HEAD', 'PUT'])
    expect(await allowed(`${HOME}/rrsets/A/rdata`)).toEqual(['POST', 'PUT'])
    for (const path of ['/v1/openapi.json', '/v1/docs', '/v1/docs/'])
      expect(await allowed(path)).toEqual(['GET', 'HEAD'])
  })

  it('do not include a body of exactly 32 levels', async () => {
    const { send } = inside(world.store)
    const body = `{"name":"deep","x":${nested(31)}}`
    expect((await send({ ...post, body, ...bearer('key-of-a') })).status).toBe(201)
  })

  it('over a socket: a body that is too large gets an ErrorResponse', async () => {
    const { url } = world
    const headers = { authorization: 'Bearer key-of-a', 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'x'.repeat(300_000) })
    const response = await fetch(`${url}${R}/example.test`, { method: 'POST', headers, body })
    const text = await response.text()
    expect([response.status, text]).toEqual([413, expect.stringContaining('"errors":[')])
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  })

  const MANY = 131_000
  it.each<[what: string, method: string, path: string, body: unknown]>([
    ['Rdata of an RRSet', 'PUT', `${HOME}/rrsets/A/rdata`, Array(MANY).fill(0)],
    ['Rdata to add', 'POST', `${HOME}/rrsets/A/rdata`, Array(MANY).fill(0)],
    ['Rdata of a replacement', 'PUT', `${HOME}/rrsets/A`, { rdata: Array(MANY).fill(0) }],
    ['RRSets', 'POST', `${HOME}/rrsets`, Array(MANY).fill(0)],
    ['RRSets of a new name', 'POST', post.path, { name: 'new', rrsets: Array(MANY).fill(0) }],
    ['Rdata of a batch', 'PATCH', post.path, [{ name: 'x', dns_type: 'A', rdata: Array(MANY).fill(0) }]],
    [
      'metadata',
      'POST',
      `${HOME}/metadata`,
      { metadata: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1])) },
    ],
  ])('over a long list of %s end after 100', async (_, method, path, body) => {
    const { send, lines } = inside(world.store)
    const text = JSON.stringify(body)
    const answer = await send({
      method,
      path,
      body: text,
      contentType: 'application/json',
      ...bearer('key-of-a'),
    })
    expect([answer.status, codesOf({ body: bodyIn(answer) }).length, lines]).toEqual([400, 100, []])
  })

  // A chunked body has no known length, and these methods do not read it.
  it.each(['DELETE', 'GET', 'HEAD'])(
    'over a socket: a client goes on with its large chunked body after the response to %s, and is not reset',
    async (method) => {
      const { hostname, port } = new URL(world.url)
      const socket = connect(Number(port), hostname)
      const failures: Error[] = []
      socket.on('error', (error) => void failures.push(error))
      const [answered, closed] = [once(socket, 'data'), once(socket, 'close')]
      const chunk = `186a0\r\n${'x'.repeat(100_000)}\r\n`
      socket.write(
        `${method} ${R}/example.test/none HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-of-a\r\n` +
          `Transfer-Encoding: chunked\r\n\r\n${chunk}`,
      )
      const [answer] = (await answered) as [Buffer]
      for (let sent = 1; sent < 30; sent++) await new Promise<unknown>((done) => socket.write(chunk, done))
      await new Promise<unknown>((done) => socket.write('0\r\n\r\n', done))
      await closed
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 [^]*connection: close/i)
      expect(failures).toEqual([])
    },
  )

  // Most clients send all of a body before they read, and give up where the connection is reset meanwhile.
  it.each(['PATCH', 'DELETE', 'GET'])(
    'over a socket: a client goes on with its large body after the response to %s, and is not reset',
    async (method) => {
      const { hostname, port } = new URL(world.url)
      const socket = connect(Number(port), hostname)
      const failures: Error[] = []
      socket.on('error', (error) => void failures.push(error))
      const [answered, closed] = [once(socket, 'data'), once(socket, 'close')]
      const chunk = 'x'.repeat(100_000)
      socket.write(
        `${method} ${HOME} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-of-a\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${30 * chunk.length}\r\n\r\n${chunk}`,
      )
      const [answer] = (await answered) as [Buffer]
      for (let sent = 1; sent < 30; sent++) await new Promise<unknown>((done) => socket.write(chunk, done))
      await closed
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 [^]*connection: close[^]*"errors":\[.*\n$/i)
      expect(failures).toEqual([])
    },
  )

  it('with a body that is compressed', async () => {
    const { send } = inside(world.store)
    const answer = await send({
      ...post,
      body: '\u001f\u008b',
      contentEncoding: 'gzip',
      ...bearer('key-of-a'),
    })
    expect([answer.status, bodyIn(answer)]).toEqual([
      415,
      expect.objectContaining({
        errors: [expect.objectContaining({ detail: 'send it without Content-Encoding: it is gzip' })],
      }),
    ])
    for (const contentEncoding of ['identity', '']) {
      const body = `{"name":"plain${contentEncoding}"}`
      expect((await send({ ...post, body, contentEncoding, ...bearer('key-of-a') })).status).toBe(201)
    }
  })

  it('over a socket: also without Content-Length', async () => {
    const { url } = world
    const headers = { authorization: 'Bearer key-of-a', 'content-type': 'application/json' }
    const body = new Blob(['"', 'x'.repeat(300_000), '"']).stream()
    const init = { method: 'POST', headers, body, duplex: 'half' } as const
    const response = await fetch(`${url}${R}/example.test`, init)
    expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('"errors":[')])
  })
})

describe('CORS headers for a page, when', () => {
  const ORIGIN = 'https://panel.example'
  const corsOf = (headers: Readonly<Record<string, string>>): readonly string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'))

  it.each([
    ['no origin is allowed', undefined, ORIGIN, false],
    ['another origin is allowed', 'https://other.example', ORIGIN, false],
    ['a longer origin is allowed', `${ORIGIN}.evil`, ORIGIN, false],
    ['the null origin', ORIGIN, 'null', false],
    ['another port', ORIGIN, `${ORIGIN}:8443`, false],
    ['its origin is allowed', `https://other.example,${ORIGIN}`, ORIGIN, true],
  ])('%s', async (_, corsOrigins, origin, isLet) => {
    const { send } = inside(world.store, corsOrigins === undefined ? {} : { corsOrigins })
    for (const method of ['GET', 'OPTIONS']) {
      const { status, headers } = await send({ method, path: HOME, origin, ...bearer('key-of-a') })
      expect(status).toBe(method === 'GET' ? 200 : isLet ? 204 : 405)
      expect(corsOf(headers).length > 0).toBe(isLet)
      expect(headers['access-control-allow-origin']).toBe(isLet ? origin : undefined)
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
  })
})

describe('the log of changes', () => {
  it('has one line for each change, with who, from where and what, and none for a refusal, for reading, or where nothing changes', async () => {
    const { send, audited } = inside(world.store)
    const as = { ...json, ...bearer('key-of-a') }
    await send({ method: 'GET', path: HOME, ...as })
    await send({ method: 'POST', path: `${R}/example.test`, body: '{"name":"home"}', ...as })
    await send({ method: 'POST', path: `${R}/example.test`, body: '{"name":"new"}', ...as })
    await send({ method: 'DELETE', path: `${R}/example.test/new`, ...as })
    const made = await send({ method: 'POST', path: '/v1/account/ddns-keys', body: '{}', ...as })

    await send({ method: 'POST', path: `${HOME}/publish`, ...as })

    const who = { kind: 'changed', account: 'a', apiKey: expect.any(Number), peer: '198.51.100.1' }
    const { username = '' } = (bodyIn(made).data ?? {}) as Readonly<Record<string, string>>
    expect(audited).toEqual([
      { ...who, operation: 'createName', subject: 'example.test new' },
      { ...who, operation: 'deleteName', subject: 'example.test new' },
      { ...who, operation: 'createKey', subject: username },
    ])
  })
})

describe('secrets', () => {
  it('are in no log line, and only in the response that creates them', async () => {
    const { store } = world
    const { send, lines } = inside(store)
    const as = bearer('key-of-a')
    const keys = '/v1/account/ddns-keys'
    const answers: string[] = []
    const ask = async (asked: Asked) => {
      const answer = await send({ ...json, ...as, ...asked })
      answers.push(answer.text)
      return (bodyIn(answer).data ?? {}) as Readonly<Record<string, string>>
    }
    const made = await ask({ method: 'POST', path: keys, body: '{"hostnames":["free.example.test"]}' })
    const path = `${keys}/${made['username']}`
    const renewed = await ask({ method: 'PUT', path, body: '{"regenerate_password":true}' })
    expect([made['password'], renewed['password']]).toEqual([
      expect.stringMatching(/^\w{20,}$/),
      expect.stringMatching(/^\w{20,}$/),
    ])
    expect(renewed['password']).not.toBe(made['password'])
    answers.length = 0
    const wrong = basic('a', 'wrong-password')
    await ask({ method: 'GET', path: keys, authorization: wrong })
    await ask({ method: 'GET', path: keys, authorization: 'Bearer wrong-password' })
    const reads = [keys, path, '/v1/dns/zones', R, '/v1/dns/clients', '/v1/openapi.json']
    for (const one of reads) await ask({ method: 'GET', path: one, query: 'view=detail' })
    for (const [, method, one, body] of WRITES.slice(3))
      await ask({ method, path: one, ...(body !== undefined && { body: JSON.stringify(body) }) })
    await ask({ method: 'DELETE', path })
    const secrets = [made['password'] ?? '', renewed['password'] ?? '', 'key-of-a', 'wrong-password']
    const failing = inside({ ...store, read: async () => Promise.reject(new Error('the disk is gone')) })
    const failed = await failing.send({ method: 'GET', path: keys, ...as })
    expect([failed.status, failing.lines.length]).toEqual([500, 1])
    expect(failed.text).not.toContain('disk')
    for (const secret of secrets) {
      expect(answers.join('\n')).not.toContain(secret)
      expect(failed.text).not.toContain(secret)
      expect(JSON.stringify([lines, failing.lines])).not.toContain(secret)
    }
  })

  it('are stored as hashes only', async () => {
    const made = await world.ask('POST', '/v1/account/ddns-keys', {})
    const { username = '', password = '' } = made.body.data as Readonly<Record<string, string>>
    const login = await world.store.read(async (r) => r.login(username))
    expect(Buffer.from(login?.hash ?? []).toString('latin1')).not.toContain(password)
    expect(Buffer.from(login?.hash ?? []).equals(keyedHash(PEPPER, password))).toBe(true)
  })
})

describe('locks of the operator cannot be bypassed:', () => {
  let world: Awaited<ReturnType<typeof apiWorld>>
  beforeEach(async () => void (world = await apiWorld()))
  afterEach(async () => world.close())

  it('a zone with a locked name is not deleted', async () => {
    const { status, body } = await world.ask('DELETE', '/v1/dns/zones/example.test')

    expect([status, body.errors?.[0]?.code]).toEqual([403, '4821'])
  })

  it.each([
    ['x.web.test', '4786'],
    ['x.frozen.test', '3903'],
    ['locked.example.test', '4821'],
  ])('%s cannot be attached to a key', async (hostname, code) => {
    const { status, body } = await world.ask('POST', '/v1/account/ddns-keys', { hostnames: [hostname] })

    expect([status, body.errors?.[0]?.code]).toEqual([403, code])
  })

  it.each([
    ['names-full', 201],
    ['zones-full', 402],
  ])('a new zone is no name of the plan, but there are no more zones than names: %s', async (setup, is) => {
    await prepare(world, setup)

    const { status, body } = await world.ask('POST', '/v1/dns/zones', { zone_name: 'new.test' })
    expect([status, body.errors?.[0]?.code]).toEqual([is, is === 402 ? '3354' : undefined])
  })

  it('a filter finds a record by any spelling of its value', async () => {
    const { body } = await world.ask('GET', '/v1/dns/records?filter[rdata]=2001:DB8:0::7')

    expect(body.data).toMatchObject([{ name: 'free' }])
  })
})
