import { describe, expect, it } from 'vitest'
import type { Name } from '../../../src/service/model/tree.ts'
import {
  countKeys,
  metadataFault,
  quotaFault,
  quotaFaults,
  zoneQuotaFaults,
} from '../../../src/service/rules/quota.ts'
import { PLAN, nameOf, rrsetOf } from './made.ts'

const withRdata = (count: number): Name =>
  nameOf('a', rrsetOf('A', ...Array.from({ length: count }, (_, n) => `192.0.2.${n}`)))
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))
const withMetadata = (ofName: number, ofRRSet: number): Name => ({
  ...nameOf('a', rrsetOf('AAAA'), { ...rrsetOf('A'), metadata: pairs(ofRRSet) }),
  metadata: pairs(ofName),
})
const over = (refused: string, most: number) => ({
  refused,
  detail: `the plan allows ${most}; contact support for more`,
})
const NONE = { names: 0, rdata: 0 }

describe('a plan of three names and three Rdata', () => {
  it.each([
    ['a third name', undefined, withRdata(0), { names: 2, rdata: 0 }, []],
    ['a fourth name', undefined, withRdata(0), { names: 3, rdata: 0 }, [over('namesOverLimit', 3)]],
    ['a change with four names', withRdata(0), withRdata(0), { names: 4, rdata: 0 }, []],
    ['a third Rdata', withRdata(1), withRdata(2), { names: 1, rdata: 2 }, []],
    ['a fourth Rdata', withRdata(1), withRdata(2), { names: 1, rdata: 3 }, [over('rdataOverLimit', 3)]],
    ['a new name with three Rdata', undefined, withRdata(3), NONE, []],
    ['a new name with four Rdata', undefined, withRdata(4), NONE, [over('rdataOverLimit', 3)]],
    ['fewer of what is over', withRdata(9), withRdata(8), { names: 1, rdata: 9 }, []],
    ['as many of what is over', withRdata(9), withRdata(9), { names: 1, rdata: 9 }, []],
    ['metadata that fits', undefined, withMetadata(2, 2), NONE, []],
    [
      'metadata of a name that does not fit',
      undefined,
      withMetadata(3, 2),
      NONE,
      [over('nameMetadataOverLimit', 2)],
    ],
    [
      'metadata of an RRSet that does not fit',
      undefined,
      withMetadata(2, 3),
      NONE,
      [over('rrsetMetadataOverLimit', 2)],
    ],
  ])('has for %s', (_, before, after, held, faults) =>
    expect(quotaFaults([{ before, after }], PLAN, held)).toEqual(faults),
  )

  it.each([
    ['all that fits', withMetadata(2, 2), { names: 3, rdata: 3 }, []],
    ['a name too many', withRdata(0), { names: 4, rdata: 3 }, [over('namesOverLimit', 3)]],
    ['Rdata too many', withRdata(0), { names: 3, rdata: 4 }, [over('rdataOverLimit', 3)]],
    ['metadata of a name', withMetadata(3, 2), NONE, [over('nameMetadataOverLimit', 2)]],
    ['metadata of an RRSet', withMetadata(2, 3), NONE, [over('rrsetMetadataOverLimit', 2)]],
  ])('publishes: %s', (_, name, held, faults) => expect(zoneQuotaFaults(name, PLAN, held)).toEqual(faults))
})

describe('several changes of a request', () => {
  const [NEW, NONE_LEFT] = [withRdata(1), { ...nameOf('a'), isImplicit: true }]
  // biome-ignore format: a table
  it.each<[string, Parameters<typeof quotaFaults>[0], { names: number; rdata: number }, readonly object[]]>([
    ['none',                                        [],                                                           { names: 9, rdata: 9 }, []],
    ['two new names, of which one fits',            [{ before: undefined, after: withRdata(0) }, { before: undefined, after: withRdata(0) }], { names: 2, rdata: 0 }, [over('namesOverLimit', 3)]],
    ['a new name for one that is left over',        [{ before: undefined, after: withRdata(0) }, { before: NEW, after: NONE_LEFT }], { names: 3, rdata: 1 }, []],
    ['a new name, beside one that stays',           [{ before: undefined, after: withRdata(0) }, { before: NEW, after: NEW }], { names: 3, rdata: 1 }, [over('namesOverLimit', 3)]],
    ['a new name that is left over at once',        [{ before: undefined, after: NONE_LEFT }],                    { names: 3, rdata: 0 }, [over('namesOverLimit', 3)]],
    ['Rdata that moves from one name to another',   [{ before: withRdata(2), after: withRdata(1) }, { before: undefined, after: withRdata(1) }], { names: 1, rdata: 4 }, []],
    ['Rdata that is added at two names',            [{ before: withRdata(1), after: withRdata(2) }, { before: withRdata(0), after: withRdata(1) }], { names: 2, rdata: 2 }, [over('rdataOverLimit', 3)]],
    ['metadata that is over at the first only',     [{ before: undefined, after: withMetadata(3, 3) }, { before: undefined, after: withMetadata(0, 0) }], NONE, [over('rrsetMetadataOverLimit', 2), over('nameMetadataOverLimit', 2)]],
    ['metadata that is over at the last only',      [{ before: undefined, after: withMetadata(0, 0) }, { before: undefined, after: withMetadata(3, 3) }], NONE, [over('rrsetMetadataOverLimit', 2), over('nameMetadataOverLimit', 2)]],
    ['metadata that is in all over, and each fits', [{ before: undefined, after: withMetadata(2, 2) }, { before: undefined, after: withMetadata(2, 2) }], NONE, []],
    ['everything over, in order',                   [{ before: undefined, after: { ...withMetadata(3, 3), rrsets: [...withRdata(4).rrsets, ...withMetadata(3, 3).rrsets] } }], { names: 3, rdata: 0 }, [over('namesOverLimit', 3), over('rdataOverLimit', 3), over('rrsetMetadataOverLimit', 2), over('nameMetadataOverLimit', 2)]],
  ])('%s', (_, changes, held, faults) => expect(quotaFaults(changes, PLAN, held)).toEqual(faults))
})

it('a plan of nothing allows nothing, and no change needs it', () => {
  const plan = { ...PLAN, maxNames: 0, maxRdata: 0, maxNameMetadata: 0, maxRRSetMetadata: 0 }
  expect(quotaFaults([{ before: withRdata(1), after: withRdata(1) }], plan, { names: 1, rdata: 1 })).toEqual(
    [],
  )
  expect(quotaFaults([], plan, { names: 1, rdata: 1 })).toEqual([])
  expect(zoneQuotaFaults(withRdata(0), plan, NONE)).toEqual([])
})

// biome-ignore format: a table
it.each([
  ['names',         3, undefined],
  ['names',         4, over('namesOverLimit', 3)],
  ['rdata',         3, undefined],
  ['rdata',         4, over('rdataOverLimit', 3)],
  ['rrsetMetadata', 2, undefined],
  ['rrsetMetadata', 3, over('rrsetMetadataOverLimit', 2)],
  ['nameMetadata',  2, undefined],
  ['nameMetadata',  3, over('nameMetadataOverLimit', 2)],
] as const)('the quota of %s alone, with %i', (quota, count, fault) => expect(quotaFault(quota, count, PLAN)).toEqual(fault))

describe('keys of metadata', () => {
  it('are counted', () => expect([0, 1, 5].map((count) => countKeys(pairs(count)))).toEqual([0, 1, 5]))

  // biome-ignore format: a table
  it.each([
    ['fit',                               0, 2, undefined],
    ['are too many',                      2, 3, over('nameMetadataOverLimit', 2)],
    ['were too many, and are more',       3, 4, over('nameMetadataOverLimit', 2)],
    ['were too many, and are as many',    3, 3, undefined],
    ['were too many, and are fewer',      5, 4, undefined],
  ])('that %s', (_, before, after, fault) =>
    expect(metadataFault('nameMetadata', { before: pairs(before), after: pairs(after) }, PLAN)).toEqual(fault))
})
