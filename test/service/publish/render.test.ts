import { describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/shared/base/address.ts'
import type { OfflineSettings } from '../../../src/service/model/tree.ts'
import { type RenderContext, rendered } from '../../../src/service/publish/render.ts'
import { isAtOrBelow } from '../../../src/shared/dns/name.ts'
import type { StoredState } from '../../../src/service/store/published.ts'
import { parsed, type Stored, textOf } from './zones.ts'

const REDIRECTS = ['192.0.2.80', '2001:db8::80'].flatMap((text) => parseAddress(text) ?? [])
const SITE = ['60 A 192.0.2.80', '60 AAAA 2001:db8::80']
const NONE: OfflineSettings = { action: 'none' }
const RECORD: OfflineSettings = { action: 'record', dns_type: 'A', rdata: '192.0.2.99' }
const RECORD6: OfflineSettings = { action: 'record', dns_type: 'AAAA', rdata: '2001:db8::99' }
const REDIRECT: OfflineSettings = { action: 'redirect', url: 'https://away.test/' }
const PAGE: OfflineSettings = { action: 'page', title: 'Away' }
const chain = (length: number): Readonly<Record<string, Stored>> =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [
      `c${n}`,
      { records: [n === length - 1 ? '300 A 192.0.2.1' : `300 ALIAS c${n + 1}.example.test.`] },
    ]),
  )

interface Setup {
  readonly zones?: readonly string[]
  readonly redirects?: typeof REDIRECTS
  readonly nameservers?: readonly string[]
}

const stateOf = ({ records = [], offline, isBlocked = false }: Stored): StoredState => ({
  isBlocked,
  isOffline: offline !== undefined,
  ...(offline !== undefined && { offlineSettings: offline }),
  records: records.map(parsed),
})

/** The first name as the world sees it, beside the others. */
async function shown(names: Readonly<Record<string, Stored>>, setup: Setup = {}): Promise<readonly string[]> {
  const [first = ''] = Object.keys(names)
  const stateAt = async (name: string) => (names[name] === undefined ? undefined : stateOf(names[name]))
  const zones = ['example.test', ...(setup.zones ?? [])]
  const context: RenderContext = {
    apex: 'example.test',
    settings: {
      nameservers: setup.nameservers ?? ['ns1.operator.test', 'ns2.operator.test'],
      redirectAddresses: setup.redirects ?? REDIRECTS,
    },
    stateAt,
    zoneOf: async (fqdn) => zones.findLast((zone) => isAtOrBelow(fqdn, zone)),
  }
  return (await rendered(first, await stateAt(first), context)).map(textOf).toSorted()
}

const A = '300 A 192.0.2.1'
const NS = ['86400 NS ns1.operator.test', '86400 NS ns2.operator.test']
const BLOCKED = ['300 TXT blocked by the operator']

/** The name stays, so that no wildcard answers for it. */
const NONE_LEFT = ['60 TXT no address']

// biome-ignore format: a table
const TABLE: readonly [what: string, names: Readonly<Record<string, Stored>>, is: readonly string[], setup?: Setup][] = [
  ['records as they are stored',             { a: { records: [A, '60 TXT "hi"', '9 MX 5 m.test.'] } },                          ['300 A 192.0.2.1', '60 TXT hi', '9 MX 0005016d047465737400']],
  ['a CNAME as it is stored',                { a: { records: ['300 CNAME b.example.test.'] }, b: { records: [A] } },           ['300 CNAME b.example.test']],
  ['a wildcard as it is stored',             { '*.b': { records: [A] } },                                                       [A]],
  ['a delegation as it is stored',           { sub: { records: ['300 NS ns.sub.example.test.'] } },                             ['300 NS ns.sub.example.test']],
  ['nothing of a name without records',      { a: {} },                                                                         []],

  ['the addresses of the target of an ALIAS', { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: [A, '300 AAAA 2001:db8::1', '300 TXT "no"'] } }, [A, '300 AAAA 2001:db8::1']],
  ['the TTL of the ALIAS if it is less',     { a: { records: ['60 ALIAS b.example.test.'] },  b: { records: [A] } },            ['60 A 192.0.2.1']],
  ['the TTL of the target if it is less',    { a: { records: ['900 ALIAS b.example.test.'] }, b: { records: [A] } },            [A]],
  ['the least TTL of a chain',               { a: { records: ['900 ALIAS b.example.test.'] }, b: { records: ['30 ALIAS c.example.test.'] }, c: { records: [A] } }, ['30 A 192.0.2.1']],
  ['an ALIAS to the apex',                   { a: { records: ['300 ALIAS example.test.'] }, '@': { records: [A] } },            [A]],
  ['an ALIAS at the apex, beside NS',        { '@': { records: ['300 ALIAS a.example.test.'] }, a: { records: [A] } },          [A, ...NS]],
  ['an ALIAS of other letters',              { a: { records: ['300 ALIAS B.Example.TEST.'] }, b: { records: [A] } },            [A]],
  ['an ALIAS to a CNAME',                    { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: ['40 CNAME c.example.test.'] }, c: { records: [A] } }, ['40 A 192.0.2.1']],
  ['no ALIAS to a CNAME out of the zone',    { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: ['300 CNAME c.other.test.'] }, c: { records: [A] } }, NONE_LEFT],
  ['no ALIAS to a missing name',             { a: { records: ['300 ALIAS b.example.test.'] } },                                 NONE_LEFT],
  ['no ALIAS out of the zone',               { a: { records: ['300 ALIAS b.other.test.'] }, b: { records: [A] } },              NONE_LEFT],
  ['no ALIAS to itself',                     { a: { records: ['300 ALIAS a.example.test.', A] } },                              [A]],
  ['no ALIAS in a loop',                     { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: ['300 ALIAS a.example.test.'] } }, NONE_LEFT],
  ['no ALIAS in a loop over a CNAME',        { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: ['300 CNAME a.example.test.'] } }, NONE_LEFT],
  ['an ALIAS that leads eight names further', chain(9),                                                                         [A]],
  ['no ALIAS that leads nine names further', chain(10),                                                                         NONE_LEFT],
  ['an ALIAS to a redirect',                 { a: { records: ['30 ALIAS b.example.test.'] }, b: { records: ['300 _URL https://b.test/'] } }, ['30 A 192.0.2.80', '30 AAAA 2001:db8::80']],
  ['an ALIAS to an offline name',            { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: [A], offline: RECORD } }, ['60 A 192.0.2.99']],
  ['an ALIAS to an offline CNAME',           { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: ['300 CNAME c.example.test.'], offline: RECORD }, c: { records: [A] } }, ['60 A 192.0.2.99']],
  ['no ALIAS to a name that is offline with none', { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: [A], offline: NONE } }, NONE_LEFT],
  ['no ALIAS to a blocked name',             { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: [A], isBlocked: true } }, NONE_LEFT],
  ['no ALIAS to a blocked CNAME',            { a: { records: ['300 ALIAS b.example.test.'] }, b: { records: ['300 CNAME c.example.test.'], isBlocked: true }, c: { records: [A] } }, NONE_LEFT],

  ['the redirect addresses of _URL',         { a: { records: ['60 _URL https://b.test/'] } },                                   SITE],
  ['nothing of _URL without redirect addresses', { a: { records: ['60 _URL https://b.test/'] } },                               NONE_LEFT, { redirects: [] }],
  ['_URL beside other records',              { a: { records: ['60 _URL https://b.test/', '60 TXT "hi"'] } },                    [...SITE, '60 TXT hi']],

  ['no address of a name that is offline: none', { a: { records: [A, '300 AAAA 2001:db8::1', '300 TXT "hi"', '300 CAA 0 issue ";"'], offline: NONE } }, ['300 CAA 000569737375653b', '300 TXT hi']],
  ['no CNAME of an offline name',            { a: { records: ['300 CNAME b.example.test.'], offline: NONE } },                  NONE_LEFT],
  ['no ALIAS of an offline name',            { a: { records: ['300 ALIAS b.example.test.'], offline: NONE }, b: { records: [A] } }, NONE_LEFT],
  ['no redirect of an offline name',         { a: { records: ['300 _URL https://b.test/'], offline: NONE } },                   NONE_LEFT],
  ['the one record of offline: record',      { a: { records: [A, '300 TXT "hi"'], offline: RECORD } },                          ['300 TXT hi', '60 A 192.0.2.99']],
  ['the one IPv6 record of offline: record', { a: { records: [A], offline: RECORD6 } },                                         ['60 AAAA 2001:db8::99']],
  ['the redirect addresses of offline: redirect', { a: { records: [A], offline: REDIRECT } },                                   SITE],
  ['the redirect addresses of offline: page', { a: { records: [A], offline: PAGE } },                                           SITE],
  ['no address of an offline page without redirect addresses', { a: { records: [A], offline: PAGE } },                          NONE_LEFT, { redirects: [] }],
  ['an offline apex with its NS',            { '@': { records: [A], offline: NONE } },                                          NS],

  ['no record of a blocked name but one that says so', { a: { records: [A, '300 TXT "hi"'], isBlocked: true } },                BLOCKED],
  ['the same of a blocked name that is offline', { a: { records: [A], offline: RECORD, isBlocked: true } },                     BLOCKED],
  ['a blocked apex with its NS',             { '@': { records: [A], isBlocked: true } },                                        [...BLOCKED, ...NS]],

  ['NS of the apex by the settings alone',   { '@': { records: ['300 NS old.test.', A] } },                                     [A, ...NS]],
  ['no NS of the apex without nameservers',  { '@': { records: ['300 NS old.test.', A] } },                                     [A], { nameservers: [] }],
  ['a nameserver once',                      { '@': {} },                                                                       ['86400 NS a.test'], { nameservers: ['a.test', 'a.test'] }],

  ['NS at a zone of the service',            { sub: { records: [A] } },                                                         NS, { zones: ['sub.example.test'] }],
  ['DS at a zone of the service',            { sub: { records: [A, '300 DS 1 8 2 ab'] } },                                      ['300 DS 00010802ab', ...NS], { zones: ['sub.example.test'] }],
  ['nothing beneath a zone of the service',  { 'x.sub': { records: [A] } },                                                     [], { zones: ['sub.example.test'] }],
  ['a name beside a zone of the service',    { xsub: { records: [A] } },                                                        [A], { zones: ['sub.example.test'] }],

  ['a record once, for the least of its TTLs', { a: { records: ['30 _URL https://b.test/', '300 ALIAS b.example.test.'] }, b: { records: ['300 _URL https://b.test/'] } }, ['30 A 192.0.2.80', '30 AAAA 2001:db8::80']],
  ['one TTL for all records of a type',      { a: { records: ['300 _URL https://b.test/', '30 ALIAS b.example.test.', '900 TXT "hi"'] }, b: { records: [A] } }, ['30 A 192.0.2.1', '30 A 192.0.2.80', '300 AAAA 2001:db8::80', '900 TXT hi']],
]

describe('what is published of a stored name', () => {
  it.each(TABLE)('is %s', async (_, names, is, setup) =>
    expect(await shown(names, setup)).toEqual(is.toSorted()),
  )

  it('is gone with the name', async () => {
    const none = async () => undefined
    const settings = { nameservers: ['ns.test'], redirectAddresses: [] }
    const context: RenderContext = { apex: 'example.test', settings, stateAt: none, zoneOf: none }
    expect(await rendered('a', undefined, context)).toEqual([])
    expect((await rendered('@', undefined, context)).map(textOf)).toEqual(['86400 NS ns.test'])
  })
})
