import { describe, expect, it } from 'vitest'
import type { Name } from '../../../src/service/model/tree.ts'
import { nameWarnings, targetWarnings, zoneWarnings } from '../../../src/service/rules/warnings.ts'
import { nameOf, rrsetOf, ZONE } from './made.ts'
import { zoneInMemory } from './zone-in-memory.ts'

const A = rrsetOf('A', '192.0.2.1')
const hides = (cut: string, name: string): string =>
  `the delegation ${cut}.example.test. hides the records of ${name}.example.test., except addresses that an NS needs (RFC 2136 §7.18)`

describe('a name that was stored', () => {
  const home = nameOf('home', A)
  const alias = nameOf('alias', rrsetOf('CNAME', 'home.example.test.'))
  const cut = nameOf('cut', rrsetOf('NS', 'ns.cut.example.test.'))
  const glue = nameOf('ns.cut', A)
  const beneath = nameOf('a.cut', A)
  const mail = nameOf('mail', rrsetOf('MX', '10 alias.example.test.'))
  const server = nameOf('_sip._tcp', rrsetOf('SRV', '0 5 5060 alias.example.test.'))
  const mixed = nameOf('ns.cut', A, rrsetOf('TXT', '"x"'))
  const [one, two] = [
    nameOf('one', rrsetOf('CNAME', 'two.example.test.')),
    nameOf('two', rrsetOf('CNAME', 'one.example.test.')),
  ]
  const out = nameOf('out', rrsetOf('CNAME', 'other.test.'))

  // biome-ignore format: a table
  it.each<[string, Name, readonly Name[], readonly string[]]>([
    ['an address',                          home,    [],                 []],
    ['a CNAME to an address',               alias,   [home],             []],
    ['an MX to an address',                 nameOf('mail', rrsetOf('MX', '10 home.example.test.')), [home], []],
    ['an MX to a name outside',             nameOf('mail', rrsetOf('MX', '10 other.test.')),        [alias], []],
    ['an MX to a CNAME',                    mail,    [alias],            ['the MX of mail.example.test. points to the alias alias.example.test. (RFC 2181 §10.3)']],
    ['an SRV to a CNAME',                   server,  [alias],            ['the SRV of _sip._tcp.example.test. points to the alias alias.example.test. (RFC 2782)']],
    ['a CNAME where an MX and an SRV point', alias,  [mail, server],     ['the MX of mail.example.test. points to the alias alias.example.test. (RFC 2181 §10.3)', 'the SRV of _sip._tcp.example.test. points to the alias alias.example.test. (RFC 2782)']],
    ['a CNAME where a PTR points',          alias,   [nameOf('ptr', rrsetOf('PTR', 'alias.example.test.'))], []],
    ['an MX to an alias, and one outside',  nameOf('mail', rrsetOf('MX', '1 other.test.', '2 alias.example.test.')), [alias], ['the MX of mail.example.test. points to the alias alias.example.test. (RFC 2181 §10.3)']],
    ['an address where an MX points',       nameOf('alias', A), [mail],  []],
    ['a CNAME where another CNAME points',  nameOf('one', rrsetOf('CNAME', 'home.example.test.')), [two], []],
    ['a loop of two CNAMEs',                one,     [two],              ['the CNAME of one.example.test. leads to a loop at one.example.test.']],
    ['an ALIAS to itself',                  nameOf('one', rrsetOf('ALIAS', 'one.example.test.')), [], []],
    ['a CNAME out of the zone',             out,     [],                 []],
    ['a delegation above nothing',          cut,     [home],             []],
    ['a delegation above its glue',         cut,     [glue],             []],
    ['a delegation above another name',     cut,     [beneath],          [hides('cut', 'a.cut')]],
    ['addresses beneath a delegation that needs them not', nameOf('a.cut', A, rrsetOf('AAAA', '::1')), [cut], [hides('cut', 'a.cut')]],
    ['both addresses beneath their delegation', nameOf('ns.cut', A, rrsetOf('AAAA', '::1')), [cut], []],
    ['an address beneath a delegation, where an MX points', beneath, [cut, nameOf('mail', rrsetOf('MX', '1 a.cut.example.test.'))], [hides('cut', 'a.cut')]],
    ['name servers of the zone',            nameOf('@', rrsetOf('NS', 'ns.example.test.')), [beneath], []],
    ['glue beneath its delegation',         glue,    [cut],              []],
    ['another name beneath a delegation',   beneath, [cut],              [hides('cut', 'a.cut')]],
    ['glue with more than addresses',       mixed,   [cut],              [hides('cut', 'ns.cut')]],
    ['a name without records beneath it',   nameOf('a.cut'), [cut],      []],
  ])('%s', async (_, name, others, warnings) =>
    expect(await zoneWarnings(name, ZONE, zoneInMemory([name, ...others]))).toEqual(warnings))
})

describe('a name whose zone', () => {
  const a = nameOf('a.in', A)
  const NS = nameOf('in', rrsetOf('NS', 'ns.other.test.'))
  const reads = { ...zoneInMemory([]), delegationAbove: async () => Promise.resolve(undefined) }
  const INNER = 'the zone in.example.test. hides the records of a.in.example.test., which is in example.test.'

  // biome-ignore format: a table
  it.each<[string, Name, string | undefined, readonly string[]]>([
    ['is not known',                       a,              undefined,         []],
    ['is a deeper one',                    a,              'in.example.test', [INNER]],
    ['is a deeper one, without records',   nameOf('a.in'), 'in.example.test', []],
  ])('%s', async (_, name, inner, warnings) =>
    expect(await zoneWarnings(name, ZONE, { ...reads, innerZone: async () => Promise.resolve(inner) })).toEqual(warnings))

  // biome-ignore format: a table
  it.each<[string, Name, readonly string[]]>([
    ['has hidden names beneath a delegation', NS,                                        [hides('in', 'x.in')]],
    ['has names beneath its apex',            { ...NS, name: '@' },                      []],
    ['has names beneath one without NS',      nameOf('in', A),                           []],
  ])('%s', async (_, name, warnings) =>
    expect(await zoneWarnings(name, ZONE, { ...reads, hiddenBeneath: async () => Promise.resolve('x.in') })).toEqual(warnings))

  it('has a delegation above a name without records', async () =>
    expect(
      await zoneWarnings(nameOf('a.in'), ZONE, {
        ...reads,
        delegationAbove: async () => Promise.resolve('in'),
      }),
    ).toEqual([]))
})

describe('a target as it is written', () => {
  const stored = (type: string, target: string): string =>
    `the target of ${type} is absolute: ${target} is stored as ${target}., with a dot at its end`

  // biome-ignore format: a table
  it.each<[string, string, readonly string[]]>([
    ['CNAME', 'www',                      [stored('CNAME', 'www')]],
    ['CNAME', 'WWW',                      [stored('CNAME', 'www')]],
    ['CNAME', ' www ',                    [stored('CNAME', 'www')]],
    ['CNAME', 'www.example.test',         [stored('CNAME', 'www.example.test')]],
    ['CNAME', 'www.example.TEST',         [stored('CNAME', 'www.example.test')]],
    ['CNAME', 'www.example.test.',        []],
    ['CNAME', 'www.example.net',          []],
    ['CNAME', '',                         []],
    ['MX',    '10 mail',                  [stored('MX', 'mail')]],
    ['SRV',   '0 0 53 ns',                [stored('SRV', 'ns')]],
    ['NAPTR', '1 1 "" "" "" www',         [stored('NAPTR', 'www')]],
    ['SVCB',  '1 www alpn=h2',            [stored('SVCB', 'www')]],
    ['HTTPS', '1  www alpn=h2',           [stored('HTTPS', 'www')]],
    ['HTTPS', '1\twww\talpn=h2',          [stored('HTTPS', 'www')]],
    ['HTTPS', '1 . alpn=h2',              []],
    ['HTTPS', '1',                        []],
    ['TXT',   'www',                      []],
    ['A',     '192.0.2.1',                []],
  ])('%s %j', (dnsType, value, warnings) =>
    expect(targetWarnings([{ dnsType, value }], ZONE)).toEqual(warnings))

  it('of several values: each is told', () =>
    expect(
      targetWarnings(
        [
          { dnsType: 'NS', value: 'a' },
          { dnsType: 'NS', value: 'b.' },
          { dnsType: 'NS', value: 'c' },
        ],
        ZONE,
      ),
    ).toEqual([stored('NS', 'a'), stored('NS', 'c')]))
})

it('a target is compared with the top-level domain of the zone', () => {
  const zone = { name: 'deep.example.test' }
  const told = (value: string) => targetWarnings([{ dnsType: 'NS', value }], zone).length
  expect([told('ns.example'), told('ns.test')]).toEqual([0, 1])
})

// biome-ignore format: a table
it.each([
  ['www',              []],
  ['example.test.org', []],
  ['example.test',     ['names are relative to the zone: this name is example.test.example.test.']],
  ['www.example.test', ['names are relative to the zone: this name is www.example.test.example.test.']],
])('the new name %s', (name, warnings) => expect(nameWarnings(name, ZONE)).toEqual(warnings))
