import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyIn, inside, type Inside, type Listing } from './inside.ts'
import { apiWorld, type World } from './world.ts'

let world: World
let api: Inside
beforeAll(async () => {
  world = await apiWorld()
  api = inside(world.store)
})
afterAll(async () => world.close())

const R = '/v1/dns/records'
const AS_A = { authorization: 'Bearer key-of-a' }
const send = async (path: string, query: string) => api.send({ method: 'GET', path, query, ...AS_A })
const get = async (path: string, query: string): Promise<Listing> => {
  const answer = await send(path, query)
  if (answer.status !== 200) throw new Error(`${path}?${query}: ${answer.status} ${answer.text}`)
  return bodyIn(answer) as Listing
}
const faultOf = async (path: string, query: string): Promise<string> => {
  const answer = await send(path, query)
  const { errors = [] } = bodyIn(answer) as { errors?: readonly { code: string; pointer: string }[] }
  return [answer.status, ...errors.map(({ code, pointer }) => `${code} ${pointer}`)].join(' ')
}

// biome-ignore format: a table
const LISTS: readonly (readonly [path: string, query: string])[] = [
  [R,                                  ''],
  [R,                                  'view=detail&sort[rdata]=desc&sort[name]=asc'],
  [R,                                  'view=name_only&sort[label]=asc&filter[search]=e'],
  [R,                                  'sort[published_at]=desc&sort[zone_is_shared]=desc'],
  [R,                                  'sort[updated_at]=asc&sort[dns_type]=desc&sort[zone_name]=desc'],
  [`${R}/example.test`,                ''],
  [`${R}/example.test`,                'sort[name_labels_reversed]=desc&filter[dns_type]=A&filter[state]=pending'],
  [`${R}/example.test/free/rrsets`,    ''],
  [`${R}/example.test/free/rrsets`,    'sort[dns_type]=desc'],
  ['/v1/dns/zones',                    ''],
  ['/v1/dns/zones',                    'filter[search]=test'],
  ['/v1/dns/zone-authorities',         ''],
  ['/v1/account/ddns-keys',            'sort[created_at]=desc'],
  ['/v1/account/api-keys',             ''],
]

describe.each(LISTS)('page.next of %s?%s', (path, query) => {
  it.each([1, 2, 50])('leads through all rows, %i at a time, and is null at the end', async (limit) => {
    const whole = await get(path, query)
    const rows: unknown[] = []
    let after = ''
    for (let page = 0; page < 50; page++) {
      const one = await get(path, `${query}&limit=${limit}${after}`)
      expect(one.page).toMatchObject({ offset: rows.length, limit, total: whole.data.length })
      rows.push(...one.data)
      if (one.page.next === null) break
      expect(one.page.next).toMatch(/^[\w-]+$/)
      after = `&after=${one.page.next}`
    }
    expect(whole.data.length).toBeGreaterThan(1)
    expect(rows).toEqual(whole.data)
  })

  it('is the same from an offset, and null at the last row and without rows', async () => {
    const { page } = await get(path, query)
    const [one, two] = [await get(path, `${query}&limit=1`), await get(path, `${query}&limit=2`)]
    const second = page.total > 2 ? two.page.next : null
    expect((await get(path, `${query}&limit=1&offset=1`)).page.next).toBe(second)
    expect((await get(path, `${query}&limit=1&after=${one.page.next}`)).page.next).toBe(second)
    for (const end of [`limit=1&offset=${page.total - 1}`, `offset=${page.total}`, 'limit=0'])
      expect([end, (await get(path, `${query}&${end}`)).page.next]).toEqual([end, null])
  })
})

describe('a cursor', () => {
  const nextOf = async (path: string, query: string): Promise<string> =>
    (await get(path, `${query}&limit=1`)).page.next ?? ''

  // biome-ignore format: a table
  it.each([
    ['another sort',              R,                       'sort[name]=asc',                   R,                       ''],
    ['another direction',         R,                       'sort[name]=asc',                   R,                       'sort[name]=desc'],
    ['the keys in another order', R,                       'sort[name]=asc&sort[rdata]=asc',   R,                       'sort[rdata]=asc&sort[name]=asc'],
    ['a filter',                  R,                       '',                                 R,                       'filter[dns_type]=A'],
    ['another value',             R,                       'filter[dns_type]=A',               R,                       'filter[dns_type]=AAAA'],
    ['an expression',             R,                       '',                                 R,                       'metadata={"and":[]}'],
    ['another list',              R,                       '',                                 `${R}/example.test`,     ''],
    ['another zone',              `${R}/example.test`,     '',                                 `${R}/frozen.test`,      ''],
    ['servers for API keys',      '/v1/account/api-keys',  '',                                 '/v1/dns/zone-authorities', ''],
    ['zones for names',           '/v1/dns/zones',         '',                                 R,                       ''],
  ])('is refused with %s', async (_, path, query, otherPath, other) => {
    const after = await nextOf(path, query)
    expect(after).not.toBe('')
    expect(await faultOf(path, `${query}&after=${after}`)).toBe('200')
    expect(await faultOf(otherPath, `${other}&after=${after}`)).toBe('400 2451 after')
  })

  it('is accepted with another limit, view and order of the filters', async () => {
    const after = await nextOf(R, 'filter[dns_type]=A&filter[offline]=false')
    const other = `filter[offline]=false&filter[dns_type]=A&view=detail&limit=7&expand[]=offline_settings`
    expect(await faultOf(R, `${other}&after=${after}`)).toBe('200')
  })

  it('is refused beside an offset', async () => {
    expect(await faultOf(R, `after=${await nextOf(R, '')}&offset=0`)).toBe('400 2451 after')
  })

  const partsOf = (cursor: string): readonly unknown[] =>
    JSON.parse(Buffer.from(cursor, 'base64url').toString()) as readonly unknown[]
  const cursorOf = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

  it('that nobody was given is refused, or begins another page of the same list', async () => {
    const sort = 'sort[zone_is_shared]=asc&sort[name]=asc&sort[rdata]=asc&sort[created_at]=asc'
    const parts = partsOf(await nextOf(R, sort))
    const [binding, offset, shared, name, rdata, time, id] = parts
    const wrong: readonly unknown[] = [
      null,
      {},
      [],
      'x',
      ['x', ...parts.slice(1)],
      parts.slice(0, -1),
      [...parts, 1],
      [binding, -1],
      [binding, '0'],
      [binding, 1e300],
      [binding, offset, 70_000, name, rdata, time, id],
      [binding, offset, '0', name, rdata, time, id],
      [binding, offset, shared, null, rdata, time, id],
      [binding, offset, shared, name, 5, time, id],
      [binding, offset, shared, name, rdata, 0.5, id],
      [binding, offset, shared, name, rdata, null, id],
      [binding, offset, shared, name, rdata, time, 2 ** 53],
    ]
    for (const one of wrong)
      expect([one, await faultOf(R, `${sort}&after=${cursorOf(one)}`)]).toEqual([one, '400 2451 after'])
    for (const text of ['', '!', '%00', 'bnVsbA'])
      expect(await faultOf(R, `${sort}&after=${text}`)).toBe('400 2451 after')
    for (const one of [
      [binding, offset, 1, '\u0000', '\ud800', 0, 0],
      [binding, offset, 0, name, null, time, id],
    ])
      expect([one, await faultOf(R, `${sort}&after=${cursorOf(one)}`)]).toEqual([one, '200'])
  })

  it('after a very long value has the offset alone', async () => {
    const value = Array.from({ length: 20 }, () => `"${'z'.repeat(250)}"`).join(' ')
    const text = { name: 'long', rrsets: [{ dns_type: 'TXT', rdata: [{ value }] }] }
    expect((await world.ask('POST', `${R}/example.test`, text)).status).toBe(201)
    const sort = 'view=name_only&sort[rdata]=desc'
    const { data } = await get(R, sort)
    const at = data.findIndex((row) => (row as { name: string }).name === 'long')
    expect(at).toBeGreaterThanOrEqual(0)
    const { page } = await get(R, `${sort}&limit=${at + 1}`)

    expect(page.next?.length).toBeLessThan(100)
    expect((await get(R, `${sort}&after=${page.next}`)).data).toEqual(data.slice(at + 1))
  })
})
