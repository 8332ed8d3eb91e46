import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodePcp, encodeMap } from '../../../../src/client/detect/sources/pcp.ts'
import { RUNS, hex, u32, address, addressBytes, textOf, isZero, damaged, noise } from './messages.ts'

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

        if (answer?.code === 0) expect(NONCE.equals(bytes.subarray(24, 36))).toBe(true)
      }),
      RUNS,
    ))
})
