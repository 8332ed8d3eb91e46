import { describe, expect, it } from 'vitest'
import { type DnsType, sizeOfRdata } from '../../../src/server/model/rdata-values.ts'
import type { Name } from '../../../src/server/model/tree.ts'
import { apexFault, cutFault, stateFaults } from '../../../src/server/rules/state.ts'
import { ZONE, nameOf, rrsetOf } from './made.ts'

const at = (name: string, types: Partial<Record<DnsType, readonly string[]>>): Name =>
  nameOf(name, ...Object.entries(types).map(([type, values]) => rrsetOf(type as DnsType, ...values)))
const told = async (name: Name, others: readonly Name[] = []): Promise<readonly string[]> => {
  const faults = await stateFaults(name, ZONE, (relative) =>
    Promise.resolve(others.find((one) => one.name === relative)),
  )
  return faults.map(({ refused, detail }) => `${refused}: ${detail}`)
}
const V4 = ['192.0.2.1']

const DS_PLACE = 'DS is only at a delegation, which is a name with NS below the apex (RFC 4035 §2.4)'
const NULL_MX = 'the null MX "0 ." is the only MX of its name (RFC 7505 §3)'
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `"${n}"`)

describe('DNS itself has against a name', () => {
  const rule = (says: string) => [`dnsRulesViolated: ${says}`]
  it.each([
    ['a CNAME alone', at('a', { CNAME: ['b.test.'] }), []],
    [
      'a CNAME with something',
      at('a', { CNAME: ['b.test.'], TXT: ['x'] }),
      rule('a name with a CNAME has no other records (RFC 1034 §3.6.2)'),
    ],
    ['two CNAME', at('a', { CNAME: ['b.test.', 'c.test.'] }), rule('a name has one CNAME (RFC 2181 §10.1)')],
    [
      'a CNAME at the apex',
      at('@', { CNAME: ['b.test.'] }),
      rule('the apex cannot be a CNAME (RFC 1912 §2.4)'),
    ],
    [
      'an ALIAS with A',
      at('a', { ALIAS: ['b.example.test.'], A: V4 }),
      rule('a name with an ALIAS has no A, AAAA or CNAME'),
    ],
    [
      'an ALIAS with AAAA',
      at('a', { ALIAS: ['b.example.test.'], AAAA: ['::1'] }),
      rule('a name with an ALIAS has no A, AAAA or CNAME'),
    ],
    ['an ALIAS with TXT', at('a', { ALIAS: ['b.example.test.'], TXT: ['x'] }), []],
    [
      'NS at a wildcard',
      at('*.a', { NS: ['ns.test.'] }),
      rule('a wildcard cannot be delegated (RFC 4592 §4.2)'),
    ],
    ['NS at a name that only begins like a wildcard', at('*a.b', { NS: ['ns.test.'] }), []],
    ['NS below no wildcard', at('a', { NS: ['ns.test.'] }), []],
    ['NS with addresses', at('a', { NS: ['ns.test.'], A: V4, AAAA: ['::1'] }), []],
    [
      'NS with TXT',
      at('a', { NS: ['ns.test.'], TXT: ['x'] }),
      rule('a delegation has only NS, DS and glue (RFC 1034 §4.2.1, RFC 4035 §2.4)'),
    ],
    ['NS with DS and addresses', at('a', { NS: ['ns.test.'], DS: ['1 8 2 00'], A: V4, AAAA: ['::1'] }), []],
    ['DS without NS', at('a', { DS: ['1 8 2 00'], A: V4 }), rule(DS_PLACE)],
    ['DS at the apex', at('@', { DS: ['1 8 2 00'], NS: ['ns.test.'] }), rule(DS_PLACE)],
    ['the null MX alone', at('a', { MX: ['0 .'], A: V4 }), []],
    ['the null MX with another MX', at('a', { MX: ['10 a.test.', '0 .'] }), rule(NULL_MX)],
    ['two MX', at('a', { MX: ['0 a.test.', '0 b.test.'] }), []],
    ['two SRV of which one is "0 0 0 ."', at('a', { SRV: ['0 0 0 .', '1 1 1 a.test.'] }), []],
    ['100 records in an RRSet', at('a', { TXT: many(100), A: V4 }), []],
    ['101 records in an RRSet', at('a', { A: V4, TXT: many(101) }), rule('an RRSet has at most 100 records')],
    ['NS with TXT at the apex', at('@', { NS: ['ns.test.'], TXT: ['x'] }), []],
    [
      'a redirect with A',
      at('a', { _URL: ['http://x/'], A: V4 }),
      rule('a name with a redirect has no A, AAAA or CNAME'),
    ],
    [
      'a redirect with AAAA',
      at('a', { _URL: ['http://x/'], AAAA: ['::1'] }),
      rule('a name with a redirect has no A, AAAA or CNAME'),
    ],
    ['a redirect with TXT', at('a', { _URL: ['http://x/'], TXT: ['x'] }), []],
  ])('%s', async (_, name, faults) => expect(await told(name)).toEqual(faults))

  it.each([
    ['ALIAS', ['b.example.test.'], 'a name with an ALIAS has no A, AAAA or CNAME'],
    ['_URL', ['http://x/'], 'a name with a redirect has no A, AAAA or CNAME'],
  ] as const)('both things that are wrong with %s and a CNAME', async (type, values, says) =>
    expect(await told(at('a', { [type]: values, CNAME: ['b.test.'] }))).toEqual([
      ...rule('a name with a CNAME has no other records (RFC 1034 §3.6.2)'),
      ...rule(says),
    ]),
  )

  it('an RRSet that fits in no message, to the octet', async () => {
    const message = (octets: number) =>
      at('a', { TXT: ['x'.repeat(100), 'é'.repeat((octets - 24 - 100) / 2)] })
    // An odd number of octets needs one that is not part of a pair.
    expect(await told(at('a', { TXT: ['x'.repeat(101), 'é'.repeat((65_535 - 24 - 101) / 2)] }))).toEqual([])
    expect(await told(message(65_536))).toEqual(rule('an RRSet must fit in one message (RFC 1035 §4.2.2)'))
  })
})

it.each([
  ['octets outside ASCII', 'TXT', `"${'\\255'.repeat(60_000)}"`, 60_002],
  ['escaped characters', 'TXT', '"\\"\\\\"', 4],
  ['hexadecimal digits', 'TLSA', `3 1 0 ${'00'.repeat(59_997)}`, 60_000],
] as const)('the size of a record counts %s once per octet', (_, type, value, size) =>
  expect(sizeOfRdata(type, value)).toBe(size),
)

describe('NS points', () => {
  const NS = (name: string, value: string) => at(name, { NS: [value] })
  const alias = (value: string) => [`nsInvalid: ${value} is an alias (RFC 2181 §10.3)`]
  const bare = (value: string) => [
    `nsInvalid: ${value} is below this delegation and has no address (RFC 1034 §4.2.1)`,
  ]
  it.each([
    ['to a CNAME', NS('a', 'b.example.test.'), [at('b', { CNAME: ['x.test.'] })], alias('b.example.test.')],
    [
      'to an ALIAS, without a dot at the end',
      NS('a', 'b.example.test'),
      [at('b', { ALIAS: ['x.test.'] })],
      alias('b.example.test'),
    ],
    ['without other records', NS('a', 'b.example.test.'), [], []],
    ['to itself', NS('a', 'a.example.test.'), [], bare('a.example.test.')],
    ['to itself with an address', at('a', { NS: ['a.example.test.'], A: V4 }), [], []],
    ['to nothing below it', NS('a', 'n.a.example.test.'), [], bare('n.a.example.test.')],
    ['to an IPv6 address below it', NS('a', 'n.a.example.test.'), [at('n.a', { AAAA: ['::1'] })], []],
    ['to a name with only the same ending', NS('a', 'na.example.test.'), [], []],
    ['to the apex, from the apex', NS('@', 'example.test.'), [], []],
    ['to nothing below the apex', NS('@', 'n.example.test.'), [], []],
  ])('%s', async (_, name, others, faults) => expect(await told(name, others)).toEqual(faults))

  it('to several names, and all are reported', async () =>
    expect(await told(at('a', { NS: ['x.test.', 'a.example.test.', 'b.a.example.test.'] }))).toEqual([
      ...bare('a.example.test.'),
      ...bare('b.a.example.test.'),
    ]))
})

it.each([
  ['a CNAME', at('b', { CNAME: ['x.test.'] }), ['ptrInvalid: b.example.test. is an alias (RFC 2181 §10.2)']],
  ['an address', at('b', { A: V4 }), []],
])('PTR points to %s', async (_, other, faults) =>
  expect(await told(at('a', { PTR: ['x.test.', 'b.example.test.'] }), [other])).toEqual(faults),
)

describe('an ALIAS', () => {
  const alias = (name: string, ...values: readonly string[]) => at(name, { ALIAS: values })
  const loop = ['aliasInvalid: a.example.test leads back to itself']
  it.each([
    ['to a name of the zone', alias('a', 'b.example.test.'), [], []],
    ['to an address', alias('a', 'b.example.test.'), [at('b', { A: V4 })], []],
    ['to the apex', alias('a', 'example.test'), [], []],
    ['out of the zone', alias('a', 'b.test.'), [], ['aliasOutsideZone: b.test. is outside example.test']],
    ['twice', alias('a', 'b.example.test.', 'c.example.test.'), [], ['aliasInvalid: a name has one ALIAS']],
    ['to itself', alias('a', 'a.example.test.'), [], loop],
    ['to an ALIAS that leads back', alias('a', 'b.example.test.'), [alias('b', 'a.example.test.')], loop],
    [
      'to a CNAME that leads back',
      alias('a', 'b.example.test.'),
      [at('b', { CNAME: ['a.example.test.'] })],
      loop,
    ],
    ['to a CNAME out of the zone', alias('a', 'b.example.test.'), [at('b', { CNAME: ['a.test.'] })], []],
    [
      'to a loop of others',
      alias('a', 'b.example.test.'),
      [alias('b', 'c.example.test.'), alias('c', 'b.example.test.')],
      [],
    ],
  ])('%s', async (_, name, others, faults) => expect(await told(name, others)).toEqual(faults))

  it('is followed for sixteen steps', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, n) =>
        alias(`n${n}`, n + 1 < length ? `n${n + 1}.example.test.` : 'a.example.test.'),
      )
    expect(await told(alias('a', 'n0.example.test.'), chain(15))).toEqual(loop)
    expect(await told(alias('a', 'n0.example.test.'), chain(16))).toEqual([])
  })
})

it.each([
  ['the apex without NS', at('@', { NS: ['ns.test.'] }), at('@', {}), true],
  ['no apex any more', at('@', { NS: ['ns.test.'] }), undefined, true],
  ['the apex with other NS', at('@', { NS: ['ns.test.'] }), at('@', { NS: ['ns2.test.'] }), false],
  ['an apex that had none', at('@', {}), at('@', {}), false],
  ['another name without NS', at('a', { NS: ['ns.test.'] }), at('a', {}), false],
])('the apex must have NS records: %s', (_, before, after, isFault) =>
  expect(apexFault(before, after)).toEqual(
    isFault
      ? { refused: 'dnsRulesViolated', detail: 'the apex must have NS records (RFC 1034 §4.2.1)' }
      : undefined,
  ),
)

it.each([
  ['DS without NS', at('a', { DS: ['1 8 2 00'], A: V4 }), true],
  ['DS at the apex', at('@', { DS: ['1 8 2 00'], NS: ['ns.test.'] }), true],
  ['DS with NS', at('a', { DS: ['1 8 2 00'], NS: ['ns.test.'] }), false],
  ['neither', at('a', { A: V4 }), false],
])('a deletion leaves no DS without NS: %s', (_, after, isFault) =>
  expect(cutFault(after)).toEqual(isFault ? { refused: 'dnsRulesViolated', detail: DS_PLACE } : undefined),
)
