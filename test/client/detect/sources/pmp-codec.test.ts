import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeAddressAnswer,
  decodePcp,
  encodeAddressRequest,
  encodeAnnounce,
  encodeMap,
  isReset,
} from '../../../../src/client/detect/sources/pmp-codec.ts'
import { RUNS, hex, u32, address, v4Bytes, addressBytes, textOf, isZero, damaged, noise } from './messages.ts'

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
})

describe('the PCP codec', () => {
  const NONCE = hex('000102030405060708090a0b')
  const LOCAL = address('192.168.1.5')
  /** RFC 6887 §7.2 and §11.1, as a server writes it. */
  const mapped = (
    bytes: Uint8Array,
    { code = 0, nonce = NONCE, lifetime = 120, opcode = 0x81, version = 2 } = {},
  ): Buffer =>
    Buffer.concat([
      Buffer.from([version, opcode, 0, code]),
      u32(lifetime),
      u32(77),
      Buffer.alloc(12),
      nonce,
      hex('11000000 0009 1234'),
      ...(bytes.length === 4 ? [hex('00000000000000000000ffff'), bytes] : [bytes]),
    ])
  const PUBLIC = Buffer.from([198, 51, 100, 5])

  it('encodes an ANNOUNCE with the client address mapped into IPv6', () =>
    expect(Buffer.from(encodeAnnounce(LOCAL))).toEqual(
      hex('02000000 00000000 00000000000000000000ffffc0a80105'),
    ))
  it('encodes a MAP request for the discard port by UDP', () =>
    expect(Buffer.from(encodeMap(LOCAL, NONCE, 120))).toEqual(
      hex(`02010000 00000078 00000000000000000000ffffc0a80105
        000102030405060708090a0b 11000000 00090000 00000000000000000000ffff00000000`),
    ))
  it('encodes IPv6 addresses without mapping', () =>
    expect(Buffer.from(encodeMap(address('2001:db8::5'), NONCE, 0))).toEqual(
      hex(`02010000 00000000 20010db8000000000000000000000005
        000102030405060708090a0b 11000000 00090000 00000000000000000000000000000000`),
    ))

  // biome-ignore format: a table
  it.each<[string, Buffer, object | undefined]>([
    ['a mapping',                     mapped(PUBLIC),                             { code: 0, epoch: 77, address: '198.51.100.5' }],
    ['a mapping for IPv6',            mapped(hex('20010db8000000000000000000000001')), { code: 0, epoch: 77, address: '2001:db8::1' }],
    ['no address',                    mapped(Buffer.alloc(4)),                    { code: 0, epoch: 77 }],
    ['no IPv6 address',               mapped(Buffer.alloc(16)),                   { code: 0, epoch: 77 }],
    ['a refusal (NOT_AUTHORIZED)',    mapped(PUBLIC, { code: 2 }),                { code: 2, epoch: 77 }],
    ['an old server (UNSUPP_VERSION)', mapped(PUBLIC, { code: 1 }).subarray(0, 24), { code: 1, epoch: 77 }],
    ["the mapping of another client",       mapped(PUBLIC, { nonce: Buffer.alloc(12) }), undefined],
    ['a cut mapping',                 mapped(PUBLIC).subarray(0, 59),             undefined],
    ['a cut header',                  mapped(PUBLIC).subarray(0, 23),             undefined],
    ['a request',                     mapped(PUBLIC, { opcode: 0x01 }),           undefined],
    ['an answer to another opcode',   mapped(PUBLIC, { opcode: 0x82 }),           undefined],
    ['an announcement',               mapped(PUBLIC, { opcode: 0x80 }),           undefined],
    ['another version',               mapped(PUBLIC, { version: 1 }),             undefined],
  ])('decodes %s', (_, bytes, expected) => expect(decodePcp(bytes, NONCE)).toEqual(expected))

  // biome-ignore format: a table
  it.each<[string, string, object | undefined]>([
    ['an announcement',             '02800000 00000000 0000002a 000000000000000000000000', { code: 0, epoch: 42 }],
    ['an announcement that failed', '02800004 00000000 0000002a 000000000000000000000000', { code: 4, epoch: 42 }],
    ['a mapping, unasked',          '02810000 00000000 0000002a 000000000000000000000000', undefined],
    ['a cut one',                   '02800000 00000000 0000002a',                          undefined],
  ])('decodes %s without a nonce', (_, bytes, expected) => expect(decodePcp(hex(bytes))).toEqual(expected))

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

  it('decodes every address with the nonce of the request', () =>
    fc.assert(
      fc.property(addressBytes, fc.uint8Array({ minLength: 12, maxLength: 12 }), (bytes, nonce) => {
        const request = Buffer.from(encodeMap(LOCAL, nonce, 120))
        const answer = mapped(bytes, { nonce: request.subarray(24, 36) })

        expect(decodePcp(answer, nonce)).toEqual({
          code: 0,
          epoch: 77,
          ...(!isZero(bytes) && { address: textOf(bytes) }),
        })
      }),
      RUNS,
    ))

  it('never throws, and rejects another nonce', () =>
    fc.assert(
      fc.property(fc.oneof(noise, damaged(mapped(PUBLIC))), (bytes) => {
        const answer = decodePcp(bytes, NONCE)
        decodePcp(bytes)

        if (answer?.code === 0) expect(NONCE.equals(bytes.subarray(24, 36))).toBe(true)
      }),
      RUNS,
    ))
})
