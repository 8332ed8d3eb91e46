import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { after, type Instant, instant, minutes } from '../../../../src/shared/base/time.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { addApiKey } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

const R = '/v1/dns/records'
const KEY = '/v1/account/ddns-keys/kkk1111'
const USED = instant(Date.UTC(2026, 5, 1))

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

async function use(username: string, at: Instant, blockedUntil?: Instant): Promise<void> {
  const { ids, store } = world
  const usage = { requests: [], refusals: [], nondescriptive: 0, ...(blockedUntil && { blockedUntil }) }
  const last = { at, agent: `agent of ${username}`, peer: '192.0.2.9' as Address, reply: 'nochg 192.0.2.1' }
  const principal = { kind: 'key', id: ids[username] ?? 0, accountId: ids['a'] ?? 0 } as const
  await store.write(async (w) => w.putUsage(principal, usage, last))
}

const shown = (key: string, at: Instant) => ({
  at: new Date(at).toISOString(),
  key,
  user_agent: `agent of ${key}`,
  address: '192.0.2.9',
  reply: 'nochg 192.0.2.1',
})

const read = async (path: string, key?: string): Promise<unknown> =>
  (await world.ask('GET', path, undefined, key)).body.data
type Updated = Readonly<Record<'name' | 'last_update', unknown>>
const of = async (path: string, key?: string): Promise<unknown> =>
  ((await read(path, key)) as Updated).last_update

describe('the last update', () => {
  it('of a key is its last request, null before the first', async () => {
    expect(await of(KEY)).toBeNull()
    await use('kkk1111', USED)
    expect(await of(KEY)).toEqual(shown('kkk1111', USED))
    const listed = (await read('/v1/account/ddns-keys')) as readonly Updated[]
    expect(listed.map((one) => one.last_update)).toEqual([shown('kkk1111', USED), null])
  })

  it('of a name is the latest one of its keys, in every view of whole names', async () => {
    const parts = `${R}/example.test/parts`
    expect([await of(parts), await of(`${R}/example.test/empty`)]).toEqual([null, null])
    // A key of the name as a whole, beside that of one Rdata.
    await world.ask('PUT', '/v1/account/ddns-keys/kkk2222', { hostnames: ['parts.example.test'] })
    await use('kkk1111', USED)
    expect(await of(parts)).toEqual(shown('kkk1111', USED))
    await use('kkk2222', after(USED, minutes(1)))
    const latest = shown('kkk2222', after(USED, minutes(1)))
    expect(await of(parts)).toEqual(latest)
    for (const path of [`${R}/example.test?limit=500`, `${R}?view=detail&limit=500`]) {
      const listed = new Map(
        ((await read(path)) as readonly Updated[]).map((one) => [one.name, one.last_update]),
      )
      expect([listed.get('parts'), listed.get('home'), listed.get('free')]).toEqual([
        latest,
        shown('kkk1111', USED),
        null,
      ])
    }
    expect(JSON.stringify(await read(`${R}?limit=500`))).not.toContain('last_update')
    await use('kkk1111', after(USED, minutes(2)))
    expect(await of(parts)).toEqual(shown('kkk1111', after(USED, minutes(2))))
  })

  it('changes no ETag: a request that changes nothing invalidates no tag that a writer has', async () => {
    const tag = async () => (await world.ask('GET', `${R}/example.test/home`)).headers.get('etag')
    const before = await tag()
    await use('kkk1111', USED)
    expect([await tag(), await of(`${R}/example.test/home`)]).toEqual([before, shown('kkk1111', USED)])
  })

  it('is shown to a key with scopes for its names, and of no other account', async () => {
    const { store, ids, ask } = world
    await use('kkk1111', USED)
    await addApiKey(store, ids['a'] ?? 0, 'narrow', { scopes: ['name:home.example.test'] })
    expect(await of(`${R}/example.test/home`, 'narrow')).toEqual(shown('kkk1111', USED))
    await ask('PUT', KEY, { hostnames: ['mine.dyn.test'] })
    const owned = (await read(`${R}/dyn.test?limit=500`, 'key-of-o')) as readonly Updated[]
    expect(owned.find(({ name }) => name === 'mine')).toMatchObject({
      update_group: 'kkk1111',
      last_update: null,
    })
    expect(await of(`${R}/dyn.test/mine`)).toEqual(shown('kkk1111', USED))
  })
})

describe('the block of a key', () => {
  const block = async (): Promise<unknown> => ((await read(KEY)) as { readonly block: unknown }).block
  const HOUR = 3_600_000
  const inHours = (hours: number): Instant => instant(Date.now() + hours * HOUR)

  it('is null without one, and after its end', async () => {
    expect(await block()).toBeNull()
    await use('kkk1111', USED, inHours(-1))
    expect(await block()).toBeNull()
  })

  it('for abuse has its end; one that lies too far ahead is not in force', async () => {
    const until = inHours(1)
    await use('kkk1111', USED, until)
    expect(await block()).toEqual({
      reason: 'abuse',
      since: null,
      until: new Date(until).toISOString(),
      what_to_do: expect.stringContaining('ends by itself'),
    })
    await use('kkk1111', USED, inHours(24 * 400))
    expect(await block()).toBeNull()
  })

  it('by the operator has none, and is shown first', async () => {
    const { store, ids } = world
    await use('kkk1111', USED, inHours(1))
    await store.write(async (w) => w.blockKey(ids['kkk1111'] ?? 0, true, USED))
    expect(await block()).toEqual({
      reason: 'operator',
      since: null,
      until: null,
      what_to_do: expect.stringContaining('contact support'),
    })
  })
})
