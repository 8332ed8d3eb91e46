import { describe, expect, it } from 'vitest'
import type { Name } from '../../../src/server/model/tree.ts'
import { quotaFaults, zoneQuotaFaults } from '../../../src/server/rules/quota.ts'
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
