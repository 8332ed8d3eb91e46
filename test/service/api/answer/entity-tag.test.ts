import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseTags } from '../../../../src/service/api/answer/entity-tag.ts'
import { instant } from '../../../../src/shared/base/time.ts'
import { bodyIn, codesOf, type Inside, inside } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

const R = '/v1/dns/records'
const FREE = `${R}/example.test/free`
const A = `${FREE}/rrsets/A`

let world: World
let send: Inside['send']
beforeEach(async () => {
  world = await apiWorld()
  ;({ send } = inside(world.store))
})
afterEach(async () => world.close())

const ask = async (method: string, path: string, body?: unknown, ifMatch?: string, key = 'key-of-a') => {
  const [at = '', query = ''] = path.split('?')
  const answer = await send({
    method,
    path: at,
    query,
    authorization: `Bearer ${key}`,
    body: body === undefined ? '' : JSON.stringify(body),
    ...(ifMatch !== undefined && { ifMatch }),
  })
  return { ...answer, code: codesOf({ body: bodyIn(answer) }).join(' ') }
}
const tagAt = async (path: string): Promise<string> => (await ask('GET', path)).headers['etag'] ?? ''

describe('ETag', () => {
  it('is on a name and on an RRset, and is the same while nothing changes', async () => {
    const [name, rrset] = [await tagAt(FREE), await tagAt(A)]

    expect([name, rrset]).toEqual([
      expect.stringMatching(/^"[\w-]{22}"$/),
      expect.stringMatching(/^"[\w-]{22}"$/),
    ])
    expect([await tagAt(`${FREE}?expand[]=offline_settings`), await tagAt(A)]).toEqual([name, rrset])
  })

  it.each<[what: string, change: () => Promise<unknown>, changes: readonly string[]]>([
    ['metadata of the name', async () => ask('POST', `${FREE}/metadata`, { metadata: { a: 'b' } }), ['name']],
    ['offline settings', async () => ask('PUT', `${FREE}/offline-settings`, { action: 'none' }), ['name']],
    ['another RRset', async () => ask('DELETE', `${FREE}/rrsets/TXT`), ['name']],
    ['the TTL', async () => ask('PUT', A, { ttl: 300 }), ['name', 'rrset']],
    ['a value', async () => ask('PUT', `${A}/rdata/one`, { value: '192.0.2.99' }), ['name', 'rrset']],
    ['an update of the address', async () => update('192.0.2.99'), ['name', 'rrset']],
  ])('is another one after a change of %s', async (_, change, changes) => {
    const before = [await tagAt(FREE), await tagAt(A)]
    await change()
    const after = [await tagAt(FREE), await tagAt(A)]

    expect(['name', 'rrset'].filter((__, n) => before[n] !== after[n])).toEqual(changes)
  })

  /** Like `/nic/update`. */
  const update = async (value: string): Promise<void> =>
    world.store.write(async (w) => {
      const [name] = await w.namesByFqdn('free.example.test')
      const rdata = name?.rdata.find(({ dnsType }) => dnsType === 'A')
      if (name === undefined || rdata === undefined) throw new Error('the fixture is broken')
      await w.setValue(name, { rdataId: rdata.id, value }, instant(Date.now()))
    })
})

/** A write to every operation at a name. */
// biome-ignore format: a table
const WRITES: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ['DELETE', FREE,                        undefined],
  ['POST',   `${FREE}/publish`,          undefined],
  ['POST',   `${FREE}/metadata`,         { metadata: { a: 'b' } }],
  ['PUT',    `${FREE}/offline-settings`, { action: 'none' }],
  ['DELETE', `${FREE}/offline-settings`, undefined],
  ['POST',   `${FREE}/rrsets`,           [{ dns_type: 'MX', rdata: [{ value: '0 .' }] }]],
  ['PUT',    A,                          { ttl: 300 }],
  ['DELETE', A,                           undefined],
  ['POST',   `${A}/metadata`,            { metadata: { a: 'b' } }],
  ['PUT',    `${A}/rdata`,               [{ value: '192.0.2.55' }]],
  ['POST',   `${A}/rdata`,               [{ value: '192.0.2.56' }]],
  ['PUT',    `${A}/rdata/one`,           { value: '192.0.2.57' }],
  ['DELETE', `${A}/rdata/one`,           undefined],
]

describe.each(WRITES)('If-Match of %s %s', (method, path, body) => {
  it('with another tag: 412 in the error shape, and nothing is changed', async () => {
    const before = (await ask('GET', FREE)).text
    for (const tag of ['"x"', `W/${await tagAt(FREE)}`, '"a", W/"b"']) {
      const { status, code } = await ask(method, path, body, tag)
      expect([status, code]).toEqual([412, '412'])
    }
    expect((await ask('GET', FREE)).text).toBe(before)
  })

  it('with the tag of the name, among others', async () => {
    expect((await ask(method, path, body, `"x", ${await tagAt(FREE)}`)).status).toBeLessThan(300)
  })

  it('with *', async () => {
    expect((await ask(method, path, body, '*')).status).toBeLessThan(300)
  })

  it('with the tag of the RRset: below the RRset only', async () => {
    const isBelow = path.startsWith(A)
    const { status } = await ask(method, path, body, await tagAt(A))
    expect([status === 412, status < 300]).toEqual([!isBelow, isBelow])
  })
})

describe('If-None-Match: * of a write', () => {
  it.each([
    ['an RRSet that is there', `${FREE}/rrsets/A`, 412],
    ['an RRSet that is not', `${FREE}/rrsets/MX`, 201],
  ])('is for what must be new: %s', async (_, path, status) => {
    const before = await tagAt(FREE)
    const body = JSON.stringify({ rdata: [{ value: path.endsWith('A') ? '192.0.2.1' : '0 .' }] })
    const sent = { method: 'PUT', path, body, authorization: 'Bearer key-of-a', ifNoneMatch: '*' }
    expect((await send(sent)).status).toBe(status)
    expect((await tagAt(FREE)) === before).toBe(status === 412)
  })

  it('says nothing of a zone in which something is made', async () => {
    const body = JSON.stringify({ name: 'new' })
    const sent = { method: 'POST', path: `${R}/example.test`, body, authorization: 'Bearer key-of-a' }
    expect((await send({ ...sent, ifNoneMatch: '*' })).status).toBe(201)
  })
})

describe('If-Match', () => {
  const MX = [{ value: '0 .' }]
  // biome-ignore format: a table
  it.each<[what: string, method: string, path: string, body: unknown, ifMatch: string, expected: string]>([
    ['* and a missing RRset',                   'PUT',  `${FREE}/rrsets/MX`,        { rdata: MX },               '*',    '412 412'],
    ['* and a missing name, which is not made', 'POST', `${R}/example.test/no/rrsets/MX/rdata`, MX,              '*',    '412 412'],
    ['a tag and a missing name',                'PUT',  `${R}/example.test/no/rrsets/MX`, { rdata: MX },         '"x"',  '412 412'],
    ['a name of another account',               'PUT',  `${R}/b.test/@/rrsets/MX`,  { rdata: MX },               '*',    '404 2728'],
    ['no tag at all',                           'PUT',  A,                          { ttl: 300 },                'nope', '400 400'],
    ['an empty header',                         'PUT',  A,                          { ttl: 300 },                '',     '400 400'],
    ['a tag where there is none',               'POST', `${R}/example.test`,        { name: 'new' },             '"x"',  '412 412'],
    ['* at a zone',                             'POST', `${R}/example.test`,        { name: 'new' },             '*',    '201 '],
  ])('%s: %s %s', async (_, method, path, body, ifMatch, expected) => {
    const { status, code } = await ask(method, path, body, ifMatch)
    expect(`${status} ${code}`).toBe(expected)
  })

  it('is checked after the credentials', async () => {
    expect((await ask('PUT', A, { ttl: 300 }, '"x"', 'wrong')).status).toBe(401)
  })

  it('of 16 parallel read-modify-writes, one in each round wins: no write is lost', async () => {
    const add = async (n: number): Promise<number> => {
      for (let tries = 1; ; tries++) {
        const { text, headers } = await ask('GET', A)
        const { rdata } = (
          JSON.parse(text) as { data: { rdata: readonly { value: string; label: string }[] } }
        ).data
        const next = [
          ...rdata.map(({ value, label }) => ({ value, label })),
          { value: `198.51.100.${n}`, label: `w${n}` },
        ]
        const { status, code } = await ask('PUT', A, { rdata: next }, headers['etag'])
        if (status === 202) return tries
        expect([status, code]).toEqual([412, '412'])
      }
    }
    const tries = await Promise.all(Array.from({ length: 16 }, async (_, n) => add(n)))
    const { text } = await ask('GET', A)

    expect((JSON.parse(text) as { data: { rdata: readonly unknown[] } }).data.rdata).toHaveLength(17)
    expect(Math.max(...tries)).toBeGreaterThan(1)
  })

  it('of 16 writes with one tag, one succeeds and every other gets 412', async () => {
    const tag = await tagAt(A)
    const writes = Array.from({ length: 16 }, async (_, n) => ask('PUT', A, { ttl: 100 + n }, tag))
    const statuses = (await Promise.all(writes)).map(({ status }) => status)

    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, ...Array.from({ length: 15 }, () => 412)])
  })

  it('reaches the service over a socket', async () => {
    const put = async (ifMatch: string) => {
      const headers = {
        authorization: 'Bearer key-of-a',
        'if-match': ifMatch,
        'content-type': 'application/json',
      }
      return (await fetch(`${world.url}${A}`, { method: 'PUT', headers, body: '{"ttl":300}' })).status
    }
    expect([await put('"x"'), await put('*')]).toEqual([412, 202])
  })
})

describe('If-None-Match', () => {
  const read = async (path: string, ifNoneMatch: string) => {
    const answer = await send({ method: 'GET', path, authorization: 'Bearer key-of-a', ifNoneMatch })
    return { ...answer, isTagged: (answer.headers['etag'] ?? '') !== '' }
  }

  it.each([FREE, A])('answers 304 without a body while nothing has changed: %s', async (path) => {
    const tag = await tagAt(path)
    for (const same of [tag, `W/${tag}`, `"x", ${tag}`, '*'])
      expect(await read(path, same)).toMatchObject({ status: 304, text: '', isTagged: true })
    for (const other of ['"x"', 'nope', '']) expect((await read(path, other)).status).toBe(200)

    await ask('PUT', A, { ttl: 300 })
    expect((await read(path, tag)).status).toBe(200)
  })

  it('says nothing where there is no tag, no name, and no permission', async () => {
    expect((await read(`${FREE}/metadata`, '*')).status).toBe(200)
    expect((await read(`${R}/example.test/no`, '*')).status).toBe(404)
    expect((await read(`${R}/b.test/@`, '*')).status).toBe(404)
  })

  it('reaches the service over a socket', async () => {
    const headers = { authorization: 'Bearer key-of-a', 'if-none-match': await tagAt(A) }
    const response = await fetch(`${world.url}${A}`, { headers })
    expect([response.status, await response.text()]).toEqual([304, ''])
  })
})

it.each<[text: string, expected: unknown]>([
  ['*', '*'],
  [' * ', '*'],
  ['"a"', ['"a"']],
  ['"a,b", W/"c",, ""', ['"a,b"', 'W/"c"', '""']],
  ['"a', undefined],
  ['a', undefined],
  ['"a", *', undefined],
  ['w/"a"', undefined],
  ['', undefined],
])('tags: %s', (text, expected) => expect(parseTags(text)).toEqual(expected))
