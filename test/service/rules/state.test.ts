import { describe, expect, it } from 'vitest'
import { type DnsType, sizeOfRdata } from '../../../src/service/model/rdata/types.ts'
import type { Name } from '../../../src/service/model/tree.ts'
import type { PointerType } from '../../../src/service/model/targets.ts'
import { removalFault, stateFaults } from '../../../src/service/rules/state.ts'
import { nameOf, OTHER, rrsetOf, ZONE } from './made.ts'
import type { ZoneReads } from '../../../src/service/rules/resulting-zone.ts'

const at = (name: string, types: Partial<Record<DnsType, readonly string[]>>): Name =>
  nameOf(name, ...Object.entries(types).map(([type, values]) => rrsetOf(type as DnsType, ...values)))
/** The other names of the zone, as the store answers. */
const stored = (others: readonly Name[]): ZoneReads => ({
  nameAt: async (name) => Promise.resolve(others.find((one) => one.name === name)),
  pointersTo: async (name) =>
    Promise.resolve(
      others.flatMap((one) =>
        one.rrsets
          .filter(({ rdata }) =>
            rdata.some(({ value }) => value.split(' ').at(-1) === `${name}.example.test.`),
          )
          .map(({ dnsType }) => ({ ...one, dnsType: dnsType as PointerType })),
      ),
    ),
})
const told = async (after: Name, others: readonly Name[] = [], before?: Name): Promise<readonly string[]> => {
  const faults = await stateFaults({ zone: ZONE, before, after }, stored(others))
  return faults.map(({ refused, detail }) => `${refused}: ${detail}`)
}
const toldOfRemoval = async (
  before: Name,
  after: Name | undefined,
  others: readonly Name[] = [],
): Promise<string | undefined> => {
  const fault = await removalFault({ zone: ZONE, before, after }, stored([before, ...others]))
  return fault === undefined ? undefined : `${fault.refused}: ${fault.detail}`
}
const V4 = ['192.0.2.1']

const DS_PLACE = 'DS is only at a delegation, which is a name with NS below the apex (RFC 4035 §2.4)'
const PARENT = '*.b.example.test. exists, so b.example.test. needs a record (RFC 4592 §2.2.2)'
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
    ['addresses at a wildcard', at('*.a', { A: V4 }), []],
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
    [
      'the null MX with another MX and an address',
      at('a', { A: V4, MX: ['10 a.test.', '0 .'] }),
      rule(NULL_MX),
    ],
    ['two HTTPS of which one is "0 ."', at('a', { HTTPS: ['0 .', '1 .'] }), []],
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
      at('a', { TXT: ['x'.repeat(100), 'é'.repeat((octets - 26 - 100) / 2)] })
    // An odd number of octets needs one that is not part of a pair.
    expect(await told(at('a', { TXT: ['x'.repeat(101), 'é'.repeat((65_535 - 26 - 101) / 2)] }))).toEqual([])
    const tooLong = rule('an RRSet must fit in one message (RFC 1035 §4.2.2)')
    expect(await told(message(65_536))).toEqual(tooLong)
    const after = message(65_536)
    expect(await told({ ...after, rrsets: [...at('a', { A: V4 }).rrsets, ...after.rrsets] })).toEqual(tooLong)
  })
})

it.each([
  ['octets outside ASCII', 'TXT', `"${'\\255'.repeat(60_000)}"`, 60_001],
  ['escaped characters', 'TXT', '"\\"\\\\"', 3],
  ['hexadecimal digits', 'TLSA', `3 1 0 ${'00'.repeat(59_997)}`, 60_000],
] as const)('the size of a record counts %s once per octet', (_, type, value, size) =>
  expect(sizeOfRdata(type, value)).toBe(size),
)

const alias = (name: string, ...values: readonly string[]) => at(name, { ALIAS: values })
const cname = (name: string, value: string) => at(name, { CNAME: [value] })
const foreign = (name: Name): Name => ({ ...name, accountId: OTHER.id })

describe('NS points', () => {
  const NS = (name: string, value: string) => at(name, { NS: [value] })
  const isAlias = ['nsInvalid: b.example.test. is an alias (RFC 2181 §10.3)']
  const bare = (value: string) => [
    `nsInvalid: ${value} is below this delegation and has no address (RFC 1034 §4.2.1)`,
  ]
  const lame = (value: string) => [`nsInvalid: ${value} is in this zone and has no address (RFC 2181 §10.3)`]
  it.each([
    ['to a CNAME', NS('a', 'b.example.test.'), [cname('b', 'x.test.')], isAlias],
    ['to an ALIAS, without a dot at the end', NS('a', 'b.example.test'), [alias('b', 'x.test.')], isAlias],
    ['without other records', NS('a', 'b.example.test.'), [], lame('b.example.test.')],
    [
      'to a name without address',
      NS('a', 'b.example.test.'),
      [at('b', { TXT: ['x'] })],
      lame('b.example.test.'),
    ],
    ['to an address elsewhere in the zone', NS('a', 'b.example.test.'), [at('b', { A: V4 })], []],
    ['to itself', NS('a', 'a.example.test.'), [], bare('a.example.test.')],
    ['to itself with an address', at('a', { NS: ['a.example.test.'], A: V4 }), [], []],
    ['to nothing below it', NS('a', 'n.a.example.test.'), [], bare('n.a.example.test.')],
    ['to an IPv6 address below it', NS('a', 'n.a.example.test.'), [at('n.a', { AAAA: ['::1'] })], []],
    ['to a name with only the same ending', NS('a', 'na.example.test.'), [], lame('na.example.test.')],
    ['out of the zone', NS('a', 'b.test.'), [], []],
    ['to the apex, from the apex', NS('@', 'example.test.'), [], lame('example.test.')],
    ['to nothing below the apex', NS('@', 'n.example.test.'), [], lame('n.example.test.')],
    [
      'to a name of another account',
      foreign(NS('a', 'b.example.test.')),
      [{ ...at('b', { A: V4 }), accountId: 3 }],
      ['nsInvalid: b.example.test. belongs to another account'],
    ],
    ['to a name of the zone owner', foreign(NS('a', 'b.example.test.')), [at('b', { A: V4 })], []],
  ])('%s', async (_, name, others, faults) => expect(await told(name, others)).toEqual(faults))

  it('to several names, and all are reported', async () =>
    expect(await told(at('a', { NS: ['x.test.', 'a.example.test.', 'b.a.example.test.'] }))).toEqual([
      ...bare('a.example.test.'),
      ...bare('b.a.example.test.'),
    ]))

  it('to nothing since before the change, which is no reason to refuse', async () => {
    const before = NS('a', 'b.example.test.')
    expect(await told(at('a', { NS: ['b.example.test.', 'x.test.'] }), [before], before)).toEqual([])
  })

  const ns = NS('d', 'b.example.test.')
  it.each(['CNAME', 'ALIAS'] as const)('to a name that was %s before', async (type) => {
    const before = at('b', { [type]: ['d.example.test.'] })
    expect(
      await told({ ...before, rrsets: [...before.rrsets, rrsetOf('CAA', '0 issue "x"')] }, [ns], before),
    ).not.toContain(
      'nsInvalid: b.example.test. is the target of the NS of d.example.test. and cannot be an alias (RFC 2181 §10.3)',
    )
  })

  it('to a name that loses its addresses: the first of them is told', async () => {
    const [before, after] = [at('b', { A: V4 }), at('b', { TXT: ['x'] })]
    expect(await told(after, [ns, NS('e', 'b.example.test.')], before)).toEqual([
      'nsInvalid: b.example.test. is the target of the NS of d.example.test. and needs an address (RFC 2181 §10.3)',
    ])
  })

  it.each(['CNAME', 'ALIAS'] as const)('to a name that becomes %s', async (type) =>
    expect(await told(at('b', { [type]: ['d.example.test.'] }), [ns])).toEqual([
      'nsInvalid: b.example.test. is the target of the NS of d.example.test. and cannot be an alias (RFC 2181 §10.3)',
    ]),
  )
})

describe('PTR points', () => {
  const PTR = at('p', { PTR: ['x.test.', 'b.example.test.'] })
  const isAlias = ['ptrInvalid: b.example.test. is an alias (RFC 2181 §10.2)']
  const becomes = [
    'ptrInvalid: b.example.test. is the target of the PTR of p.example.test. and cannot be an alias (RFC 2181 §10.2)',
  ]
  it.each([
    ['to a CNAME', PTR, [cname('b', 'x.test.')], isAlias],
    ['to an address', PTR, [at('b', { A: V4 })], []],
    ['to a name that becomes a CNAME', cname('b', 'x.test.'), [PTR], becomes],
    [
      'to a name that becomes a CNAME, the first is told',
      cname('b', 'x.test.'),
      [PTR, { ...PTR, name: 'q' }],
      becomes,
    ],
    ['to a name that becomes an ALIAS', alias('b', 'p.example.test.'), [PTR], []],
    ['from another account to a name that becomes a CNAME', cname('b', 'x.test.'), [foreign(PTR)], []],
    [
      'to a name that becomes a CNAME, by MX and SRV',
      cname('b', 'x.test.'),
      [at('m', { MX: ['1 b.example.test.'], SRV: ['1 1 1 b.example.test.'] })],
      [],
    ],
  ])('%s', async (_, name, others, faults) => expect(await told(name, others)).toEqual(faults))
})

describe('an ALIAS', () => {
  const loop = (name = 'a') => [`aliasInvalid: ${name}.example.test leads back to itself`]
  const into = ['aliasInvalid: the ALIAS of a.example.test leads to a loop at b.example.test']
  const out = [
    'aliasOutsideZone: the ALIAS of a.example.test leads to x.test., which is outside example.test',
  ]
  const b = 'b.example.test.'
  it.each<[what: string, after: Name, others: readonly Name[], faults: readonly string[], before?: Name]>([
    ['to a name of the zone', alias('a', b), [], []],
    ['to an address', alias('a', b), [at('b', { A: V4 })], []],
    ['to the apex', alias('a', 'example.test'), [], []],
    ['out of the zone', alias('a', 'b.test.'), [], ['aliasOutsideZone: b.test. is outside example.test']],
    ['twice', alias('a', b, 'c.example.test.'), [], ['aliasInvalid: a name has one ALIAS']],
    ['to itself', alias('a', 'a.example.test.'), [], loop()],
    ['to an ALIAS that leads back', alias('a', b), [alias('b', 'a.example.test.')], loop()],
    ['to a CNAME that leads back', alias('a', b), [cname('b', 'a.example.test.')], loop()],
    ['that a CNAME leads back to', cname('b', 'a.example.test.'), [alias('a', b)], loop('b')],
    [
      'of another account that a CNAME leads back to',
      cname('b', 'a.example.test.'),
      [foreign(alias('a', b))],
      loop('b'),
    ],
    ['to a CNAME out of the zone', alias('a', b), [cname('b', 'x.test.')], out],
    ['to a name that becomes a CNAME out of the zone', cname('b', 'x.test.'), [alias('a', b)], out],
    [
      'over a CNAME to a name that becomes a CNAME out of the zone',
      cname('c', 'x.test.'),
      [cname('b', 'c.example.test.'), alias('a', b)],
      out,
    ],
    [
      'of another account to a name that becomes a CNAME out of the zone',
      cname('b', 'x.test.'),
      [foreign(alias('a', b))],
      [],
    ],
    ['to a CNAME to itself', alias('a', b), [cname('b', b)], into],
    [
      'to a name that becomes a CNAME to itself',
      cname('b', b),
      [alias('a', b)],
      ['aliasInvalid: b.example.test leads back to itself'],
    ],
    ['to a loop of others', alias('a', b), [cname('b', 'c.example.test.'), cname('c', b)], into],
    [
      'out of the zone, at a name with an address: the rules of the name are first',
      at('a', { ALIAS: ['x.test.'], A: V4 }),
      [],
      ['dnsRulesViolated: a name with an ALIAS has no A, AAAA or CNAME'],
    ],
    ['to itself, at a name with an address', at('a', { ALIAS: ['a.example.test.'], A: V4 }), [], loop()],
    [
      'to an ALIAS that was wrong before',
      at('a', { ALIAS: [b], TXT: ['x'] }),
      [cname('b', 'x.test.')],
      [],
      alias('a', b),
    ],
    [
      'of others that was wrong before, at the end of a CNAME',
      cname('c', 'a.example.test.'),
      [alias('a', b), cname('b', 'x.test.')],
      [],
    ],
    [
      'to another name, where the one before was wrong',
      alias('a', 'c.example.test.'),
      [cname('b', 'x.test.')],
      [],
      alias('a', b),
    ],
  ])('%s', async (_, name, others, faults, before) =>
    expect(await told(name, others, before)).toEqual(faults),
  )

  it('that is absent: CNAME may loop', async () =>
    expect(await told(cname('a', b), [cname('b', 'a.example.test.')])).toEqual([]))

  it.each([1, 2, 3, 16, 17, 99])('in a loop of %i others is found from every place', async (length) => {
    const ring = Array.from({ length: length + 1 }, (_, n) => {
      const next = `n${(n + 1) % (length + 1)}.example.test.`
      return n === 1 ? alias('n1', next) : cname(`n${n}`, next)
    })
    for (const [n, one] of ring.entries())
      expect(await told(one, ring.toSpliced(n, 1))).toEqual(loop(one.name))
  })

  it('leads over a hundred names', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, n) => alias(`n${n}`, `n${n + 1}.example.test.`))
    const long = ['aliasInvalid: a.example.test leads over more than 100 names']
    expect(await told(alias('a', 'n0.example.test.'), chain(99))).toEqual([])
    expect(await told(alias('a', 'n0.example.test.'), chain(100))).toEqual(long)
  })
})

describe('a change without removal is refused too', () => {
  it('where the apex loses its NS', async () =>
    expect(await told(at('@', { TXT: ['x'] }), [], at('@', { NS: ['ns.test.'] }))).toEqual([
      'dnsRulesViolated: the apex must have NS records (RFC 1034 §4.2.1)',
    ]))

  it('where the parent of a wildcard loses its records', async () => {
    const [before, after] = [at('b', { A: V4 }), at('b', {})]
    expect(await told(after, [at('*.b', { A: V4 })], before)).toEqual([`dnsRulesViolated: ${PARENT}`])
    expect(await told(after, [], before)).toEqual([])
    expect(await told(after, [at('*.b', { A: V4 })])).toEqual([])
  })
})

it.each<[what: string, before: Name, after: Name | undefined, rule?: string]>([
  [
    'the NS of the apex',
    at('@', { NS: ['ns.test.'] }),
    at('@', {}),
    'the apex must have NS records (RFC 1034 §4.2.1)',
  ],
  ['the apex', at('@', { NS: ['ns.test.'] }), undefined, 'the apex must have NS records (RFC 1034 §4.2.1)'],
  [
    'an NS of several at the apex',
    at('@', { NS: ['ns.test.', 'ns2.test.'] }),
    at('@', { NS: ['ns2.test.'] }),
  ],
  ['TXT at an apex without NS', at('@', { TXT: ['x'] }), at('@', {})],
  ['the NS of another name', at('a', { NS: ['ns.test.'] }), at('a', {})],
  [
    'the NS next to a DS',
    at('a', { NS: ['x.test.'], DS: ['1 8 2 00'] }),
    at('a', { DS: ['1 8 2 00'] }),
    DS_PLACE,
  ],
  [
    'one of several NS next to a DS',
    at('a', { NS: ['x.test.', 'y.test.'], DS: ['1'] }),
    at('a', { NS: ['x.test.'], DS: ['1'] }),
  ],
  ['a delegation with DS', at('a', { NS: ['x.test.'], DS: ['1 8 2 00'] }), undefined],
])('removes %s', async (_, before, after, rule) =>
  expect(await toldOfRemoval(before, after)).toBe(
    rule === undefined ? undefined : `dnsRulesViolated: ${rule}`,
  ),
)

const NEEDED =
  'b.example.test. is the target of the NS of d.example.test. and needs an address (RFC 2181 §10.3)'
const GLUED = at('d', { NS: ['b.example.test.'] })
const STAR = at('*.b', { A: V4 })
const SELF =
  'd.example.test. is the target of the NS of d.example.test. and needs an address (RFC 2181 §10.3)'
const own = (types: Partial<Record<DnsType, readonly string[]>>) =>
  at('d', { NS: ['d.example.test.'], ...types })
it.each<[what: string, before: Name, after: Name | undefined, other: Name, rule?: string]>([
  [
    'the last address of a name server',
    at('b', { A: V4, TXT: ['x'] }),
    at('b', { TXT: ['x'] }),
    GLUED,
    NEEDED,
  ],
  ['a name server', at('b', { A: V4 }), undefined, GLUED, NEEDED],
  [
    'one of two families of a name server',
    at('b', { A: V4, AAAA: ['::1'] }),
    at('b', { AAAA: ['::1'] }),
    GLUED,
  ],
  ['TXT of a name server', at('b', { A: V4, TXT: ['x'] }), at('b', { A: V4 }), GLUED],
  ['TXT of a name server that never had an address', at('b', { TXT: ['x'] }), undefined, GLUED],
  [
    'the last address of a target of PTR',
    at('b', { A: V4 }),
    undefined,
    at('p', { PTR: ['b.example.test.'] }),
  ],
  ['the address of a name that is its own server', own({ A: V4 }), own({}), STAR, SELF],
  ['a name that is its own server', own({ A: V4 }), undefined, STAR],
  ['the parent of a wildcard', at('b', { A: V4 }), undefined, STAR, PARENT],
  ['the last records of the parent of a wildcard', at('b', { A: V4 }), at('b', {}), STAR, PARENT],
  ['some records of the parent of a wildcard', at('b', { A: V4, TXT: ['x'] }), at('b', { TXT: ['x'] }), STAR],
  ['the empty parent of a wildcard', at('b', {}), undefined, STAR],
  ['the parent of the wildcard of another account', at('b', { A: V4 }), undefined, foreign(STAR)],
  [
    'the parent of a wildcard of which nothing is left',
    at('b', { A: V4 }),
    undefined,
    { ...at('*.b', {}), isImplicit: true },
  ],
  ['all records of the apex of a zone with a wildcard', at('@', { A: V4 }), at('@', {}), at('*', { A: V4 })],
])('removes, beside another name: %s', async (_, before, after, other, rule) =>
  expect(await toldOfRemoval(before, after, [other])).toBe(
    rule === undefined ? undefined : `dnsRulesViolated: ${rule}`,
  ),
)
