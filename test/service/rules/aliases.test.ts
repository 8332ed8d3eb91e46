import { describe, expect, it } from 'vitest'
import type { Name } from '../../../src/service/model/tree.ts'
import { aliasFaults } from '../../../src/service/rules/targets.ts'
import { nameOf, OTHER, rrsetOf, ZONE } from './made.ts'
import { zoneInMemory } from './zone-in-memory.ts'
import { resultingZone } from '../../../src/service/rules/resulting-zone.ts'

const cname = (name: string, target: string): Name => nameOf(name, rrsetOf('CNAME', target))
const alias = (name: string, ...targets: readonly string[]): Name =>
  nameOf(name, rrsetOf('ALIAS', ...targets))
const foreign = (name: Name): Name => ({ ...name, accountId: OTHER.id })
const out =
  'aliasOutsideZone: the ALIAS of al.example.test leads to other.test., which is outside example.test'
const HOME = nameOf('home', rrsetOf('A', '192.0.2.1'))
/** From n1 to the home name, over this number of names in all. */
const row = (length: number): readonly Name[] => [
  ...Array.from({ length: length - 1 }, (_, at) => cname(`n${at + 1}`, `n${at + 2}.example.test.`)),
  cname(`n${length}`, 'home.example.test.'),
]

describe('a change of', () => {
  // biome-ignore format: a table
  it.each<[string, Name, readonly Name[], readonly string[]]>([
    ['an ALIAS to an address',                  alias('al', 'home.example.test.'), [HOME],                                                  []],
    ['an ALIAS to a name that does not exist',  alias('al', 'none.example.test.'), [],                                                      []],
    ['an ALIAS out of the zone',                alias('al', 'other.test.'), [],                                                             ['aliasOutsideZone: other.test. is outside example.test']],
    ['an ALIAS to a CNAME out of the zone',     alias('al', 'cn.example.test.'), [cname('cn', 'other.test.')],                              ['aliasOutsideZone: the ALIAS of al.example.test leads to other.test., which is outside example.test']],
    ['a CNAME out of the zone',                 cname('cn', 'other.test.'), [],                                                             []],
    ['a CNAME out of the zone, below an ALIAS', cname('cn', 'other.test.'), [alias('al', 'cn.example.test.')],                              ['aliasOutsideZone: the ALIAS of al.example.test leads to other.test., which is outside example.test']],
    ['the same, over two CNAMEs',               cname('c2', 'other.test.'), [alias('al', 'c1.example.test.'), cname('c1', 'c2.example.test.')], ['aliasOutsideZone: the ALIAS of al.example.test leads to other.test., which is outside example.test']],
    ['the same, of another account',            cname('cn', 'other.test.'), [foreign(alias('al', 'cn.example.test.'))],  []],
    ['an ALIAS to itself',                      alias('al', 'al.example.test.'), [],                                                        ['aliasInvalid: al.example.test leads back to itself']],
    ['an ALIAS of a loop of two',               alias('a1', 'a2.example.test.'), [alias('a2', 'a1.example.test.')],                         ['aliasInvalid: a1.example.test leads back to itself']],
    ['an ALIAS to a loop elsewhere',            alias('al', 'c1.example.test.'), [cname('c1', 'c2.example.test.'), cname('c2', 'c1.example.test.')], ['aliasInvalid: the ALIAS of al.example.test leads to a loop at c1.example.test']],
    ['a CNAME that closes a loop over an ALIAS', cname('cn', 'al.example.test.'), [alias('al', 'cn.example.test.')],                        ['aliasInvalid: cn.example.test leads back to itself']],
    ['a CNAME of a loop without ALIAS',         cname('c1', 'c2.example.test.'), [cname('c2', 'c1.example.test.')],                         []],
    ['an ALIAS with two targets',               alias('al', 'home.example.test.', 'b.example.test.'), [HOME],                               ['aliasInvalid: a name has one ALIAS']],
    ['a CNAME that closes a loop over an ALIAS of another account', cname('cn', 'al.example.test.'), [foreign(alias('al', 'cn.example.test.'))], ['aliasInvalid: cn.example.test leads back to itself']],
    ['a CNAME to an ALIAS that leads outside',  cname('cn', 'al.example.test.'), [alias('al', 'other.test.')],                              []],
    ['a CNAME into a loop elsewhere, below an ALIAS', cname('cn', 'c1.example.test.'), [cname('c1', 'c1.example.test.'), alias('al', 'cn.example.test.')], ['aliasInvalid: the ALIAS of al.example.test leads to a loop at c1.example.test']],
    ['a CNAME into a loop of an ALIAS of another account', cname('cn', 'al.example.test.'), [foreign(alias('al', 'al.example.test.'))],     []],
    ['a CNAME out of the zone, below two ALIAS', cname('cn', 'other.test.'), [alias('a1', 'cn.example.test.'), alias('a2', 'cn.example.test.')], ['aliasOutsideZone: the ALIAS of a1.example.test leads to other.test., which is outside example.test']],
    ['a CNAME out of the zone, below an MX below an ALIAS', cname('cn', 'other.test.'), [nameOf('mail', rrsetOf('MX', '1 cn.example.test.')), alias('al', 'mail.example.test.')], []],
    ['an ALIAS to what a wildcard leads outside', alias('al', 'x.sub.example.test.'), [cname('*.sub', 'other.test.')],                      [out]],
    ['the same, over the wildcard of the apex', alias('al', 'x.sub.example.test.'), [cname('*', 'other.test.')],                            [out]],
    ['the same, below a name that exists',      alias('al', 'x.home.example.test.'), [HOME, cname('*', 'other.test.')],                     []],
    ['the same, where only the name above is missing', alias('al', 'x.sub.home.example.test.'), [HOME, cname('*.home', 'other.test.')],     [out]],
    ['an ALIAS to a name that exists beside a wildcard', alias('al', 'home.example.test.'), [HOME, cname('*', 'other.test.')],              []],
    ['an ALIAS over 100 names',                 alias('al', 'n1.example.test.'), [HOME, ...row(99)],                                        []],
    ['an ALIAS over 102 names',                 alias('al', 'n1.example.test.'), [HOME, ...row(101)],                                       ['aliasInvalid: al.example.test leads over more than 100 names']],
  ])('%s', async (_, after, others, faults) => {
    const change = { zone: ZONE, before: undefined, after }
    const found = await aliasFaults(change, resultingZone(zoneInMemory(others), [change]))
    expect(found.map(({ refused, detail }) => `${refused}: ${detail}`)).toEqual(faults)
  })

  it('something else, at a name whose ALIAS leads outside, is allowed', async () => {
    const stored = alias('al', 'other.test.')
    const change = {
      zone: ZONE,
      before: stored,
      after: { ...stored, rrsets: [...stored.rrsets, rrsetOf('TXT', '"x"')] },
    }
    expect(await aliasFaults(change, resultingZone(zoneInMemory([stored]), [change]))).toEqual([])
  })

  it('two names that point to one is seen as both', async () => {
    const changes = ['a1', 'a2'].map((name) => ({
      zone: ZONE,
      before: undefined,
      after: alias(name, 'home.example.test.'),
    }))
    const pointers = await resultingZone(zoneInMemory([HOME]), changes).pointersTo('home')
    expect(pointers.map(({ name }) => name)).toEqual(['a1', 'a2'])
  })
})
