import { describe, expect, it } from 'vitest'
import type { Zone } from '../../../src/service/model/tree.ts'
import type { Caller } from '../../../src/service/rules/permission.ts'
import { nameChangeFault, recordFault, zoneChangeFault } from '../../../src/service/rules/change.ts'
import { callerOf, nameOf, OTHER, OWNER, PLAN, ZONE } from './made.ts'

const SHARED = { ...ZONE, isShared: true }
const LOCKED = { ...ZONE, isProhibited: true }

// biome-ignore format: a table
it.each<[string, Caller, Zone | undefined, string | undefined]>([
  ['nothing',                          callerOf(OWNER), ZONE,      undefined],
  ['the zone: it does not exist',      callerOf(OWNER), undefined, 'zoneNotFound'],
  ['the zone: it is of another',       callerOf(OTHER), ZONE,      'zoneNotShared'],
  ['the zone: the operator locked it', callerOf(OWNER), LOCKED,    'zoneChangeProhibited'],
  ['that the zone is of another, before that it is locked', callerOf(OTHER), LOCKED, 'zoneNotShared'],
])('a change of anything in a zone is prevented by %s', (_, caller, zone, refused) =>
  expect(zoneChangeFault(caller, zone)?.refused).toBe(refused))

describe('a change of a name is prevented by', () => {
  const A = nameOf('a')
  // biome-ignore format: a table
  it.each<[string, Caller, Zone, object, string | undefined]>([
    ['nothing',                                  callerOf(OWNER), ZONE,   {},                     undefined],
    ['the zone',                                 callerOf(OWNER), LOCKED, {},                     'zoneChangeProhibited'],
    ['the zone, before the owner of the name',   callerOf(OTHER), { ...LOCKED, isShared: true }, {}, 'zoneChangeProhibited'],
    ['the owner of the name',                    callerOf(OTHER), SHARED, {},                     'nameChangeForbidden'],
    ['nothing for the owner of the name',        callerOf(OTHER), SHARED, { accountId: OTHER.id }, undefined],
    ['an API key that reads only',               callerOf(OWNER, { isReadOnly: true }), ZONE, {}, 'nameChangeForbidden'],
    ['an API key of another name',               callerOf(OWNER, { names: ['b.example.test'] }), ZONE, {}, 'nameChangeForbidden'],
    ['the permission, before a lock',            callerOf(OWNER, { isReadOnly: true }), ZONE, { isProhibited: true }, 'nameChangeForbidden'],
    ['a lock of the name',                       callerOf(OWNER), ZONE,   { isProhibited: true }, 'nameChangeProhibited'],
    ['a block of the name',                      callerOf(OWNER), ZONE,   { isBlocked: true },    'nameChangeProhibited'],
  ])('%s', (_, caller, zone, over, refused) =>
    expect(nameChangeFault(caller, zone, { name: { ...A, ...over }, forbidden: 'nameChangeForbidden' })?.refused).toBe(refused))

  it('a permission that is missing, as the operation says it', () =>
    expect(nameChangeFault(callerOf(OTHER), SHARED, { name: A, forbidden: 'nameCreateForbidden' })).toEqual({
      refused: 'nameCreateForbidden',
      location: 'path',
    }))
})

describe('a value of type A is prevented by', () => {
  const PLANNED = callerOf({ ...OWNER, plan: { ...PLAN, types: ['TXT'] } })
  const NO_NEW = { ...ZONE, hasNoNewRdata: true }
  const KEPT = { ...SHARED, ownerOnlyTypes: ['A'] }
  // biome-ignore format: a table
  it.each<[string, Caller, Zone, string | undefined, string | undefined]>([
    ['nothing',                                  callerOf(OWNER), ZONE,   undefined,              undefined],
    ['the types of the plan',                    PLANNED,         ZONE,   'typesDisallowed',      'typesDisallowed'],
    ['a zone without new values, if it is new',  callerOf(OWNER), NO_NEW, 'rdataCreateForbidden', undefined],
    ['types that are for the owner',             callerOf(OTHER), KEPT,   'zoneOwnerOnly',        'typesDisallowed'],
    ['a TTL, which is not given: nothing',       callerOf(OWNER), { ...ZONE, fixedTtl: 9, minTtl: 9 }, undefined, undefined],
  ])('%s', (_, caller, zone, ofNew, ofChanged) => {
    const faultOf = (isNew: boolean) => recordFault(caller, zone, { name: 'a', dnsType: 'A', isNew })?.refused
    expect([faultOf(true), faultOf(false)]).toEqual([ofNew, ofChanged])
  })

  it('all that is wrong, of which the first is told', () => {
    const faultOf = (caller: Caller) => recordFault(caller, NO_NEW, { name: 'a', dnsType: 'A', isNew: true })
    expect(faultOf(PLANNED)).toEqual({ refused: 'typesDisallowed', location: 'body', pointer: '/dns_type' })
    expect(faultOf(callerOf(OWNER))).toEqual({
      refused: 'rdataCreateForbidden',
      location: 'body',
      pointer: '/rdata',
    })
  })

  it('the service, which keeps the NS of the apex', () => {
    const faultOf = (name: string) =>
      recordFault(callerOf(OWNER), ZONE, { name, dnsType: 'NS', isNew: false })?.refused
    expect([faultOf('@'), faultOf('a')]).toEqual(['rrsetCreateForbidden', undefined])
  })
})
