import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { after, instant, seconds } from '../../../../src/shared/base/time.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { flushed } from '../../publish/flushed.ts'
import { inside, type Inside, NOW } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

const R = '/v1/dns/records'
const A = `${R}/example.test/free/rrsets/A`
const LISTS = [
  R,
  `${R}?view=name_only`,
  `${R}/example.test`,
  `${R}/example.test/free/rrsets`,
  '/v1/dns/zones',
  '/v1/dns/zone-authorities',
  '/v1/dns/clients',
  '/v1/account/ddns-keys',
  '/v1/account/api-keys',
  '/v1/account/tsig-keys',
  '/v1/account/trail',
]

let world: World
let send: Inside['send']
beforeEach(async () => {
  world = await apiWorld()
  ;({ send } = inside(world.store))
})
afterEach(async () => world.close())

const ask = async (method: string, path: string, more: { body?: unknown; ifNoneMatch?: string } = {}) => {
  const [at = '', query = ''] = path.split('?')
  return send({
    method,
    path: at,
    query,
    authorization: 'Bearer key-of-a',
    ...(more.body !== undefined && { body: JSON.stringify(more.body) }),
    ...(more.ifNoneMatch !== undefined && { ifNoneMatch: more.ifNoneMatch }),
  })
}
const tagAt = async (path: string): Promise<string> => (await ask('GET', path)).headers['etag'] ?? ''

describe('the entity tag of a list', () => {
  it.each(LISTS)('%s: is weak, the same while nothing changes, and answers 304', async (path) => {
    const tag = await tagAt(path)
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    for (const same of [tag, tag.slice(2), `"x", ${tag}`, '*'])
      expect(await ask('GET', path, { ifNoneMatch: same })).toMatchObject({
        status: 304,
        text: '',
        headers: { etag: tag },
      })
    for (const other of ['"x"', 'W/"x"', 'nope', ''])
      expect((await ask('GET', path, { ifNoneMatch: other })).status).toBe(200)
  })

  it('is another one on another page, and after a change on this page alone', async () => {
    const pages = [
      `${R}/example.test?sort[name]=asc&limit=4`,
      `${R}/example.test?sort[name]=asc&limit=3&offset=4`,
    ]
    const tags = async () => Promise.all(pages.map(tagAt))
    const [first, second] = await tags()
    expect(first).not.toBe(second)
    await ask('PUT', A, { body: { ttl: 300 } })
    const [changed, same] = await tags()
    expect([changed === first, same === second]).toEqual([false, true])
    await ask('POST', `${R}/example.test`, { body: { name: 'zzz' } })
    // Its rows are the same, and the number of all is another one.
    expect(await tagAt(pages[0] ?? '')).not.toBe(changed)
  })

  it.each<[what: string, change: () => Promise<unknown>]>([
    ['a new name', async () => ask('POST', `${R}/example.test`, { body: { name: 'new' } })],
    ['a deleted name', async () => ask('DELETE', `${R}/example.test/parts`)],
    ['a publication', async () => flushed(world.store)],
  ])('is another one after %s', async (_, change) => {
    const before = [await tagAt(R), await tagAt(`${R}/example.test`)]
    await change()
    const changed = [await tagAt(R), await tagAt(`${R}/example.test`)]
    expect(changed.filter((tag, n) => tag === before[n])).toEqual([])
  })

  it('of keys and clients changes with their last use once a minute, and with everything else at once', async () => {
    const { a = 0, kkk1111: id = 0 } = world.ids
    const principal = { kind: 'key', id, accountId: a } as const
    const use = async (at: number, reply = 'good'): Promise<readonly string[]> => {
      await world.store.write(async (w) => {
        const last = { agent: 'x', peer: '192.0.2.1' as Address, reply, at: after(NOW, seconds(at)) }
        await w.putUsage(principal, await w.usageOf(principal), last)
      })
      return [await tagAt('/v1/account/ddns-keys'), await tagAt('/v1/dns/clients')]
    }
    const [keys, clients] = await use(5)
    expect(await use(59)).toEqual([keys, clients])
    const [laterKeys, laterClients] = await use(60)
    expect([laterKeys === keys, laterClients === clients]).toEqual([false, false])
    const [sameKeys, otherReply] = await use(61, 'nochg')
    expect([sameKeys === laterKeys, otherReply === laterClients]).toEqual([true, false])
  })

  it('counts metadata whole, whatever its key is called', async () => {
    const set = async (value: string): Promise<string> => {
      await world.store.write(async (w) => {
        const name = await w.nameAt(world.ids['example.test'] ?? 0, 'free')
        if (name !== undefined)
          await w.saveName({ ...name, metadata: { last_used_at: value } }, instant(name.updatedAt))
      })
      return tagAt(`${R}/example.test`)
    }
    expect(await set('2026-01-01T00:00:01Z')).not.toBe(await set('2026-01-01T00:00:02Z'))
  })
})
