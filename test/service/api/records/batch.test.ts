import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codesOf } from '../inside.ts'
import { countedOf, apiWorld, type Reply, type World } from '../world.ts'

const R = '/v1/dns/records/example.test'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const patch = async (...changes: readonly unknown[]): Promise<Reply> => world.ask('PATCH', R, changes)
const resultOf = (reply: Reply): string =>
  [reply.status, ...codesOf(reply), ...(reply.body.errors ?? []).map(({ pointer }) => pointer ?? '')].join(
    ' ',
  )
/** For example `A 192.0.2.1 60`; undefined for a missing name. */
const at = async (name: string): Promise<readonly string[] | undefined> => {
  const { status, body } = await world.ask('GET', `${R}/${name}`)
  if (status === 404) return undefined
  const { rrsets } = body.data as {
    readonly rrsets: readonly { dns_type: string; ttl: number; rdata: readonly { value: string }[] }[]
  }
  return rrsets.map(({ dns_type: type, ttl, rdata }) =>
    [type, ...rdata.map(({ value }) => value), ttl].join(' '),
  )
}
const serial = async (): Promise<number> =>
  ((await world.ask('GET', '/v1/dns/zones/example.test')).body.data as { serial: number }).serial

const a = (name: string, value: string) => ({ name, dns_type: 'A', rdata: [{ value }] })
const cname = (name: string, value: string) => ({ name, dns_type: 'CNAME', rdata: [{ value }] })

describe('a batch', () => {
  it('creates, replaces and deletes RRSets of several names', async () => {
    const reply = await patch(
      { ...a('NEW', '192.0.2.40'), ttl: 300 },
      { name: 'free', dns_type: 'A', ttl: 120 },
      { name: 'free', dns_type: 'TXT', rdata: [] },
      { name: '@', dns_type: 'MX', rdata: [{ value: '10 mail.test.' }] },
    )

    expect(resultOf(reply)).toBe('202')
    expect([await at('new'), await at('free')]).toEqual([
      ['A 192.0.2.40 300'],
      ['A 192.0.2.7 120', 'AAAA 2001:db8::7 60'],
    ])
  })

  it('succeeds again and changes nothing: 200, and the serial stays', async () => {
    const changes = [
      a('new', '192.0.2.40'),
      { name: 'free', dns_type: 'A', rdata: [] },
      { name: 'none', dns_type: 'A', rdata: [] },
    ]
    expect((await patch(...changes)).status).toBe(202)
    const before = await serial()

    expect([(await patch(...changes)).status, await serial()]).toEqual([200, before])
    expect((await patch()).status).toBe(200)
  })

  // biome-ignore format: a table
  it.each<[what: string, changes: readonly unknown[], expected: string]>([
    ['a name at fault',                  [a('ok', '192.0.2.1'), a('a..b', '192.0.2.1')],                    '400 3607 /1/name'],
    ['values at fault, all of them',     [a('ok', 'x'), a('ok2', '192.0.2.1'), a('ok3', 'y')],              '400 2839 2839 /0/rdata/0/value /2/rdata/0/value'],
    ['a locked name',                    [a('ok', '192.0.2.1'), a('locked', '192.0.2.1')],                  '403 4821 /1/name'],
    ['an RRSet of the service',          [a('ok', '192.0.2.1'), { name: '@', dns_type: 'NS', rdata: [] }],  '403 2710 /1/dns_type'],
    ['a TTL of a missing RRSet',         [a('ok', '192.0.2.1'), { name: 'free', dns_type: 'MX', ttl: 60 }], '404 2373 /1/dns_type'],
    ['a TTL of a missing name',          [a('ok', '192.0.2.1'), { name: 'none', dns_type: 'MX', ttl: 60 }], '404 2373 /1/dns_type'],
    ['a TTL that is too low',            [a('ok', '192.0.2.1'), { name: 'free', dns_type: 'A', ttl: 1 }],   '403 3655 /1/ttl'],
    ['one RRSet twice',                  [a('ok', '192.0.2.1'), a('OK', '192.0.2.2')],                      '409 2204 /1/dns_type'],
    ['one value twice',                  [{ name: 'ok', dns_type: 'A', rdata: [{ value: '192.0.2.1' }, { value: '192.0.2.1' }] }], '409 2722 /0/rdata/1/value'],
    ['a rule of DNS',                    [a('ok', '192.0.2.1'), cname('free', 'x.test.')],                  '400 3363 '],
    ['a loop of two new names',          [{ name: 'l1', dns_type: 'ALIAS', rdata: [{ value: 'l2.example.test.' }] }, { name: 'l2', dns_type: 'ALIAS', rdata: [{ value: 'l1.example.test.' }] }], '400 4159 4159  '],
    ['no object',                        [a('ok', '192.0.2.1'), 5],                                         '400 3809 /1'],
    ['no name',                          [{ dns_type: 'A', rdata: [] }],                                    '400 3809 /0/name'],
    ['an unknown type',                  [a('ok', '192.0.2.1'), { name: 'x', dns_type: 'FOO', rdata: [] }], '400 3252 /1/dns_type'],
  ])('changes nothing with %s', async (_, changes, expected) => {
    const before = await serial()

    expect([resultOf(await patch(...changes)), await at('ok'), await serial()]).toEqual([expected, undefined, before])
  })

  it('has the warnings of each change', async () => {
    const { status, body } = await patch(
      cname('alias', 'free.example.test.'),
      { name: 'mail', dns_type: 'MX', rdata: [{ value: '10 alias.example.test.' }] },
      cname('short', 'free'),
      a('x.example.test', '192.0.2.1'),
    )
    expect([status, body.warnings.map(({ detail }) => detail)]).toEqual([
      202,
      [
        'the MX of mail.example.test. points to the alias alias.example.test. (RFC 2181 §10.3)',
        'the target of CNAME is absolute: free is stored as free., with a dot at its end',
        expect.stringMatching(/^names are relative to the zone/),
      ],
    ])
  })

  it.each<[what: string, changes: readonly unknown[]]>([
    [
      'a CNAME takes the place of all records',
      [
        ...['A', 'AAAA', 'TXT'].map((type) => ({ name: 'free', dns_type: type, rdata: [] })),
        cname('free', 'x.test.'),
      ],
    ],
    ['a wildcard comes before its parent', [a('*.p', '192.0.2.1'), a('p', '192.0.2.1')]],
    [
      'a delegation with its glue',
      [{ name: 'd', dns_type: 'NS', rdata: [{ value: 'ns.d.example.test.' }] }, a('ns.d', '192.0.2.1')],
    ],
  ])('is judged by its result: %s', async (_, changes) => {
    expect(resultOf(await patch(...changes))).toBe('202')
  })

  it('creates a name in a shared zone together with the names that belong to it', async () => {
    const challenge = { name: '_acme-challenge.new', dns_type: 'TXT', rdata: [{ value: 'x' }] }
    const shared = async (...changes: readonly unknown[]) =>
      resultOf(await world.ask('PATCH', '/v1/dns/records/dyn.test', changes))

    expect(await shared(challenge)).toBe('403 3331 /0/name')
    expect(await shared(challenge, a('new', '192.0.2.1'))).toBe('202')
  })

  it('counts quotas over all changes', async () => {
    const { store, ids } = world
    await store.write(async (w) => {
      const { names, rdata } = await countedOf(w, ids['a'] ?? 0)
      await w.changePlan(ids['plan-a'] ?? 0, { maxNames: names + 1, maxRdata: rdata + 1 })
    })
    const [first, second] = [a('q1', '192.0.2.1'), a('q2', '192.0.2.2')]

    expect(resultOf(await patch(first, second))).toBe('402 3354 4428  ')
    expect(resultOf(await patch(first, { name: 'free', dns_type: 'A', rdata: [] }))).toBe('202')
    expect(resultOf(await patch(a('empty', '192.0.2.3'), a('free', '192.0.2.4')))).toBe('402 4428 ')
  })
})
