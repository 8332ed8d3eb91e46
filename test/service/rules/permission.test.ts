import { describe, expect, it } from 'vitest'
import type { DraftRRSet } from '../../../src/service/model/draft.ts'
import type { Zone } from '../../../src/service/model/tree.ts'
import { targetConflicts, valueConflicts } from '../../../src/service/rules/conflict.ts'
import {
  CHANGED_RDATA,
  CHANGED_RRSET,
  mayUseGroup,
  NEW_NAME,
  NEW_RDATA,
  NEW_RRSET,
  type PermissionContext,
  permissionFaults,
  PUT_RDATA,
  PUT_RRSET,
} from '../../../src/service/rules/permission.ts'
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
  const RESERVED = [
    '@',
    '_dmarc',
    '_domainkey',
    '_mta-sts',
    'mta-sts',
    'mail',
    'www',
    'autoconfig',
    'autodiscover',
  ]
  it.each([...RESERVED, 'wpad', 'isatap', 'localhost', 'ns', 'ns12', 'mx', 'mx1'])(
    '%s of a shared zone by another than its owner',
    (name) => {
      expect(refusedOf(draft(), scene({ isShared: true }, { ...STRANGER, name }))).toEqual([
        'zoneOwnerOnly /dns_type',
      ])
      expect(refusedOf(draft(), scene({ isShared: true }, { name }))).toEqual([])
      expect(refusedOf(draft(), scene({}, { ...STRANGER, name }))).toEqual([])
    },
  )

  it.each(['a', 'ns1a', 'ans', 'a.ns', 'mxx', 'nsa', 'mail.a', ''])('%s is not kept for the owner', (name) =>
    expect(refusedOf(draft(), scene({ isShared: true }, { ...STRANGER, name }))).toEqual([]),
  )

  // biome-ignore format: a table
  it.each<[string, DraftRRSet['dnsType'], Partial<Zone>, readonly string[]]>([
    ['NS in a shared zone',                          'NS', { isShared: true },                         ['zoneOwnerOnly /dns_type']],
    ['DS in a shared zone',                          'DS', { isShared: true },                         ['zoneOwnerOnly /dns_type']],
    ['NS in a shared zone that keeps other types',   'NS', { isShared: true, ownerOnlyTypes: ['A'] },  []],
    ['NS in a shared zone with a list of types',     'NS', { isShared: true, types: ['A'] },           ['zoneOwnerOnly /dns_type']],
    ['TXT in a shared zone with a list of types',    'TXT', { isShared: true, types: ['A'] },          ['typesDisallowed /dns_type']],
    ['NS in a zone with a list of types',            'NS', { types: ['A'] },                           ['typesDisallowed /dns_type']],
    ['NS in a zone with a list, kept for the owner', 'NS', { types: ['A'], ownerOnlyTypes: ['NS'] },   []],
  ])('%s, by another than its owner', (_, dnsType, zone, faults) =>
    expect(refusedOf(draft({ dnsType }), scene(zone, STRANGER))).toEqual(faults))

  it('a type out of the scope of the API key', () => {
    const told = (types: readonly string[]) =>
      permissionFaults(
        NEW_RRSET,
        draft({ pointer: '/rrsets/2' }),
        scene({}, { caller: callerOf(OWNER, { types }) }),
      )
    expect(told(['TXT', 'A'])).toEqual([])
    expect(told(['TXT', 'MX'])).toEqual([
      {
        refused: 'typesDisallowed',
        detail: 'this API key may change TXT, MX only',
        location: 'body',
        pointer: '/rrsets/2/dns_type',
      },
    ])
  })

  // biome-ignore format: a table
  it.each([
    ['a new name',             NEW_NAME,      ['typesDisallowed', 'typesDisallowed', 'zoneOwnerOnly', 'rdataCreateForbidden', 'ttlFixed']],
    ['a new RRSet',            NEW_RRSET,     ['typesDisallowed', 'typesDisallowed', 'zoneOwnerOnly', 'rrsetCreateForbidden', 'rdataCreateForbidden', 'ttlFixed']],
    ['new Rdata',              NEW_RDATA,     ['typesDisallowed', 'typesDisallowed', 'zoneOwnerOnly', 'rrsetCreateForbidden', 'rdataCreateForbidden']],
    ['an RRSet that is put',   PUT_RRSET,     ['typesDisallowed', 'typesDisallowed', 'typesDisallowed', 'rrsetCreateForbidden', 'rdataCreateForbidden', 'ttlFixed']],
    ['Rdata that is put',      PUT_RDATA,     ['typesDisallowed', 'typesDisallowed', 'typesDisallowed', 'rrsetCreateForbidden', 'rdataCreateForbidden']],
    ['an RRSet that changes',  CHANGED_RRSET, ['typesDisallowed', 'typesDisallowed', 'typesDisallowed', 'rrsetCreateForbidden', 'ttlFixed']],
    ['Rdata that changes',     CHANGED_RDATA, ['typesDisallowed', 'typesDisallowed', 'typesDisallowed', 'rrsetCreateForbidden']],
  ])('everything at once, in order: %s', (_, rules, faults) => {
    const zone = { isShared: true, ownerOnlyTypes: ['A'], hasNoNewRdata: true, fixedTtl: 9 }
    const caller = callerOf({ ...OTHER, plan: { ...PLAN, types: ['TXT'] } }, { types: ['TXT'] })
    const existing = { ...rrsetOf('A'), isSystem: true }
    const found = permissionFaults(rules, draft({ ttl: 1, pointer: '/rrsets/0' }), scene(zone, { caller, existing }))
    expect(found.map(({ refused }) => refused)).toEqual(faults)
    const fieldOf = (refused: string): string =>
      refused === 'ttlFixed' ? 'ttl' : refused === 'rdataCreateForbidden' ? 'rdata' : 'dns_type'
    expect(found.map(({ location, pointer }) => `${location} ${pointer}`)).toEqual(
      faults.map((refused) => `body /rrsets/0/${fieldOf(refused)}`),
    )
  })

  it.each([[NEW_NAME], [NEW_RRSET], [PUT_RRSET], [CHANGED_RRSET]])(
    'a TTL that is too low, of the rules %j',
    (rules) =>
      expect(permissionFaults(rules, draft({ ttl: 1 }), scene())).toEqual([
        { refused: 'ttlTooLow', detail: 'the minimum is 60', location: 'body', pointer: '/ttl' },
      ]),
  )

  it('what the service keeps, and what is for the owner of the zone, in words', () => {
    const told = (existing: boolean, zone: Partial<Zone>) =>
      permissionFaults(
        CHANGED_RDATA,
        draft(),
        scene(zone, { ...STRANGER, existing: { ...rrsetOf('A'), isSystem: existing } }),
      ).map(({ detail }) => detail)
    expect(told(true, {})).toEqual(['the service manages these records'])
    expect(told(false, { isShared: true, ownerOnlyTypes: ['A'] })).toEqual([
      'only the zone owner may have this record here',
    ])
  })

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
  const lettered = { ...rrsetOf('A'), rdata: [rdataOf('192.0.2.1', { label: '_x' })] }

  it.each([
    ['a new label with an underscore', { label: '_2' }, {}, ['underscoreLabelReserved /rdata/0/label']],
    ['one that is there', { label: '_1' }, { existing }, []],
    ['a label with an underscore inside', { label: 'a_' }, {}, []],
    ['one that is there in the other case', { label: '_X' }, { existing: lettered }, []],
    [
      'a group that the operator locked',
      { updateGroup: 'g' },
      { groups: { g: { accountId: OWNER.id, isLocked: true } } },
      ['updateGroupForbidden /rdata/0/update_group'],
    ],
    [
      'a label and a group',
      { label: '_2', updateGroup: 'g' },
      {},
      ['underscoreLabelReserved /rdata/0/label', 'updateGroupForbidden /rdata/0/update_group'],
    ],
    ['no label', {}, {}, []],
    ['a group that is not there', { updateGroup: 'g' }, {}, ['updateGroupForbidden /rdata/0/update_group']],
    [
      'a group of its own',
      { updateGroup: 'g' },
      { groups: { g: { accountId: OWNER.id, isLocked: false } } },
      [],
    ],
  ])('%s', (_, rdata, over, faults) => expect(refusedOf(one(rdata), scene({}, over))).toEqual(faults))

  it('is told with its place', () =>
    expect(permissionFaults(NEW_RRSET, one({ label: '_2' }), scene())).toEqual([
      { refused: 'underscoreLabelReserved', location: 'body', pointer: '/rdata/0/label' },
    ]))

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
