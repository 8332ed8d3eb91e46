import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeAddressAnswer,
  encodeAddressRequest,
  isReset,
} from '../../../../src/client/detect/sources/nat-pmp.ts'
import { RUNS, hex, u32, v4Bytes, textOf, isZero, damaged, noise } from './messages.ts'

describe('the NAT-PMP codec', () => {
  // RFC 6886 §3.2.
  const ANSWER = hex('0080 0000 00000e10 c6336405')

  it('encodes a request as two bytes', () => expect([...encodeAddressRequest()]).toEqual([0, 0]))

  // biome-ignore format: a table
  it.each<[string, string, object | undefined]>([
    ['an address',                   '0080 0000 00000e10 c6336405',      { code: 0, epoch: 3600, address: '198.51.100.5' }],
    ['no address yet',               '0080 0000 00000e10 00000000',      { code: 0, epoch: 3600 }],
    ['a network failure',            '0080 0003 00000001 00000000',      { code: 3, epoch: 1 }],
    ['not authorized, without body', '0080 0002 ffffffff',               { code: 2, epoch: 4294967295 }],
    ['more bytes than there are to be', '0080 0000 00000e10 c6336405 00', { code: 0, epoch: 3600, address: '198.51.100.5' }],
    ['success without an address',   '0080 0000 00000e10',               undefined],
    ['version 2',                    '0280 0000 00000e10 c6336405',      undefined],
    ['a request',                    '0000',                             undefined],
    ['an answer to a mapping',       '0081 0000 00000e10 c6336405 00000000', undefined],
    ['seven bytes',                  '0080 0000 000000',                 undefined],
    ['nothing',                      '',                                 undefined],
  ])('decodes %s', (_, bytes, expected) => expect(decodeAddressAnswer(hex(bytes))).toEqual(expected))

  it('decodes every address', () =>
    fc.assert(
      fc.property(v4Bytes, fc.nat(0x7fffffff), (bytes, epoch) => {
        const answer = Buffer.concat([hex('00800000'), u32(epoch), bytes])

        expect(decodeAddressAnswer(answer)).toEqual({
          code: 0,
          epoch,
          ...(!isZero(bytes) && { address: textOf(bytes) }),
        })
      }),
      RUNS,
    ))

  it('never throws, and rejects other messages', () =>
    fc.assert(
      fc.property(fc.oneof(noise, damaged(ANSWER)), (bytes) => {
        const answer = decodeAddressAnswer(bytes)
        if (answer !== undefined) expect([bytes[0], bytes[1]]).toEqual([0, 128])
      }),
      RUNS,
    ))

  // biome-ignore format: a table
  it.each<[string, number, number, number, boolean]>([
    ['time goes on',                          1000, 1060, 60,  false],
    ['time goes on, a little slow',           1000, 1053, 60,  false],
    ['the clock is coarse',                   1000, 999,  1,   false],
    ['the epoch is reset',                    1000, 0,    60,  true],
    ['the epoch was reset some time ago',     1000, 900,  600, true],
    ['it runs fast',                          1000, 1200, 60,  false],
  ])('detects a reset: %s', (_, before, then, elapsed, expected) =>
    expect(isReset({ code: 0, epoch: before }, { code: 0, epoch: then }, elapsed)).toBe(expected))
})
