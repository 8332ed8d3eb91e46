import { describe, expect, it } from 'vitest'
import type { StoreReads } from '../../../src/service/store/store.ts'
import type { RecordChange } from '../../../src/service/update/apply.ts'
import { callerOf, exceedsPlan, refusalAt } from '../../../src/service/update/permission.ts'
import { OTHER, OWNER, PLAN, ZONE } from '../rules/made.ts'
import { storedName, storedRdata } from './made.ts'

const CHANGED: RecordChange = { dnsType: 'A', value: '192.0.2.1', rdataId: 1, isNew: false }
const NEW: RecordChange = { dnsType: 'AAAA', value: '2001:db8::1', isNew: true }
const SHARED = { ...ZONE, isShared: true }

describe('an update of a name is refused', () => {
  // biome-ignore format: a table
  it.each([
    ['never, where nothing is wrong',        OWNER, ZONE,                              {},                     [CHANGED],      undefined],
    ['in a zone that is gone',               OWNER, undefined,                         {},                     [CHANGED],      'nohost'],
    ['in a zone of another account',         OTHER, ZONE,                              {},                     [CHANGED],      'nohost'],
    ['in a zone that is locked',             OWNER, { ...ZONE, isProhibited: true },   {},                     [CHANGED],      'nohost'],
    ['of another account',                   OTHER, SHARED,                            {},                     [CHANGED],      'nohost'],
    ['that is locked',                       OWNER, ZONE,                              { isProhibited: true }, [CHANGED],      'nohost'],
    ['that is blocked',                      OWNER, ZONE,                              { isBlocked: true },    [CHANGED],      'nohost'],
    ['that is an alias',                     OWNER, ZONE,                              { rdata: [storedRdata(1, 'CNAME', 'b.test.')] }, [], 'nohost'],
    ['in a zone without new values',         OWNER, { ...ZONE, hasNoNewRdata: true },  {},                     [NEW],          'nohost'],
    ['in such a zone, if the first change is of an old one', OWNER, { ...ZONE, hasNoNewRdata: true }, {},      [CHANGED, NEW], 'nohost'],
    ['never, if it changes old ones only',   OWNER, { ...ZONE, hasNoNewRdata: true },  {},                     [CHANGED],      undefined],
    ['in a zone for the website',            OWNER, { ...ZONE, isWebsiteOnly: true },  {},                     [CHANGED],      '!donator'],
    ['of a type that the zone does not have', OWNER, { ...ZONE, types: ['A'] },        {},                     [NEW],          '!donator'],
    ['of a new type that is for the owner',  OTHER, { ...SHARED, ownerOnlyTypes: ['AAAA'] }, { accountId: OTHER.id }, [NEW],     '!donator'],
    ['of a name that is for the owner',      OTHER, SHARED,                            { accountId: OTHER.id, fqdn: 'www.example.test' }, [NEW], '!donator'],
    ['never, of a name like it elsewhere',   OTHER, SHARED,                            { accountId: OTHER.id, fqdn: 'www.a.example.test' }, [NEW], undefined],
  ])('%s', async (_, account, zone, over, changes, word) => {
    const reads = { zoneRules: async () => Promise.resolve(zone) } as unknown as StoreReads
    const target = { name: storedName('home', over) }
    expect(await refusalAt(reads, callerOf(account), { target, changes })).toBe(word)
  })
})

// biome-ignore format: a table
it.each([
  [0, 9, false],
  [1, 2, false],
  [1, 3, true],
  [3, 0, false],
  [4, 0, true],
])('a plan of three: %i more than %i are too many: %j', async (added, rdata, is) => {
  const reads = {
    holdingsOf: async () => Promise.resolve({ names: 5, rdata: rdata + 2 }),
    apexHoldingsOf: async () => Promise.resolve({ names: 1, rdata: 2 }),
  } as unknown as StoreReads
  expect(await exceedsPlan(reads, { ...OWNER, plan: PLAN }, added)).toBe(is)
})
