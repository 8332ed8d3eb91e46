import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RR_TYPES } from '../../../../src/shared/dns/types.ts'
import {
  isWireType,
  RDATA_TYPES,
  rdataOf,
  rdataText,
  typeNumber,
  type WireType,
  wireTypeOf,
} from '../../../../src/service/model/rdata/types.ts'
import { hex } from '../../../shared/dns/wire.ts'
import { PAIRS } from '../../api/spellings.ts'

const TYPES = Object.keys(PAIRS).filter((type) => isWireType(type as WireType)) as WireType[]
const textOf = (type: WireType, rdata: Uint8Array): string | undefined =>
  rdataText(type, { message: rdata, rdataAt: 0, end: rdata.length })
const canonical = (type: WireType, text: string): string | undefined => {
  const parsed = RDATA_TYPES[type].parse(text)
  return parsed.ok ? parsed.value : undefined
}

describe.each(TYPES)('%s', (type) => {
  it('has the same value after it was on the wire', () =>
    fc.assert(
      fc.property(PAIRS[type], ({ one }) => {
        const value = canonical(type, one)
        fc.pre(value !== undefined)
        const text = textOf(type, rdataOf(type, value ?? ''))
        expect(canonical(type, text ?? 'none')).toBe(value)
      }),
      { numRuns: 200, seed: 1 },
    ))

  it('throws at no octets, and reads none that are cut off', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (octets) => {
        expect(['string', 'undefined']).toContain(typeof textOf(type, octets))
      }),
      { numRuns: 500, seed: 2 },
    ))

  it('is known by its number', () => expect(wireTypeOf(typeNumber(type))).toBe(type))
})

// biome-ignore format: a table
it.each<[WireType, string, string | undefined]>([
  ['A',     'c0000201',                 '192.0.2.1'],
  ['A',     'c00002',                   undefined],
  ['A',     'c000020101',               undefined],
  ['MX',    '000a00',                   '10 .'],
  ['MX',    '000a',                     undefined],
  ['TXT',   '',                         undefined],
  ['TXT',   '0161026263',               '"a" "bc"'],
  ['TXT',   '0261',                     undefined],
  ['CNAME', '0161047465737400',         'a.test.'],
  ['CNAME', '01610474657374',           undefined],
  ['CNAME', '016104746573740000',       undefined],
  ['CAA',   '0005697373756563612e74657374', '0 issue "ca.test"'],
  ['CAA',   '000000',                   undefined],
  ['CAA',   '00012b',                   undefined],
  ['LOC',   '01121613800000008000000000989680', undefined],
  ['LOC',   '00a21613800000008000000000989680', undefined],
  ['SVCB',  '000100000100',             undefined],
  ['SVCB',  '0001000003000201bb',       '1 . port=443'],
])('%s of %s is %s', (type, octets, text) => expect(textOf(type, hex(octets))).toBe(text))

it('follows pointers to names before the RDATA', () => {
  // A header, "test" at 12, and MX 10 "a" with a pointer to it.
  const message = Buffer.concat([Buffer.alloc(12), hex('047465737400'), hex('000a0161c00c')])
  expect(rdataText('MX', { message, rdataAt: 18, end: message.length })).toBe('10 a.test.')
})

it('types that the service does not have are none', () =>
  expect([99, RR_TYPES.SOA, RR_TYPES.OPT, RR_TYPES.ANY].map(wireTypeOf)).toEqual(Array(4).fill(undefined)))
