import { describe, expect, it } from 'vitest'
import type { DraftRRSet } from '../../../src/server/model/draft.ts'
import type { Zone } from '../../../src/server/model/tree.ts'
import { targetConflicts, valueConflicts } from '../../../src/server/rules/conflict.ts'
import {
  type PermissionContext,
  mayUseGroup,
  permissionFaults,
  NEW_RRSET,
} from '../../../src/server/rules/permission.ts'
import { OTHER, OWNER, PLAN, ZONE, callerOf, nameOf, rdataOf, rrsetOf } from './made.ts'

const draft = (over: Partial<DraftRRSet> = {}): DraftRRSet => ({
  dnsType: 'A',
  metadata: {},
  rdata: [{ value: '192.0.2.1', pointer: '/rdata/0' }],
  pointer: '',
  ...over,
})
const scene = (zone: Partial<Zone> = {}, over: Partial<PermissionContext> = {}): PermissionContext => ({
  caller: callerOf(OWNER),
  zone: { ...ZONE, ...zone },
  name: 'a',
  existing: undefined,
  groups: {},
  ...over,
})
const refusedOf = (wished: DraftRRSet, at: PermissionContext): readonly string[] =>
  permissionFaults(NEW_RRSET, wished, at).map(({ refused, pointer }) => `${refused} ${pointer}`)
const withPlan = (over: object): Partial<PermissionContext> => ({
  caller: callerOf({ ...OWNER, plan: { ...PLAN, ...over } }),
})

describe('policy has against an RRSet', () => {
  it('nothing where nothing is forbidden', () => expect(refusedOf(draft(), scene())).toEqual([]))

  it.each([
    ['a type that the zone does not have', { types: ['AAAA'] }, {}, ['typesDisallowed /dns_type']],
    ['a type that the plan does not have', {}, withPlan({ types: ['AAAA'] }), ['typesDisallowed /dns_type']],
    ['a type that both have', { types: ['AAAA', 'A'] }, withPlan({ types: ['A'] }), []],
    ['a type of the zone for its owner', { types: ['AAAA'], ownerOnlyTypes: ['A'] }, {}, []],
    ['new Rdata where none may be', { hasNoNewRdata: true }, {}, ['rdataCreateForbidden /rdata']],
    [
      'what the service keeps',
      {},
      { existing: { ...rrsetOf('A'), isSystem: true } },
      ['rrsetCreateForbidden /dns_type'],
    ],
    ['nothing of what it does not keep', {}, { name: '@', existing: rrsetOf('A') }, []],
  ] as const)('%s', (_, zone, over, faults) => expect(refusedOf(draft(), scene(zone, over))).toEqual(faults))

  it.each([
    ['NS at the apex', 'NS', '@', ['rrsetCreateForbidden /dns_type']],
    ['NS elsewhere', 'NS', 'a', []],
    ['A at the apex', 'A', '@', []],
  ] as const)('%s', (_, dnsType, name, faults) =>
    expect(refusedOf(draft({ dnsType }), scene({}, { name }))).toEqual(faults),
  )

  const STRANGER = { caller: callerOf(OTHER) }
  it.each(['@', '_dmarc', '_domainkey', '_mta-sts', 'ns', 'mail', 'www'])(
    '%s of a shared zone by another than its owner',
    (name) => {
      expect(refusedOf(draft(), scene({ isShared: true }, { ...STRANGER, name }))).toEqual([
        'zoneOwnerOnly /dns_type',
      ])
      expect(refusedOf(draft(), scene({ isShared: true }, { name }))).toEqual([])
      expect(refusedOf(draft(), scene({}, { ...STRANGER, name }))).toEqual([])
    },
  )

  it.each([
    [{ isShared: true, ownerOnlyTypes: ['A'] }, ['zoneOwnerOnly /dns_type']],
    [{ isShared: true, ownerOnlyTypes: ['AAAA'] }, []],
    [{ isShared: true }, []],
  ])('a type that is kept for the owner: %j', (zone, faults) =>
    expect(refusedOf(draft(), scene(zone, STRANGER))).toEqual(faults),
  )
})

describe('a TTL', () => {
  const told = (ttl: number | undefined, zone: Partial<Zone>, plan: object) =>
    permissionFaults(NEW_RRSET, draft(ttl === undefined ? {} : { ttl }), scene(zone, withPlan(plan))).map(
      ({ refused, detail }) => `${refused}: ${detail}`,
    )
  it.each([
    [60, {}, {}, []],
    [59, {}, {}, ['ttlTooLow: the minimum is 60']],
    [60, { minTtl: 120 }, {}, ['ttlTooLow: the minimum is 120']],
    [59, { minTtl: 30 }, {}, ['ttlTooLow: the minimum is 60']],
    [0, {}, { minTtl: 0 }, []],
    [undefined, { minTtl: 120 }, {}, []],
    [300, { fixedTtl: 300 }, {}, []],
    [301, { fixedTtl: 300 }, {}, ['ttlFixed: the TTL is fixed at 300']],
    [30, { fixedTtl: 30 }, {}, []],
    [300, {}, { fixedTtl: 60 }, ['ttlFixed: the TTL is fixed at 60']],
    [300, { fixedTtl: 300 }, { fixedTtl: 60 }, []],
    [undefined, { fixedTtl: 300 }, {}, []],
  ])('of %j with %j and a plan of %j', (ttl, zone, plan, faults) =>
    expect(told(ttl, zone, plan)).toEqual(faults),
  )
})

describe('Rdata', () => {
  const one = (over: object) => draft({ rdata: [{ value: '192.0.2.1', pointer: '/rdata/0', ...over }] })
  const existing = { ...rrsetOf('A'), rdata: [rdataOf('192.0.2.1', { label: '_1' })] }

  it.each([
    ['a new label with an underscore', { label: '_2' }, {}, ['underscoreLabelReserved /rdata/0/label']],
    ['one that is there', { label: '_1' }, { existing }, []],
    ['a label with an underscore inside', { label: 'a_' }, {}, []],
    ['no label', {}, {}, []],
    ['a group that is not there', { updateGroup: 'g' }, {}, ['updateGroupForbidden /rdata/0/update_group']],
    [
      'a group of its own',
      { updateGroup: 'g' },
      { groups: { g: { accountId: OWNER.id, isLocked: false } } },
      [],
    ],
  ])('%s', (_, rdata, over, faults) => expect(refusedOf(one(rdata), scene({}, over))).toEqual(faults))

  it.each([
    [undefined, false],
    [{ accountId: OWNER.id, isLocked: false }, true],
    [{ accountId: OWNER.id, isLocked: true }, false],
    [{ accountId: OTHER.id, isLocked: false }, false],
  ])('the group %j may be used: %j', (group, may) => expect(mayUseGroup(callerOf(OWNER), group)).toBe(may))
})

describe('a conflict', () => {
  const wish = (...values: readonly string[]) => ({
    rdata: values.map((value, n) => ({ value, pointer: `/rdata/${n}` })),
  })
  const exists = (n: number) => ({ refused: 'rdataExists', location: 'body', pointer: `/rdata/${n}/value` })
  it.each([
    ['none between different values', wish('a', 'b'), ['c'], []],
    ['of a value with one that stays', wish('a', 'b'), ['b'], [exists(1)]],
    ['of a value with itself', wish('a', 'a'), [], [exists(1)]],
  ])('%s', (_, wished, staying, conflicts) =>
    expect(
      valueConflicts(
        wished,
        staying.map((value) => ({ value })),
      ),
    ).toEqual(conflicts),
  )

  const target = (label: string | undefined, updateGroup: string | undefined) => ({
    value: 'v',
    pointer: '/rdata/0',
    ...(label !== undefined && { label }),
    ...(updateGroup !== undefined && { updateGroup }),
  })
  const held = {
    ...rrsetOf('A'),
    rdata: [rdataOf('v', { label: 'Home', updateGroup: 'g' }), rdataOf('w', { label: 'free' })],
  }
  const at = { location: 'body', pointer: '/rdata/0/update_group' }
  it.each([
    ['none without a group', [target('home', undefined)], undefined, []],
    ['none at a label that is free', [target('free', 'g')], undefined, []],
    [
      'the same group at the same label',
      [target('home', 'g')],
      undefined,
      [{ refused: 'targetExists', ...at }],
    ],
    [
      'another group at the same label',
      [target('HOME', 'h')],
      undefined,
      [{ refused: 'groupTargetConflicts', ...at }],
    ],
    [
      'any other group where the name has one',
      [target('free', 'h')],
      'g',
      [{ refused: 'groupTargetConflicts', ...at }],
    ],
    ['the group that the name has', [target('free', 'g')], 'g', [{ refused: 'targetExists', ...at }]],
    [
      'twice without a label',
      [target(undefined, 'g'), target(undefined, 'g')],
      undefined,
      [{ refused: 'targetExists', ...at }],
    ],
  ])('of targets: %s', (_, rdata, updateGroup, conflicts) =>
    expect(
      targetConflicts([draft({ rdata })], {
        ...nameOf('a', held),
        ...(updateGroup !== undefined && { updateGroup }),
      }),
    ).toEqual(conflicts),
  )

  it('of targets: none between types', () =>
    expect(
      targetConflicts([draft({ dnsType: 'AAAA', rdata: [target('home', 'g')] })], nameOf('a', held)),
    ).toEqual([]))
})
