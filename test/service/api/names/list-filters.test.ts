import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyedHash } from '../../../../src/service/auth/hashes.ts'
import { bodyIn, inside, type Inside, type Listing, NOW, PEPPER } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

let world: World
let api: Inside
beforeAll(async () => {
  world = await apiWorld()
  api = inside(world.store)
  const { a = 0, kkk1111 = 0, kkk9999 = 0 } = world.ids
  await world.store.write(async (w) => {
    await w.changeKey(kkk1111, { description: 'Attic router' })
    await w.changeKey(kkk9999, { description: 'Attic of B' })
    const key = (name: string, scopes: readonly string[]) =>
      w.addApiKey({ accountId: a, hash: keyedHash(PEPPER, name), description: name, scopes }, NOW)
    await key('scoped', ['zone:example.test'])
    await key('types', ['type:A'])
    const empty = await w.nameAt(world.ids['example.test'] ?? 0, 'empty')
    if (empty !== undefined) await w.saveName({ ...empty, isOffline: true }, NOW)
  })
})
afterAll(async () => world.close())

const R = '/v1/dns/records'
const Z = `${R}/example.test`
const shown = async (path: string, query: string, key = 'key-of-a'): Promise<string> => {
  const answer = await api.send({ method: 'GET', path, query, authorization: `Bearer ${key}` })
  if (answer.status !== 200) throw new Error(`${query}: ${answer.text}`)
  const rows = (bodyIn(answer) as Listing).data as readonly Readonly<Record<string, unknown>>[]
  return rows.map((row) => String(row['name'] ?? row['username'] ?? row['description'])).join(' ')
}

// biome-ignore format: a table
it.each<[path: string, query: string, expected: string, key?: string]>([
  [R, 'filter[search]=HOME.ex',                                 'home'],
  [R, 'filter[search]=8::7',                                    'free'],
  [R, 'filter[search]=192.0.2.9',                               'x x x'],
  [R, 'filter[search]=192.0.2.9&filter[zone_name]=web.test',    'x'],
  [R, 'filter[search]=hello',                                   ''],
  [R, 'filter[search]=ATTIC',                                   'home parts'],
  [R, 'filter[search]=attic',                                   '',           'scoped'],
  [R, 'filter[search]=attic',                                   '',           'types'],
  [R, 'filter[search]=attic',                                   'home parts', 'reader-of-a'],
  [R, 'filter[search]=home',                                    'home',       'scoped'],
  [R, 'filter[search]=attic',                                   '',           'key-of-b'],
  [R, 'filter[search]=_',                                       ''],
  [R, 'filter[search]=&filter[dns_type]=TXT',                   'free'],
  [R, 'filter[offline]=true',                                   'empty'],
  [R, 'filter[state]=offline&filter[state]=blocked',            'empty locked'],
  [R, 'filter[state]=published',                                ''],
  [R, 'filter[state]=unserved',                                 ''],
  [Z, 'filter[search]=attic',                                   'home parts'],
  [Z, 'filter[name]=home&filter[name]=FREE&sort[name]=asc',     'free home'],
  [Z, 'filter[dns_name]=home',                                  'home'],
  [Z, 'filter[rdata]=2001:db8:0::7',                            'free'],
  [Z, 'filter[label]=SIX',                                      'free'],
  [Z, 'filter[update_group]=kkk1111',                           'home parts'],
  [Z, 'filter[dynupdate]=true',                                 'home parts'],
  [Z, 'filter[dns_type]=cname',                                 'alias'],
  [Z, 'filter[offline]=true',                                   'empty'],
  [Z, 'filter[state]=blocked',                                  'locked'],
  [Z, 'filter[state]=pending&filter[search]=fre',               'free'],
  [Z, 'rrset_metadata={"op":"exact","key":"k","value":"v"}',    ''],
  ['/v1/account/ddns-keys', 'filter[search]=KK2',               'kkk2222'],
  ['/v1/account/ddns-keys', 'filter[search]=router',            'kkk1111'],
  ['/v1/account/ddns-keys', 'filter[search]=kk&filter[description]=attic', 'kkk1111'],
  ['/v1/account/api-keys',  'filter[search]=SCOP',              'scoped'],
  ['/v1/dns/zones',         'filter[search]=Example',           'example.test'],
  ['/v1/dns/zones',         'filter[search]=y&filter[is_shared]=true', 'dyn.test'],
])('%s?%s: %s', async (path, query, expected, key) =>
  expect(await shown(path, query, key)).toBe(expected))

it('shows the clients of some DDNS keys', async () => {
  const { a = 0, kkk1111 = 0, kkk2222 = 0 } = world.ids
  await world.store.write(async (w) => {
    for (const [n, id] of [kkk1111, kkk2222].entries()) {
      const principal = { kind: 'key', id, accountId: a } as const
      const last = { agent: `agent${n}`, peer: '192.0.2.1' as never, reply: 'good', at: NOW }
      await w.putUsage(principal, await w.usageOf(principal), last)
    }
  })
  const agents = async (query: string): Promise<readonly unknown[]> => {
    const answer = await api.send({
      method: 'GET',
      path: '/v1/dns/clients',
      query,
      authorization: 'Bearer key-of-a',
    })
    const { data } = bodyIn(answer) as Listing
    return (data as readonly { readonly user_agent: string }[]).map((one) => one.user_agent)
  }
  const filter = 'filter[ddns_key_username]'
  expect(await agents('')).toEqual(['agent0', 'agent1'])
  expect(await agents(`${filter}=KKK2222`)).toEqual(['agent1'])
  expect(await agents(`${filter}=kkk1111&${filter}=kkk2222`)).toEqual(['agent0', 'agent1'])
  expect(await agents(`${filter}=kkk9999`)).toEqual([])
})
