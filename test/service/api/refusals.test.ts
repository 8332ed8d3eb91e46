import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Route, refusalsOf } from '../../../src/service/api/route.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import { ERRORS } from '../../../src/service/model/errors.ts'
import { NO_REFUSALS, REFUSALS, type RefusalCase } from '../../spec/refusals.ts'
import { inside } from './inside.ts'
import { type Reply, type World, apiWorld, PASSWORD, prepare } from './world.ts'

/** All data that the requests could change, as listed by the API. */
async function dump({ store }: World): Promise<string> {
  const { send } = inside(store)
  const list = async (path: string, query = ''): Promise<string> => {
    const { status, text } = await send({ method: 'GET', path, query, authorization: 'Bearer key-of-a' })
    if (status !== 200) throw new Error(text)
    return text
  }
  return [
    await list('/v1/dns/records', 'view=detail&limit=500&expand[]=offline_settings'),
    await list('/v1/dns/zones'),
    await list('/v1/account/ddns-keys'),
  ].join('\n')
}

const keyFor = (words: readonly string[]): string | null => {
  if (words.includes('anonymous')) return null
  if (words.includes('password')) return `a:${PASSWORD}`
  if (words.includes('owner-key')) return 'key-of-o'
  return words.includes('readonly-key') ? 'reader-of-a' : 'key-of-a'
}

interface Driven {
  readonly reply: Reply
  readonly before: string
  readonly after: string
}

type Case = Pick<RefusalCase, 'method' | 'path' | 'body' | 'setup'>
const wordsIn = (setup: string): readonly string[] => setup.split(' ').filter((word) => word !== '')
const send = async ({ ask }: World, { method, path, body, setup }: Case): Promise<Reply> =>
  ask(method, path, body === '' ? undefined : body, keyFor(wordsIn(setup)))

/** Sends the request of a case to a new service. */
async function drive(one: Case): Promise<Driven> {
  const world = await apiWorld()
  try {
    for (const word of wordsIn(one.setup)) await prepare(world, word)
    const before = await dump(world)
    const reply = await send(world, one)
    return { reply, before, after: await dump(world) }
  } finally {
    await world.close()
  }
}

/** These words of a setup prepare nothing: they select the API key. */
const isUnprepared = (setup: string): boolean =>
  wordsIn(setup).every((word) => ['anonymous', 'readonly-key', 'owner-key', 'password'].includes(word))

const codesOf = ({ body }: Reply): readonly string[] | undefined => body.errors?.map(({ code }) => code)

describe('every refusal of an operation can be triggered', () => {
  const seen: string[] = []
  // A refused request changes nothing, so those that need no preparation share a service.
  let shared: World
  let before: string
  beforeAll(async () => {
    shared = await apiWorld()
    before = await dump(shared)
  })
  afterAll(async () => shared.close())
  const refused = async (row: RefusalCase): Promise<Driven> =>
    isUnprepared(row.setup)
      ? { reply: await send(shared, row), before, after: await dump(shared) }
      : drive(row)

  it.each(REFUSALS)('$operation $code: $method $path $body ($setup)', async (row) => {
    const driven = await refused(row)
    const { reply } = driven

    const [first] = codesOf(reply) ?? []
    expect([reply.status, first], JSON.stringify(reply.body)).toEqual([row.status, row.code])
    expect(driven.after).toBe(driven.before) // a refused request changes nothing
    seen.push(`${row.operation} ${row.code}`)
  })

  it('every pair of operation and code has a case', () => {
    const pairs = Object.entries<Route>(ROUTES).flatMap(([id, one]) =>
      refusalsOf(one).map((name) => `${id} ${ERRORS[name].code}`),
    )

    expect(pairs.filter((pair) => !seen.includes(pair))).toEqual([])
    expect(seen.toSorted()).toEqual(pairs.toSorted())
  })
})

it.each(NO_REFUSALS)('$operation refuses nothing: $method $path ($setup)', async (row) => {
  const { reply } = await drive(row)

  expect([reply.status, codesOf(reply)]).toEqual([row.status, undefined])
})

const NS = { value: 'ns1.other.test.' }
const APEX = { name: '@', rrsets: [{ dns_type: 'NS', rdata: [NS] }] }
const VALUE = { value: '192.0.2.30' }
const MX_SET = [{ dns_type: 'MX', rdata: [{ value: '0 .' }] }]

/** Decision 0016: cases that the specification leaves open. */
// biome-ignore format: a table
it.each<[what: string, expected: string, method: string, path: string, body: unknown, setup?: string]>([
  ['RRSets at a name of another account',  '403 4403', 'POST', 'dyn.test/bob/rrsets',              MX_SET],
  ['RRSets with a read-only API key',      '403 4403', 'POST', 'example.test/free/rrsets',         MX_SET, 'readonly-key'],
  ['PUT of an owner-only type',            '403 2051', 'PUT',  'dyn.test/mine/rrsets/NS/rdata',    [NS]],
  ['PUT by label of an owner-only type',   '403 2051', 'PUT',  'dyn.test/mine/rrsets/NS/rdata/a',  NS],
  ['PUT of an RRSet of the service',       '403 2710', 'PUT',  'example.test/@/rrsets/NS/rdata',   [NS]],
  ['PUT of a new label in such an RRSet',  '403 2730', 'PUT',  'example.test/@/rrsets/NS/rdata/b', NS],
  ['POST to such an RRSet',                '403 4403', 'POST', 'example.test/@/rrsets/NS/rdata',   [NS]],
  ['such an RRSet in a new name',          '409 4285', 'POST', 'example.test',                     APEX],
  // The form of the offline settings is judged after the place of the name, and of its records.
  ['a name that exists, no settings',      '409 4285', 'POST', 'example.test',                     { name: 'home', offline_settings: 5 }],
  ['a name that is none, no settings',     '400 3607', 'POST', 'example.test',                     { name: '-a', offline_settings: 5 }],
  ['no Rdata, no settings',                '400 2128 2714', 'POST', 'example.test',                     { name: 'q', rrsets: [{ dns_type: 'A' }], offline_settings: 5 }],
  ['settings that are no object',          '400 2714', 'POST', 'example.test',                     { name: 'q', offline_settings: 5 }],
  ['settings that are null',               '400 2714', 'POST', 'example.test',                     { name: 'q', offline_settings: null }],
  ['settings with a text that is none',    '400 3809', 'POST', 'example.test',                     { name: 'q', offline_settings: { action: 'page', title: 'a\0' } }],
  ['such a text, a name that exists',      '409 4285', 'POST', 'example.test',                     { name: 'home', offline_settings: { action: 'page', title: 'a\0' } }],
  ['U+0000 in a new name',                 '400 3284', 'POST', 'example.test',                     { name: 'a\0b' }],
  ['U+0000 in a name of a batch',          '400 3284', 'PATCH', 'example.test',                    [{ name: 'a\0b', dns_type: 'A', rdata: [VALUE] }]],
  ['a name of a batch that is no text',    '400 3809', 'PATCH', 'example.test',                    [{ name: 5, dns_type: 'A', rdata: [VALUE] }]],
  ['a changed value where none is added',  '202',      'PUT',  'noadd.test/x/rrsets/A/rdata/one',  VALUE],
])('%s: %s', async (_, expected, method, path, body, setup = '') => {
  const { reply } = await drive({ method, path: `/v1/dns/records/${path}`, body: JSON.stringify(body), setup })

  expect([reply.status, ...(codesOf(reply) ?? [])].join(' ')).toBe(expected)
})

it('faults of the hostnames of a DDNS key are reported by phase', async () => {
  const answers = [
    ['locked.example.test', 'nosuch.example.test'],
    ['home.example.test', 'locked.example.test', 'x.frozen.test'],
    ['home.example.test', 'free.example.test', 'free.example.test'],
  ].map(async (hostnames) => {
    const body = JSON.stringify({ hostnames })
    const { reply } = await drive({ method: 'POST', path: '/v1/account/ddns-keys', body, setup: '' })
    return [reply.status, reply.body.errors?.map(({ code, pointer }) => `${code} ${pointer}`)]
  })

  expect(await Promise.all(answers)).toEqual([
    [400, ['3316 /hostnames/1']],
    [403, ['4821 /hostnames/1', '3903 /hostnames/2']],
    [409, ['3311 /hostnames/0', '3676 /hostnames/2']],
  ])
})
