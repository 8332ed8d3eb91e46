import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBinding, encodeBinding, isBindingAnswer } from '../../../../src/client/detect/sources/stun.ts'
import { parseAddress } from '../../../../src/shared/base/address.ts'
import { RUNS, hex, u16, addressBytes, textOf, damaged, noise } from './messages.ts'

describe('the STUN codec', () => {
  const ID = hex('b7e7a701 bc34d686 fa87dfae')
  // RFC 5769 §2.2 and §2.3, with SOFTWARE, MESSAGE-INTEGRITY and FINGERPRINT.
  const V4 = hex(`0101003c 2112a442 b7e7a701 bc34d686 fa87dfae
    8022000b 74657374 20766563 746f7220  00200008 0001a147 e112a643
    00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7  80280004 c07d4c96`)
  const V6 = hex(`01010048 2112a442 b7e7a701 bc34d686 fa87dfae
    8022000b 74657374 20766563 746f7220  00200014 0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9
    00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41  80280004 c8fb0b4c`)
  const message = (attributes: string, type = '0101', cookie = '2112a442'): Buffer => {
    const body = hex(attributes)
    return Buffer.concat([hex(type), u16(body.length), hex(cookie), ID, body])
  }
  const patched = (bytes: Buffer, at: number, ...values: readonly number[]): Buffer => {
    const copy = Buffer.from(bytes)
    copy.set(values, at)
    return copy
  }

  it('encodes a request as a header only', () =>
    expect(Buffer.from(encodeBinding(ID))).toEqual(hex('00010000 2112a442 b7e7a701 bc34d686 fa87dfae')))

  // biome-ignore format: a table
  it.each<[string, Buffer, string | undefined]>([
    ['the IPv4 sample of RFC 5769',     V4,                                                             '192.0.2.1'],
    ['the IPv6 sample of RFC 5769',     V6,                                                             '2001:db8:1234:5678:11:2233:4455:6677'],
    ['a plain mapped address',          message('00010008 00018055 c0000201'),                          '192.0.2.1'],
    ['a plain IPv6 mapped address',     message('00010014 00028055 20010db8 00000000 00000000 00000001'), '2001:db8::1'],
    ['plain before XORed',              message('00010008 00018055 0a000001 00200008 0001a147 e112a643'), '192.0.2.1'],
    ['XORed before plain',              message('00200008 0001a147 e112a643 00010008 00018055 0a000001'), '192.0.2.1'],
    ['an unknown attribute first',      message('7fff0001 aa000000 00200008 0001a147 e112a643'),        '192.0.2.1'],
    ['no attribute',                    message(''),                                                    undefined],
    ['an unknown family',               message('00200008 0003a147 e112a643'),                          undefined],
    ['IPv4 in sixteen bytes',           message('00200014 0001a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9'), undefined],
    ['IPv6 in four bytes',              message('00200008 0002a147 e112a643'),                          undefined],
    ['an empty address',                message('00200000'),                                            undefined],
    ['an attribute that ends too late', message('00200040 0001a147 e112a643'),                          undefined],
  ])('decodes %s', (_, bytes, expected) => {
    expect(isBindingAnswer(bytes, ID)).toBe(true)
    expect(decodeBinding(bytes)).toBe(expected)
  })

  // biome-ignore format: a table
  it.each<[string, Buffer]>([
    ['another transaction',   patched(V4, 8, 0)],
    ['another cookie',        patched(V4, 4, 0)],
    ['our own request',       Buffer.from(encodeBinding(ID))],
    ['an error response',     patched(V4, 0, 0x01, 0x11)],
    ['an indication',         patched(V4, 0, 0x00, 0x11)],
    ['a length that is less', patched(V4, 3, 0x38)],
    ['a length that is more', patched(V4, 3, 0x40)],
    ['a cut message',         V4.subarray(0, -1)],
    ['a cut header',          V4.subarray(0, 19)],
    ['nothing',               Buffer.alloc(0)],
  ])('rejects %s as an answer', (_, bytes) => expect(isBindingAnswer(bytes, ID)).toBe(false))

  it('decodes every address', () =>
    fc.assert(
      fc.property(
        addressBytes,
        fc.uint8Array({ minLength: 12, maxLength: 12 }),
        fc.nat(65535),
        (bytes, id, port) => {
          const request = Buffer.from(encodeBinding(id))
          const key = request.subarray(4, 20)
          const mixed = bytes.map((byte, at) => byte ^ (key[at] ?? 0))
          const answer = Buffer.concat([
            hex('0101'),
            u16(8 + bytes.length),
            key,
            hex('0020'),
            u16(4 + bytes.length),
            Buffer.from([0, bytes.length === 4 ? 1 : 2]),
            u16(port ^ 0x2112),
            mixed,
          ])

          expect(isBindingAnswer(answer, id)).toBe(true)
          expect(decodeBinding(answer)).toBe(textOf(bytes))
        },
      ),
      RUNS,
    ))

  it('never throws, and rejects other transactions', () =>
    fc.assert(
      fc.property(fc.oneof(noise, damaged(V4), damaged(V6)), (bytes) => {
        const isAnswer = isBindingAnswer(bytes, ID)
        const found = decodeBinding(bytes)

        if (!ID.equals(bytes.subarray(8, 20))) expect(isAnswer).toBe(false)
        if (found !== undefined) expect(parseAddress(found)).toBe(found)
      }),
      RUNS,
    ))
})
