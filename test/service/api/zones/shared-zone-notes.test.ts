import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addApiKey } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => {
  world = await apiWorld()
  for (const zone of ZONES) {
    await world.ask('PATCH', `/v1/dns/zones/${zone}`, { description: DESCRIPTION }, 'key-of-o')
    await world.ask('POST', `/v1/dns/zones/${zone}/metadata`, { metadata: { note: NOTE } }, 'key-of-o')
  }
})
afterEach(async () => world.close())

const DESCRIPTION = 'rack 7, paid until May'
const NOTE = 'ask Carol first'
/** Of account O. Account A has a name in the first, and is no member of any. */
const ZONES = ['dyn.test', 'closed.test', 'vip.test'] as const

const READS = ZONES.flatMap((zone) => [
  [zone, `/v1/dns/zones/${zone}`],
  [zone, `/v1/dns/zones/${zone}/metadata`],
  [zone, '/v1/dns/zones?filter[is_shared]=true&limit=50'],
  [zone, `/v1/dns/zones?filter[is_shared]=true&filter[search]=${zone}`],
]) as readonly (readonly [zone: string, path: string])[]

/** Which of the notes of the owner a caller reads there. */
async function notesAt(path: string, key: string): Promise<readonly string[]> {
  const text = JSON.stringify((await world.ask('GET', path, undefined, key)).body)
  return [DESCRIPTION, NOTE].filter((one) => text.includes(one))
}

const NOTES_IN = (path: string): readonly string[] =>
  path.includes('/metadata') ? [NOTE] : [DESCRIPTION, NOTE]

describe('the description and the metadata of a shared zone', () => {
  it.each(READS)('of %s are read by its owner at %s', async (_, path) =>
    expect(await notesAt(path, 'key-of-o')).toEqual(
      path.includes('?') ? [DESCRIPTION, NOTE] : NOTES_IN(path),
    ),
  )

  it.each(READS)('of %s are read by nobody else at %s', async (_, path) =>
    expect([await notesAt(path, 'key-of-a'), await notesAt(path, 'key-of-b')]).toEqual([[], []]),
  )

  it.each(READS)('of %s are read by a member at %s', async (zone, path) => {
    const { store, ids } = world
    await store.write(async (w) => w.setMember(ids[zone] ?? 0, ids['a'] ?? 0, true))
    expect(await notesAt(path, 'key-of-a')).toEqual(path.includes('?') ? [DESCRIPTION, NOTE] : NOTES_IN(path))
    await store.write(async (w) => w.setMember(ids[zone] ?? 0, ids['a'] ?? 0, false))
    expect(await notesAt(path, 'key-of-a')).toEqual([])
  })

  it('are not what a search of another account finds', async () => {
    const found = async (key: string, text: string) =>
      (await world.ask('GET', `/v1/dns/zones?filter[is_shared]=true&filter[search]=${text}`, undefined, key))
        .body.page?.total
    expect([await found('key-of-a', 'Carol'), await found('key-of-a', 'rack')]).toEqual([0, 0])
    expect(await found('key-of-a', 'dyn')).toBe(1)
  })

  it('do not change what else of the zone is shown', async () => {
    const { data } = (await world.ask('GET', '/v1/dns/zones/dyn.test')).body
    expect(data).toMatchObject({ name: 'dyn.test', is_shared: true })
  })

  it('of an own zone are read by a key with a scope for it', async () => {
    await addApiKey(world.store, world.ids['o'] ?? 0, 'zoned', { scopes: ['zone:dyn.test'] })
    expect(await notesAt('/v1/dns/zones/dyn.test', 'zoned')).toEqual([DESCRIPTION, NOTE])
  })
})
