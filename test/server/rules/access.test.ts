import { describe, expect, it } from 'vitest'
import {
  isAccessible,
  canManageName,
  hasFullAccess,
  nameLockFault,
  zoneLockFault,
  zoneFault,
} from '../../../src/server/rules/access.ts'
import { creationFault, parentFault } from '../../../src/server/rules/creation.ts'
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
    expect([zoneLockFault(ZONE), nameLockFault(nameOf('a'))]).toEqual([undefined, undefined])
  })
})

describe('a new name', () => {
  const faultOf = (
    name: unknown,
    over: object = {},
    { account = OWNER, isMember = false, isReadOnly = false } = {},
  ) => creationFault(callerOf(account, { isReadOnly }), { ...ZONE, ...over }, { name, isMember })
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
    ['of a closed zone', 'a', { isClosedToNewNames: true }, {}, { refused: 'zoneTakesNoNewNames' }],
    ['that is a wildcard', '*.a', {}, {}, undefined],
    [
      'that is a wildcard, in a zone without',
      '*.a',
      { hasWildcards: false },
      {},
      { refused: 'wildcardRestricted', ...AT },
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
