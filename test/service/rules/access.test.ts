import { describe, expect, it } from 'vitest'
import {
  type Caller,
  canManageName,
  hasFullAccess,
  isAccessible,
  isNameInScope,
  isScoped,
  nameLockFault,
  ownsName,
  recordScopeOf,
  typeFault,
  zoneFault,
  zoneLockFault,
} from '../../../src/service/rules/permission.ts'
import { creationFault, parentFault } from '../../../src/service/rules/creation.ts'
import { OTHER, OWNER, PLAN, ZONE, callerOf, nameOf, rrsetOf } from './made.ts'

const SHARED = { ...ZONE, isShared: true }

describe('who may do what', () => {
  it('all that the account may: neither a key that reads only nor one of some zones', () =>
    expect(
      [{}, { isReadOnly: true }, { zones: [] }].map((over) => hasFullAccess(callerOf(OWNER, over))),
    ).toEqual([true, false, false]))

  it.each([
    ['the owner, a zone of its own', OWNER, ZONE, {}, true],
    ['another, no zone that is not shared', OTHER, ZONE, {}, false],
    ['another, a shared zone', OTHER, SHARED, {}, true],
    ['a key of that zone', OWNER, ZONE, { zones: ['other.test', 'example.test'] }, true],
    ['a key of another zone', OWNER, ZONE, { zones: ['other.test'] }, false],
  ] as const)('%s', (_, account, zone, over, may) =>
    expect(isAccessible(callerOf(account, over), zone)).toBe(may),
  )

  it.each([
    ['the owner of the zone', OWNER, OTHER.id, true],
    ['the owner of the name', OTHER, OTHER.id, true],
    ['neither', OTHER, OWNER.id, false],
  ])('changes a name: %s', (_, account, accountId, is) =>
    expect(canManageName(callerOf(account), SHARED, { accountId, name: 'a' })).toBe(is),
  )

  const PATH = { location: 'path' }
  it.each([
    ['a zone that is not there', undefined, OWNER, { refused: 'zoneNotFound', ...PATH }],
    ['a zone of another', ZONE, OTHER, { refused: 'zoneNotShared', ...PATH }],
    ['a zone for the website', { ...ZONE, isWebsiteOnly: true }, OWNER, { refused: 'websiteOnly' }],
    ['an account for the website', ZONE, { ...OWNER, isWebsiteOnly: true }, { refused: 'websiteOnly' }],
    ['an open zone', ZONE, OWNER, undefined],
  ])('%s is told', (_, zone, account, fault) => expect(zoneFault(callerOf(account), zone)).toEqual(fault))

  it('a lock of the operator is reported with the remedy', () => {
    const detail = 'contact support'
    expect(zoneLockFault({ ...ZONE, isProhibited: true })).toEqual({
      refused: 'zoneChangeProhibited',
      detail,
    })
    expect(nameLockFault({ ...nameOf('a'), isProhibited: true })).toEqual({
      refused: 'nameChangeProhibited',
      detail,
    })
    expect(nameLockFault({ ...nameOf('a'), isBlocked: true })?.refused).toBe('nameChangeProhibited')
    expect([zoneLockFault(ZONE), nameLockFault(nameOf('a'))]).toEqual([undefined, undefined])
  })
})

describe('an API key', () => {
  // biome-ignore format: a table
  it.each<[string, Partial<Caller>, boolean]>([
    ['without scopes',                   {},                                                    false],
    ['of zones',                         { zones: ['a.test'] },                                 true],
    ['of names',                         { names: ['a.test'] },                                 true],
    ['of types',                         { types: ['A'] },                                      true],
    ['of no zone',                       { zones: [] },                                         true],
  ])('%s is restricted to a part: %j, %j', (_, over, is) => {
    expect(isScoped(callerOf(OWNER, over))).toBe(is)
    expect(hasFullAccess(callerOf(OWNER, over))).toBe(!is)
  })

  // biome-ignore format: a table
  it.each<[Partial<Caller>, object]>([
    [{},                                       {}],
    [{ isReadOnly: true, types: ['A'] },       {}],
    [{ zones: ['a.test'] },                    { zones: ['a.test'] }],
    [{ names: ['b.test'] },                    { names: ['b.test'] }],
    [{ zones: [], names: ['b.test'] },         { zones: [], names: ['b.test'] }],
  ])('with %j lists %j', (over, scope) => expect(recordScopeOf(callerOf(OWNER, over))).toEqual(scope))

  // biome-ignore format: a table
  it.each<[string, Partial<Caller>, boolean]>([
    ['of a name in the zone',            { names: ['a.example.test'] },                         true],
    ['of the zone as a name',            { names: ['example.test'] },                           true],
    ['of a name above the zone',         { names: ['test'] },                                   true],
    ['of a name elsewhere',              { names: ['a.other.test'] },                           false],
    ['of a name with the same ending',   { names: ['anexample.test'] },                         false],
    ['of two names, one in the zone',    { names: ['a.other.test', 'a.example.test'] },         true],
    ['of no name',                       { names: [] },                                         false],
    ['of the zone, and a name elsewhere', { zones: ['example.test'], names: ['a.other.test'] }, false],
    ['of another zone, and a name here', { zones: ['other.test'], names: ['a.example.test'] },  false],
  ])('%s has access to the zone: %j, %j', (_, over, may) =>
    expect(isAccessible(callerOf(OWNER, over), ZONE)).toBe(may))

  // biome-ignore format: a table
  it.each<[string, readonly string[] | undefined, string, boolean]>([
    ['of no names',                 undefined,                            'a',   true],
    ['of the name',                 ['a.example.test'],                   'a',   true],
    ['of a name above',             ['a.example.test'],                   'b.a', true],
    ['of a name beneath',           ['b.a.example.test'],                 'a',   false],
    ['of another name',             ['b.example.test'],                   'a',   false],
    ['of two names, one of them it', ['b.example.test', 'a.example.test'], 'a',  true],
    ['of the zone',                 ['example.test'],                     '@',   true],
    ['of a name, at the apex',      ['a.example.test'],                   '@',   false],
  ])('%s may change it: %j, %s, %j', (_, names, name, may) => {
    const caller = callerOf(OWNER, names === undefined ? {} : { names })
    expect(isNameInScope(caller, ZONE, name)).toBe(may)
    expect(canManageName(caller, ZONE, { accountId: OWNER.id, name })).toBe(may)
    expect(ownsName(caller, ZONE, { accountId: OWNER.id })).toBe(true)
  })

  // biome-ignore format: a table
  it.each<[string, readonly string[] | undefined, string | undefined]>([
    ['of no types',    undefined,      undefined],
    ['of the type',    ['TXT', 'A'],   undefined],
    ['of other types', ['TXT', 'MX'],  'this API key may change TXT, MX only'],
  ])('%s may change an A record', (_, types, detail) =>
    expect(typeFault(callerOf(OWNER, types === undefined ? {} : { types }), 'A', 'rrsetChangeForbidden')).toEqual(
      detail === undefined ? undefined : { refused: 'rrsetChangeForbidden', detail, location: 'path' },
    ))
})

describe('a new name', () => {
  const faultOf = (
    name: unknown,
    over: object = {},
    { account = OWNER, isMember = false, ...caller }: Partial<Caller> & { isMember?: boolean } = {},
  ) =>
    creationFault(callerOf(account, caller), { ...ZONE, ...over }, { name, isMember, reservedNames: ['www'] })
  const AT = { location: 'body', pointer: '/name' }
  const MEMBERS = { isMembersOnly: true, isShared: true }

  it.each([
    ['of ten labels', 'a.b.c.d.e.f.g.h.i.j', {}, {}, undefined],
    ['of eleven labels', 'a.b.c.d.e.f.g.h.i.j.k', {}, {}, { refused: 'tooManyLabels', ...AT }],
    ['of as many as the zone says', 'a.b', { maxLabels: 2 }, {}, undefined],
    ['of more than the zone says', 'a.b.c', { maxLabels: 2 }, {}, { refused: 'tooManyLabels', ...AT }],
    [
      'of a zone for members, by another',
      'a',
      MEMBERS,
      { account: OTHER },
      { refused: 'nameCreateForbidden' },
    ],
    ['of a zone for members, by one', 'a', MEMBERS, { account: OTHER, isMember: true }, undefined],
    ['of a zone for members, by its owner', 'a', MEMBERS, {}, undefined],
    ['by a key that reads only', 'a', {}, { isReadOnly: true }, { refused: 'nameCreateForbidden' }],
    [
      'that the owner of a shared zone has reserved',
      'WWW',
      { isShared: true },
      { account: OTHER },
      { refused: 'nameInvalid', detail: 'www is reserved for the owner of the zone', ...AT },
    ],
    ['that is reserved, by the owner', 'www', { isShared: true }, {}, undefined],
    ['that is reserved in shared zones, in a zone of its own', 'www', {}, {}, undefined],
    ['of a closed zone', 'a', { isClosedToNewNames: true }, {}, { refused: 'zoneTakesNoNewNames' }],
    ['that is a wildcard', '*.a', {}, {}, undefined],
    [
      'that is a wildcard, in a zone without',
      '*.a',
      { hasWildcards: false },
      {},
      { refused: 'wildcardRestricted', ...AT },
    ],
    ['that is missing', undefined, {}, {}, { refused: 'nameInvalid', detail: 'name is missing', ...AT }],
    ['in the scope of the API key', 'B.A', {}, { names: ['a.example.test'] }, undefined],
    [
      'out of the scope of the API key',
      'b',
      {},
      { names: ['a.example.test'] },
      { refused: 'nameCreateForbidden', detail: 'the name is out of the scope of this API key' },
    ],
    ['that is none, in a zone without', 'a', { hasWildcards: false }, {}, undefined],
    [
      'that is a wildcard, with a plan without',
      '*.a',
      {},
      { account: { ...OWNER, plan: { ...PLAN, hasWildcards: false } } },
      { refused: 'wildcardRestricted', ...AT },
    ],
  ])('%s', (_, name, zone, by, fault) =>
    fault === undefined
      ? expect(faultOf(name, zone, by)).toBeUndefined()
      : expect(faultOf(name, zone, by)).toMatchObject(fault),
  )
})

describe('a new name has as many labels', () => {
  const IP6 = '8.b.d.0.1.0.0.2.ip6.arpa'
  const nibbles = (count: number): string => Array.from({ length: count }, () => '0').join('.')
  const told = (name: string, over: object, account = OWNER): string | undefined =>
    creationFault(callerOf(account), { ...ZONE, ...over }, { name, isMember: false, reservedNames: [] })
      ?.detail

  // biome-ignore format: a table
  it.each([
    ['as a reverse zone has',                      nibbles(32),  { name: IP6 },                      OWNER, undefined],
    ['as a reverse zone has, and no more',         nibbles(33),  { name: IP6 },                      OWNER, '33 labels; this zone allows 32'],
    ['as are usual, in a reverse zone of IPv4',    nibbles(11),  { name: '2.0.192.in-addr.arpa' },   OWNER, '11 labels; this zone allows 10'],
    ['as a shared zone has',                       'a',          { isShared: true },                 OTHER, undefined],
    ['as a shared zone has, and no more',          'b.a',        { isShared: true },                 OTHER, '2 labels; this zone allows 1'],
    ['as a shared zone says',                      'b.a',        { isShared: true, maxLabels: 2 },   OTHER, undefined],
    ['and services beneath it in a shared zone',   '_y._x.a',    { isShared: true },                 OTHER, undefined],
    ['with the services in a zone of its own',     '_x.a',       { maxLabels: 1 },                   OWNER, '2 labels; this zone allows 1'],
    ['as any zone, for the owner of a shared one', nibbles(10),  { isShared: true },                 OWNER, undefined],
    ['as any zone and no more, for that owner',    nibbles(11),  { isShared: true },                 OWNER, '11 labels; this zone allows 10'],
    ['and none at the apex',                       '@',          { maxLabels: 0 },                   OWNER, undefined],
    ['and one is more than none',                  'a',          { maxLabels: 0 },                   OWNER, '1 labels; this zone allows 0'],
  ])('%s', (_, name, over, account, detail) => expect(told(name, over, account)).toBe(detail))
})

describe('a wildcard', () => {
  // biome-ignore format: a table
  it.each([
    ['of a zone that says nothing',                          {},                                      OWNER, undefined],
    ['of a zone that says nothing, by another',              {},                                      OTHER, undefined],
    ['of a shared zone that says nothing, by its owner',     { isShared: true },                      OWNER, undefined],
    ['of a shared zone that says nothing, by another',       { isShared: true },                      OTHER, 'wildcardRestricted'],
    ['of a shared zone with wildcards, by another',          { isShared: true, hasWildcards: true },  OTHER, undefined],
  ])('%s', (_, over, account, refused) => {
    const { hasWildcards: _has, ...zone } = ZONE
    expect(creationFault(callerOf(account), { ...zone, ...over }, { name: '*', isMember: false, reservedNames: [] })?.refused).toBe(refused)
  })
})

describe('a wildcard needs records at the name that it hangs under', () => {
  const EMPTY = { refused: 'wildcardParentEmpty', detail: 'a has no records' }
  it.each([
    ['*.a', undefined, EMPTY],
    ['*.a', nameOf('a'), EMPTY],
    ['*.a', nameOf('a', rrsetOf('A', '192.0.2.1')), undefined],
    ['*', undefined, undefined],
    ['b.a', undefined, undefined],
    ['*b.a', undefined, undefined],
  ])('%s', (name, parent, fault) => expect(parentFault(name, parent)).toEqual(fault))
})
