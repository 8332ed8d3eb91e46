import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeAnswer,
  encodeQuery,
  isAnswerTo,
  isTruncated,
  type Query,
  type RecordType,
} from '../../../src/client/sources/dns-codec.ts'
import {
  decodeAction,
  decodeDescription,
  decodeLocation,
  encodeAction,
  encodeSearch,
} from '../../../src/client/sources/igd-codec.ts'
import {
  decodeAddressAnswer,
  decodePcp,
  encodeAddressRequest,
  encodeAnnounce,
  encodeMap,
  isReset,
} from '../../../src/client/sources/pmp-codec.ts'
import { decodeBinding, encodeBinding, isBindingAnswer } from '../../../src/client/sources/stun-codec.ts'
import { type Address, parseAddress } from '../../../src/net/address.ts'

const RUNS = { numRuns: 2000 }
const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')
const u16 = (n: number): Buffer => Buffer.from([n >> 8, n & 0xff])
const u32 = (n: number): Buffer => Buffer.from([n >>> 24, (n >> 16) & 0xff, (n >> 8) & 0xff, n & 0xff])
const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}

const v4Bytes = fc.uint8Array({ minLength: 4, maxLength: 4 })
/** Below 2000::/3, so that none is an IPv4 address in disguise. */
const v6Bytes = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Uint8Array.from([0x20 | ((bytes[0] ?? 0) & 0x1f), ...bytes.slice(1)]))
const addressBytes = fc.oneof(v4Bytes, v6Bytes)
/** The text of an address, by way of the URL parser and not of our own. */
const textOf = (bytes: Uint8Array): string => {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}
const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** A valid message, cut anywhere and with some bytes changed. */
const damaged = (valid: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.nat(valid.length), fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 6 }))
    .map(([length, changes]) => {
      const bytes = Uint8Array.from(valid)
      for (const [at, byte] of changes) bytes[at] = byte
      return bytes.slice(0, length)
    })
const noise = fc.uint8Array({ maxLength: 600 })

describe('STUN', () => {
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

  it('asks with a header and nothing else', () =>
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
  ])('reads %s', (_, bytes, expected) => {
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
  ])('does not take %s for an answer', (_, bytes) => expect(isBindingAnswer(bytes, ID)).toBe(false))

  it('gives back every address that a server tells', () =>
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

  it('never throws, and takes nothing with another id', () =>
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

describe('NAT-PMP', () => {
  // RFC 6886 §3.2.
  const ANSWER = hex('0080 0000 00000e10 c6336405')

  it('asks with two bytes', () => expect([...encodeAddressRequest()]).toEqual([0, 0]))

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
  ])('reads %s', (_, bytes, expected) => expect(decodeAddressAnswer(hex(bytes))).toEqual(expected))

  it('gives back every address that a router tells', () =>
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

  it('never throws, and takes nothing that is not its own', () =>
    fc.assert(
      fc.property(fc.oneof(noise, damaged(ANSWER)), (bytes) => {
        const answer = decodeAddressAnswer(bytes)
        if (answer !== undefined) expect([bytes[0], bytes[1]]).toEqual([0, 128])
      }),
      RUNS,
    ))
})

describe('PCP', () => {
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

  it('asks for the epoch with its own address mapped into IPv6', () =>
    expect(Buffer.from(encodeAnnounce(LOCAL))).toEqual(
      hex('02000000 00000000 00000000000000000000ffffc0a80105'),
    ))
  it('asks for a mapping of the discard port by UDP', () =>
    expect(Buffer.from(encodeMap(LOCAL, NONCE, 120))).toEqual(
      hex(`02010000 00000078 00000000000000000000ffffc0a80105
        000102030405060708090a0b 11000000 00090000 00000000000000000000ffff00000000`),
    ))
  it('asks a router for IPv6 with plain addresses', () =>
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
    ["somebody else's mapping",       mapped(PUBLIC, { nonce: Buffer.alloc(12) }), undefined],
    ['a cut mapping',                 mapped(PUBLIC).subarray(0, 59),             undefined],
    ['a cut header',                  mapped(PUBLIC).subarray(0, 23),             undefined],
    ['a request',                     mapped(PUBLIC, { opcode: 0x01 }),           undefined],
    ['an answer to another opcode',   mapped(PUBLIC, { opcode: 0x82 }),           undefined],
    ['an announcement',               mapped(PUBLIC, { opcode: 0x80 }),           undefined],
    ['another version',               mapped(PUBLIC, { version: 1 }),             undefined],
  ])('reads %s', (_, bytes, expected) => expect(decodePcp(bytes, NONCE)).toEqual(expected))

  // biome-ignore format: a table
  it.each<[string, string, object | undefined]>([
    ['an announcement',             '02800000 00000000 0000002a 000000000000000000000000', { code: 0, epoch: 42 }],
    ['an announcement that failed', '02800004 00000000 0000002a 000000000000000000000000', { code: 4, epoch: 42 }],
    ['a mapping, unasked',          '02810000 00000000 0000002a 000000000000000000000000', undefined],
    ['a cut one',                   '02800000 00000000 0000002a',                          undefined],
  ])('reads %s without a nonce', (_, bytes, expected) => expect(decodePcp(hex(bytes))).toEqual(expected))

  // biome-ignore format: a table
  it.each<[string, number, number, number, boolean]>([
    ['time goes on',                          1000, 1060, 60,  false],
    ['time goes on, a little slow',           1000, 1053, 60,  false],
    ['the clock is coarse',                   1000, 999,  1,   false],
    ['it begins anew',                        1000, 0,    60,  true],
    ['it began anew and has been up a while', 1000, 900,  600, true],
    ['it runs fast',                          1000, 1200, 60,  false],
  ])('tells of a reset: %s', (_, before, then, elapsed, expected) =>
    expect(isReset({ code: 0, epoch: before }, { code: 0, epoch: then }, elapsed)).toBe(expected))

  it('gives back every address that a router tells, to who asked', () =>
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

  it('never throws, and takes no mapping with another nonce', () =>
    fc.assert(
      fc.property(fc.oneof(noise, damaged(mapped(PUBLIC))), (bytes) => {
        const answer = decodePcp(bytes, NONCE)
        decodePcp(bytes)

        if (answer?.code === 0) expect(NONCE.equals(bytes.subarray(24, 36))).toBe(true)
      }),
      RUNS,
    ))
})

describe('DNS', () => {
  const A: Query = { id: 0x1234, name: 'whoami.example', type: 'A', class: 'IN' }
  const AAAA: Query = { ...A, type: 'AAAA' }
  const TXT: Query = { ...A, name: 'whoami.cloudflare', type: 'TXT', class: 'CH' }
  const NUMBERS: Record<RecordType, number> = { A: 1, TXT: 16, AAAA: 28 }
  const nameBytes = (name: string): Buffer =>
    Buffer.concat([
      ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
      Buffer.from([0]),
    ])
  const COMPRESSED = hex('c00c')
  const record = (type: number, data: Uint8Array, klass = 1, owner: Buffer = COMPRESSED): Buffer =>
    Buffer.concat([owner, u16(type), u16(klass), u32(60), u16(data.length), data])
  const text = (...strings: readonly string[]): Buffer =>
    Buffer.concat(strings.map((one) => Buffer.from([one.length, ...Buffer.from(one)])))
  interface Server {
    readonly flags?: number
    readonly id?: number
    readonly name?: string
    readonly type?: number
    readonly class?: number
    readonly questions?: number
    readonly count?: number
  }
  /** A server's answer, written without the codec. */
  const reply = (query: Query, records: readonly Buffer[], over: Server = {}): Buffer =>
    Buffer.concat([
      u16(over.id ?? query.id),
      u16(over.flags ?? 0x8580),
      u16(over.questions ?? 1),
      u16(over.count ?? records.length),
      u16(0),
      u16(0),
      nameBytes(over.name ?? query.name),
      u16(over.type ?? NUMBERS[query.type]),
      u16(over.class ?? (query.class === 'IN' ? 1 : 3)),
      ...records,
    ])
  const IP = Buffer.from([192, 0, 2, 1])
  const IP6 = hex('20010db8000000000000000000000001')

  it('asks with a header and one question', () =>
    expect(Buffer.from(encodeQuery(TXT))).toEqual(
      hex(`1234 0100 0001 0000 0000 0000
        06 77686f616d69 0a 636c6f7564666c617265 00 0010 0003`),
    ))

  // biome-ignore format: a table
  it.each<[string, Query, Buffer, readonly string[] | string]>([
    ['an A record',                  A,    reply(A, [record(1, IP)]),                                      ['192.0.2.1']],
    ['an AAAA record',               AAAA, reply(AAAA, [record(28, IP6)]),                                 ['2001:db8::1']],
    ['a name that is written out',   A,    reply(A, [record(1, IP, 1, nameBytes('whoami.example'))]),      ['192.0.2.1']],
    ['a name that ends in a pointer', A,   reply(A, [record(1, IP, 1, hex('0378797a c00c'))]),             ['192.0.2.1']],
    ['an alias first',               A,    reply(A, [record(5, nameBytes('a.example')), record(1, IP, 1, hex('c02c'))]), ['192.0.2.1']],
    ['two addresses',                A,    reply(A, [record(1, IP), record(1, Buffer.from([192, 0, 2, 2]))]), ['192.0.2.1', '192.0.2.2']],
    ['text of the Chaos class',      TXT,  reply(TXT, [record(16, text('192.0.2.1'), 3)]),                 ['192.0.2.1']],
    ['text with an IPv6 address',    TXT,  reply(TXT, [record(16, text('2001:DB8::1'), 3)]),               ['2001:db8::1']],
    ['text in two pieces',           TXT,  reply(TXT, [record(16, text('192.0', '.2.1'), 3)]),             ['192.0.2.1']],
    ['text that is no address',      TXT,  reply(TXT, [record(16, text('edns0-client-subnet 192.0.2.0/24'), 3)]), []],
    ['text of another class',        TXT,  reply(TXT, [record(16, text('192.0.2.1'), 1)]),                 []],
    ['no record',                    A,    reply(A, []),                                                   []],
    ['only a record of another type', A,   reply(A, [record(28, IP6)]),                                    []],
    ['an address of three bytes',    A,    reply(A, [record(1, IP.subarray(1))]),                          []],
    ['a name in other letters',      A,    reply(A, [record(1, IP)], { name: 'WhoAmI.EXAMPLE' }),          ['192.0.2.1']],
    ['fewer records than it says',   A,    reply(A, [record(1, IP)], { count: 2 }),                        'sent a malformed answer'],
    ['a record that is cut',         A,    reply(A, [record(1, IP)]).subarray(0, -1),                      'sent a malformed answer'],
    ['FORMERR',                      A,    reply(A, [], { flags: 0x8181 }),                                'rejected the query as malformed (FORMERR)'],
    ['SERVFAIL',                     A,    reply(A, [], { flags: 0x8182 }),                                'failed (SERVFAIL)'],
    ['NXDOMAIN',                     A,    reply(A, [], { flags: 0x8183 }),                                'the name does not exist (NXDOMAIN)'],
    ['NOTIMP',                       A,    reply(A, [], { flags: 0x8184 }),                                'does not support such queries (NOTIMP)'],
    ['REFUSED',                      A,    reply(A, [], { flags: 0x8185 }),                                'refused the query (REFUSED)'],
    ['REFUSED with an address',      A,    reply(A, [record(1, IP)], { flags: 0x8185 }),                   'refused the query (REFUSED)'],
    ['a code without a name here',   A,    reply(A, [], { flags: 0x818b }),                                'answered with RCODE 11'],
  ])('reads %s', (_, query, bytes, expected) => {
    expect(isAnswerTo(query, bytes)).toBe(true)
    expect(decodeAnswer(query, bytes)).toEqual(expected)
  })

  // biome-ignore format: a table
  it.each<[string, Buffer]>([
    ['another id',          reply(A, [record(1, IP)], { id: 0x1235 })],
    ['another name',        reply(A, [record(1, IP)], { name: 'whoami.exampla' })],
    ['a longer name',       reply(A, [record(1, IP)], { name: 'x.whoami.example' })],
    ['another type',        reply(A, [record(1, IP)], { type: 28 })],
    ['another class',       reply(A, [record(1, IP)], { class: 3 })],
    ['our own query',       Buffer.from(encodeQuery(A))],
    ['no question',         reply(A, [record(1, IP)], { questions: 0 })],
    ['two questions',       reply(A, [record(1, IP)], { questions: 2 })],
    ['a header only',       reply(A, []).subarray(0, 12)],
    ['nothing',             Buffer.alloc(0)],
  ])('does not take %s for an answer', (_, bytes) => expect(isAnswerTo(A, bytes)).toBe(false))

  // biome-ignore format: a table
  it.each<[string, Buffer, boolean]>([
    ['one with the flag',  reply(A, [], { flags: 0x8780 }),     true],
    ['one without',        reply(A, [], { flags: 0x8580 }),     false],
    ['one that is cut',    Buffer.from([0x12, 0x34, 0xff]),     false],
  ])('knows a truncated answer: %s', (_, bytes, expected) => expect(isTruncated(bytes)).toBe(expected))

  it('gives back every address that a server tells', () =>
    fc.assert(
      fc.property(addressBytes, fc.nat(65535), fc.boolean(), (bytes, id, isText) => {
        const query: Query = { ...(isText ? TXT : bytes.length === 4 ? A : AAAA), id }
        const data = isText ? text(textOf(bytes)) : bytes
        const request = Buffer.from(encodeQuery(query))
        const answer = Buffer.concat([
          request.subarray(0, 2),
          hex('8580 0001 0001 0000 0000'),
          request.subarray(12),
          record(NUMBERS[query.type], data, isText ? 3 : 1),
        ])

        expect(isAnswerTo(query, answer)).toBe(true)
        expect(decodeAnswer(query, answer)).toEqual([textOf(bytes)])
      }),
      RUNS,
    ))

  it('never throws, and takes nothing with another id or question', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(A, AAAA, TXT).chain((query) => {
          const data = query.type === 'TXT' ? text('192.0.2.1') : query.type === 'A' ? IP : IP6
          const alias = record(5, nameBytes('a.example'))
          const valid = reply(query, [alias, record(NUMBERS[query.type], data, query.class === 'IN' ? 1 : 3)])
          return fc.tuple(fc.constant(query), fc.oneof(noise, damaged(valid)))
        }),
        ([query, bytes]) => {
          isTruncated(bytes)
          const isOurs = isAnswerTo(query, bytes)
          if (bytes[0] !== 0x12 || bytes[1] !== 0x34) expect(isOurs).toBe(false)
          if (!isOurs) return
          const question = Buffer.from(bytes.subarray(12)).toString('latin1').toLowerCase()
          expect(question.startsWith(nameBytes(query.name).toString('latin1'))).toBe(true)
          const found = decodeAnswer(query, bytes)
          if (typeof found !== 'string') for (const one of found) expect(parseAddress(one)).toBe(one)
        },
      ),
      RUNS,
    ))
})

describe('UPnP', () => {
  const LOCATION = 'http://192.168.1.1:49000/igddesc.xml'
  const service = (type: string, path: string, prefix = ''): string => {
    const p = prefix === '' ? '' : `${prefix}:`
    return `<${p}service>
      <${p}serviceType>urn:schemas-upnp-org:service:${type}</${p}serviceType>
      <${p}serviceId>urn:upnp-org:serviceId:${path}</${p}serviceId>
      <${p}controlURL>${path}</${p}controlURL>
      <${p}eventSubURL>${path}/events</${p}eventSubURL>
      <${p}SCPDURL>${path}.xml</${p}SCPDURL>
    </${p}service>`
  }
  const nested = (version: 1 | 2, wan: string, urlBase = ''): string => `<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0">
  <specVersion><major>1</major><minor>0</minor></specVersion>${urlBase}
  <device>
    <deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:${version}</deviceType>
    <friendlyName>the router</friendlyName>
    <presentationURL>http://192.168.1.1</presentationURL>
    <serviceList>${service('Layer3Forwarding:1', '/l3f')}</serviceList>
    <deviceList><device>
      <deviceType>urn:schemas-upnp-org:device:WANDevice:${version}</deviceType>
      <serviceList>${service('WANCommonInterfaceConfig:1', '/wancic')}</serviceList>
      <deviceList><device>
        <deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:${version}</deviceType>
        <serviceList>${service('WANDSLLinkConfig:1', '/dsl')}${wan}</serviceList>
      </device></deviceList>
    </device></deviceList>
  </device>
</root>`
  const at = (type: string, base: string) => ({
    type: `urn:schemas-upnp-org:service:${type}`,
    control: base,
    events: `${base}/events`,
  })
  const ONE = service('WANIPConnection:1', '/ctl/IPConn')
  const PLAIN = nested(1, ONE)

  // biome-ignore format: a table
  it.each<[string, string, object | undefined]>([
    ['version 1, three devices deep',    PLAIN,                                                               at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['version 2',                        nested(2, service('WANIPConnection:2', '/ctl/IPConn')),              at('WANIPConnection:2', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['PPP',                              nested(1, service('WANPPPConnection:1', '/ppp')),                    at('WANPPPConnection:1', 'http://192.168.1.1:49000/ppp')],
    ['PPP before IP',                    nested(1, service('WANPPPConnection:1', '/ppp') + ONE),              at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['version 1 before version 2',       nested(2, ONE + service('WANIPConnection:2', '/two')),               at('WANIPConnection:2', 'http://192.168.1.1:49000/two')],
    ['a prefix',                         nested(1, service('WANIPConnection:1', '/p', 'd')),                  at('WANIPConnection:1', 'http://192.168.1.1:49000/p')],
    ['a path without a slash',           nested(1, service('WANIPConnection:1', 'ctl')),                      at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl')],
    ['a whole URL',                      nested(1, service('WANIPConnection:1', 'http://192.168.1.1:5000/x')), at('WANIPConnection:1', 'http://192.168.1.1:5000/x')],
    ['a URLBase',                        nested(1, ONE, '<URLBase>http://192.168.1.1:5000/</URLBase>'),       at('WANIPConnection:1', 'http://192.168.1.1:5000/ctl/IPConn')],
    ['an empty URLBase',                 nested(1, ONE, '<URLBase></URLBase>'),                               at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['white space around what it says',  PLAIN.replaceAll(/<(controlURL|serviceType)>([^<]*)</g, '<$1>\n  $2\n  <'), at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['no connection',                    nested(1, ''),                                                       undefined],
    ['a connection of another kind',     nested(1, service('WANIPConnection:9', '/x')),                       undefined],
    ['no control URL',                   nested(1, ONE.replace(/<controlURL>.*<\/controlURL>/, '')),          undefined],
    ['a control URL that is none',       nested(1, service('WANIPConnection:1', 'http://[')),                 undefined],
    ['a document type',                  `<!DOCTYPE root SYSTEM "file:///etc/passwd">${PLAIN}`,               undefined],
    ['entities',                         `<!doctype r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${PLAIN}`,     undefined],
    ['an entity alone',                  `<!ENTITY a "a">${PLAIN}`,                                           undefined],
    ['more than 64 KiB',                 PLAIN + ' '.repeat(64 * 1024),                                       undefined],
    ['nothing',                          '',                                                                  undefined],
    ['HTML',                             '<html><body>404</body></html>',                                     undefined],
  ])('reads a description with %s', (_, text, expected) =>
    expect(decodeDescription(text, LOCATION)).toEqual(expected))

  it('asks for what a character reference in a URL stands for', () =>
    expect(
      decodeDescription(nested(1, service('WANIPConnection:1', '/ctl?a=1&amp;b=2')), LOCATION)?.control,
    ).toBe('http://192.168.1.1:49000/ctl?a=1&b=2'))

  const soap = (inner: string): string =>
    `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${inner}</s:Body></s:Envelope>`
  const told = (address: string): string =>
    soap(
      `<u:GetExternalIPAddressResponse xmlns:u="urn:schemas-upnp-org:service:WANIPConnection:1"><NewExternalIPAddress>${address}</NewExternalIPAddress></u:GetExternalIPAddressResponse>`,
    )

  // biome-ignore format: a table
  it.each<[string, string, string | undefined]>([
    ['an address',              told('198.51.100.5'),                                  '198.51.100.5'],
    ['white space around it',   told(' \n198.51.100.5 '),                              '198.51.100.5'],
    ['a type attribute',        told('198.51.100.5').replace('<NewExternalIPAddress>', '<NewExternalIPAddress dt:dt="string">'), '198.51.100.5'],
    ['a prefix',                told('198.51.100.5').replaceAll('NewExternal', 'u:NewExternal'), '198.51.100.5'],
    ['no address',              told(''),                                              undefined],
    ['0.0.0.0',                 told('0.0.0.0'),                                       undefined],
    ['text',                    told('not connected'),                                 undefined],
    ['an empty element',        soap('<NewExternalIPAddress/>'),                       undefined],
    ['a fault',                 soap('<s:Fault><faultcode>s:Client</faultcode></s:Fault>'), undefined],
    ['a document type',         `<!DOCTYPE x>${told('198.51.100.5')}`,                 undefined],
    ['more than 64 KiB',        told('198.51.100.5') + ' '.repeat(64 * 1024),          undefined],
  ])('reads an answer with %s', (_, text, expected) => expect(decodeAction(text)).toBe(expected))

  // biome-ignore format: a table
  it.each<[string, string, string | undefined]>([
    ['an answer',                `HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nST: x\r\nLOCATION: ${LOCATION}\r\n\r\n`, LOCATION],
    ['small letters',            `http/1.0 200 ok\r\nlocation:${LOCATION}\r\n\r\n`,                  LOCATION],
    ['an announcement',          `NOTIFY * HTTP/1.1\r\nNTS: ssdp:alive\r\nLocation:  ${LOCATION} \r\n\r\n`, LOCATION],
    ['a search',                 `M-SEARCH * HTTP/1.1\r\nLOCATION: ${LOCATION}\r\n\r\n`,             undefined],
    ['an error',                 `HTTP/1.1 404 Not Found\r\nLOCATION: ${LOCATION}\r\n\r\n`,          undefined],
    ['no location',              'HTTP/1.1 200 OK\r\nST: x\r\n\r\n',                                 undefined],
    ['an empty location',        'HTTP/1.1 200 OK\r\nLOCATION:\r\nST: x\r\n\r\n',                    undefined],
    ['another header that ends so', `HTTP/1.1 200 OK\r\nX-LOCATION: ${LOCATION}\r\n\r\n`,            undefined],
  ])('finds a location in %s', (_, text, expected) => expect(decodeLocation(Buffer.from(text))).toBe(expected))

  it('searches a group with a time to answer in, and one router without', () => {
    const [group, one] = [encodeSearch('239.255.255.250', 1), encodeSearch('192.168.1.1')].map((bytes) =>
      Buffer.from(bytes).toString().split('\r\n'),
    )

    expect(group).toEqual([
      'M-SEARCH * HTTP/1.1',
      'HOST: 239.255.255.250:1900',
      'MAN: "ssdp:discover"',
      'MX: 1',
      'ST: urn:schemas-upnp-org:device:InternetGatewayDevice:1',
      '',
      '',
    ])
    expect(one?.filter((line) => /^(HOST|MX)/.test(line))).toEqual(['HOST: 192.168.1.1:1900'])
  })

  it('asks for the address in the name of the service', () => {
    const { body, headers } = encodeAction('urn:schemas-upnp-org:service:WANIPConnection:2')

    expect(headers['soapaction']).toBe(
      '"urn:schemas-upnp-org:service:WANIPConnection:2#GetExternalIPAddress"',
    )
    expect(body).toContain(
      '<u:GetExternalIPAddress xmlns:u="urn:schemas-upnp-org:service:WANIPConnection:2"/>',
    )
  })

  it('gives back every address that a router tells', () =>
    fc.assert(
      fc.property(addressBytes, (bytes) => {
        expect(decodeAction(told(textOf(bytes)))).toBe(isZero(bytes) ? undefined : textOf(bytes))
      }),
      RUNS,
    ))

  it('never throws, and every URL that it finds is absolute', () =>
    fc.assert(
      fc.property(
        fc.oneof(noise, damaged(Buffer.from(PLAIN)), damaged(Buffer.from(told('8.8.8.8')))),
        (bytes) => {
          const text = Buffer.from(bytes).toString()
          const found = decodeDescription(text, LOCATION)
          decodeAction(text)
          decodeLocation(bytes)

          if (found !== undefined)
            for (const url of [found.control, found.events]) expect(URL.canParse(url)).toBe(true)
        },
      ),
      RUNS,
    ))

  // biome-ignore format: a table
  it.each([
    ['opening brackets',  '<'.repeat(65_000)],
    ['an endless tag',    `<NewExternalIPAddress ${'a'.repeat(65_000)}`],
    ['tags unclosed',     '<NewExternalIPAddress '.repeat(2800)],
    ['prefixes',          `<${'a:'.repeat(32_000)}`],
    ['services',          '<service>'.repeat(7200)],
    ['a long location',   `HTTP/1.1 200\r\nlocation: ${'a '.repeat(30_000)}`],
    ['spaces',            `HTTP/1.1 200\r\nlocation:${' '.repeat(60_000)}\r\n`],
  ])('is not slow at %s', (_, text) => {
    const start = performance.now()
    decodeDescription(text, LOCATION)
    decodeAction(text)
    decodeLocation(Buffer.from(text))

    expect(performance.now() - start).toBeLessThan(1000)
  })
})
