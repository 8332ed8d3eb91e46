import { describe, expect, it } from 'vitest'
import { baseOf, innerZoneFault, nestingFault } from '../../../src/service/rules/nesting.ts'
import { callerOf, OTHER, OWNER, ZONE } from './made.ts'

const SHARED = { ...ZONE, isShared: true }
const THIRD = { ...OTHER, id: 3 }
const mine = (name: string) => ({ name, accountId: OTHER.id })
const theirs = (name: string) => ({ name, accountId: THIRD.id })
const FOREIGN = [theirs('a')]

// biome-ignore format: a table
it.each([
  ['a.b',     'a.b'],
  ['_x.a.b',  'a.b'],
  ['_x._y.a', 'a'],
  ['a._x.b',  'a._x.b'],
  ['_x',      ''],
  ['_x._y',   ''],
])('of %s without the underscores at its left is left: %s', (name, base) => expect(baseOf(name)).toBe(base))

describe('a name of a shared zone', () => {
  // biome-ignore format: a table
  it.each([
    ['near no other',                        'b',       [],                             undefined],
    ['beneath a name of another account',    'b.a',     FOREIGN,                        'a belongs to another account'],
    ['beneath two of others, the first told', 'c.b.a',  [theirs('b.a'), theirs('a')],   'b.a belongs to another account'],
    ['beneath one of its own and one of another', 'c.b.a', [mine('b.a'), theirs('a')],  'a belongs to another account'],
    ['beneath a name of its own',            'b.a',     [mine('a')],                    undefined],
    ['beneath the apex of the owner',        'b',       [{ name: '@', accountId: OWNER.id }], undefined],
    ['with an underscore, beneath its own',  '_x.a',    [mine('a')],                    undefined],
    ['with two, beneath its own',            '_y._x.a', [mine('a')],                    undefined],
    ['with two, beneath one with another',   '_y._x.a', [mine('_x.a')],                 'make a first; names that begin with an underscore are for its owner'],
    ['with an underscore, beneath nothing',  '_x.a',    [],                             'make a first; names that begin with an underscore are for its owner'],
    ['with an underscore, beneath the apex', '_x',      [mine('y')],                    'in a shared zone, names that begin with an underscore are for the owner of the zone'],
    ['that is its apex',                     '@',       FOREIGN,                        undefined],
  ])('%s', (_, name, neighbours, detail) =>
    expect(nestingFault(callerOf(OTHER), SHARED, { name, neighbours })).toEqual(
      detail === undefined ? undefined : { refused: 'nameCreateForbidden', detail, location: 'body', pointer: '/name' },
    ))

  // biome-ignore format: a table
  it.each([
    ['to the owner of the zone',         OWNER, SHARED],
    ['where names may be nested',        OTHER, { ...SHARED, hasOpenNesting: true }],
    ['in a zone that is not shared',     OTHER, ZONE],
  ])('is free %s', (_, account, zone) => {
    for (const name of ['b.a', '_x.b', '_x'])
      expect(nestingFault(callerOf(account), zone, { name, neighbours: FOREIGN })).toBeUndefined()
  })
})

describe('a name that belongs into a deeper zone', () => {
  const inner = { ...ZONE, id: 2, name: 'in.example.test' }
  // biome-ignore format: a table
  it.each([
    ['of another account',         { ...inner, accountId: OTHER.id }, 'in.example.test is a zone of another account'],
    ['of its own account',         inner,                             undefined],
    ['that is not there',          undefined,                         undefined],
  ])('%s', (_, zone, detail) => expect(innerZoneFault(callerOf(OWNER), zone)?.detail).toBe(detail))
})
