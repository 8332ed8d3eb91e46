import { describe, expect, it } from 'vitest'
import type { Name } from '../../../src/server/model/tree.ts'
import { zoneWarnings } from '../../../src/server/rules/warnings.ts'
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
    ['an address where an MX points',       nameOf('alias', A), [mail],  []],
    ['a CNAME where another CNAME points',  nameOf('one', rrsetOf('CNAME', 'home.example.test.')), [two], []],
    ['a loop of two CNAMEs',                one,     [two],              ['the CNAME of one.example.test. leads to a loop at one.example.test.']],
    ['a CNAME out of the zone',             out,     [],                 []],
    ['a delegation above nothing',          cut,     [home],             []],
    ['a delegation above its glue',         cut,     [glue],             []],
    ['a delegation above another name',     cut,     [beneath],          [hides('cut', 'a.cut')]],
    ['name servers of the zone',            nameOf('', rrsetOf('NS', 'ns.example.test.')), [beneath], []],
    ['glue beneath its delegation',         glue,    [cut],              []],
    ['another name beneath a delegation',   beneath, [cut],              [hides('cut', 'a.cut')]],
    ['glue with more than addresses',       mixed,   [cut],              [hides('cut', 'ns.cut')]],
    ['a name without records beneath it',   nameOf('a.cut'), [cut],      []],
  ])('%s', async (_, name, others, warnings) =>
    expect(await zoneWarnings(name, ZONE, zoneInMemory([name, ...others]))).toEqual(warnings))
})
