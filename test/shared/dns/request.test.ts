import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { MessageBuilder } from '../../../src/shared/dns/message.ts'
import { encodeName } from '../../../src/shared/dns/name.ts'
import { parseRequest, soaSerial } from '../../../src/shared/dns/request.ts'
import { parseResponse, questionWire } from '../../../src/shared/dns/response.ts'
import { signTsig, TSIG_ALGORITHMS } from '../../../src/shared/dns/tsig.ts'
import { CLASSES, FLAGS, OPCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { damaged } from '../../client/detect/sources/messages.ts'
import { hex, opt, soaRdata, u16, u32, type Wire, type WireRecord, wire } from './wire.ts'

const { A, AXFR, IXFR, SOA, TSIG } = RR_TYPES
const KEY = {
  name: 'key.test',
  algorithm: 'hmac-sha256',
  secret: new Secret(Buffer.from('0123456789'.repeat(3)).toString('base64')),
} as const
const [OPT] = [opt()]
const a: WireRecord = { type: A, ttl: 60, rdata: hex('c0000201') }
const tsigRdata = (algorithm: Buffer, macLength = 4, otherLength = 0, rest = ''): Buffer =>
  Buffer.concat([
    algorithm,
    hex('0000 6b02d18b 012c'),
    u16(macLength),
    hex('01020304 1234 0000'),
    u16(otherLength),
    hex(rest),
  ])
const tsig = (over: Partial<WireRecord> = {}): WireRecord => ({
  owner: encodeName('key.test'),
  type: TSIG,
  class: CLASSES.ANY,
  rdata: tsigRdata(encodeName('hmac-sha256')),
  ...over,
})
const soa = (serial: number): WireRecord => ({ type: SOA, rdata: soaRdata(serial) })
const ixfr = (serial: number): Buffer =>
  wire({ type: IXFR, authorities: [soa(serial)], additions: [OPT, tsig()] })
const requestIn = (bytes: Uint8Array) => {
  const parsed = parseRequest(bytes)
  if (parsed.kind !== 'request') throw new Error(parsed.kind)
  return parsed.request
}
const kindOf = (message: Wire): string => parseRequest(wire(message)).kind

describe('a request', () => {
  it('has its header, its question as it was sent, EDNS and a signature', () => {
    const message = wire({
      id: 0xfffe,
      flags: 0x0110,
      name: 'hOme.Example.test',
      type: 16,
      additions: [opt(4096, 1), tsig()],
    })

    expect(requestIn(message)).toEqual({
      id: 0xfffe,
      flags: 0x0110,
      opcode: 0,
      question: { name: 'home.example.test', type: 16, class: 1, wire: message.subarray(12, 35) },
      edns: { size: 4096, version: 1, isDnssecOk: false, wantsNsid: false, cookie: undefined },
      tsig: {
        start: 46,
        keyName: 'key.test',
        algorithm: 'hmac-sha256',
        time: 0x6b02d18b,
        fudge: 300,
        mac: hex('01020304'),
        originalId: 0x1234,
        error: 0,
        other: Buffer.alloc(0),
      },
      serial: undefined,
    })
  })

  // biome-ignore format: a table
  it.each<[string, Buffer, number | undefined]>([
    ['of the SOA in an IXFR',             ixfr(7),                                                                      7],
    ['with all of its bits',              ixfr(0xffffffff),                                                             0xffffffff],
    ['of a name in other letters',        wire({ type: IXFR, authorities: [{ ...soa(7), owner: encodeName('Example.TEST') }] }), 7],
    ['after another record',              wire({ type: IXFR, authorities: [a, soa(7)] }),                               7],
    ['of another name: none',             wire({ type: IXFR, authorities: [{ ...soa(7), owner: encodeName('test') }] }), undefined],
    ['of a record of another type: none', wire({ type: IXFR, authorities: [{ ...soa(7), type: A }] }),                  undefined],
    ['in another section: none',          wire({ type: IXFR, answers: [soa(7)] }),                                      undefined],
    ['of an IXFR without SOA: none',      wire({ type: IXFR }),                                                         undefined],
    ['of an SOA that is cut: none',       wire({ type: IXFR, authorities: [{ type: SOA, rdata: soaRdata(7).subarray(0, -1) }] }), undefined],
    ['of an AXFR: none',                  wire({ type: AXFR, authorities: [soa(7)] }),                                  undefined],
  ])('has the serial %s', (_, message, serial) => expect(requestIn(message).serial).toBe(serial))

  // biome-ignore format: a table
  it.each<[string, Wire]>([
    ['without a question',                      { questions: 0 }],
    ['with two questions',                      { questions: 2 }],
    ['with a question that is a loop',          { name: hex('c00c') }],
    ['with a question that points into the header', { name: hex('0161 c002') }],
    ['with more records than its header says has room', { additions: [{ ...a, rdata: Buffer.alloc(0) }], name: hex('c0') }],
    ['with two OPT',                            { additions: [OPT, OPT] }],
    ['with an OPT among the answers',           { answers: [OPT] }],
    ['with an option that is longer than the OPT', { additions: [{ ...OPT, rdata: hex('0008 0005 0001') }] }],
    ['with half of an option',                  { additions: [{ ...OPT, rdata: hex('0008 00') }] }],
    ['with an OPT of a name',                   { additions: [{ ...OPT, owner: encodeName('test') }] }],
    ['with two TSIG',                           { additions: [tsig(), tsig()] }],
    ['with a TSIG that is not the last record', { additions: [tsig(), OPT] }],
    ['with a TSIG among the answers',           { answers: [tsig()] }],
    ['with a TSIG as the last authority',       { authorities: [tsig()] }],
    ['with a TSIG of the class IN',             { additions: [tsig({ class: CLASSES.IN })] }],
    ['with a TSIG of a TTL',                    { additions: [tsig({ ttl: 1 })] }],
    ['with a TSIG of the highest TTL',          { additions: [tsig({ ttl: 0xffffffff })] }],
    ['with a TSIG whose algorithm is a pointer', { name: 'hmac-sha256', additions: [tsig({ rdata: tsigRdata(hex('c00c')) })] }],
    ['with a TSIG whose algorithm ends with a pointer', { additions: [tsig({ rdata: tsigRdata(hex('01 61 c0 0c')) })] }],
    ['with a TSIG whose algorithm ends with a pointer to the root', { additions: [tsig({ rdata: tsigRdata(hex('01 61 c0 19')) })] }],
    ['with a TSIG without algorithm',           { additions: [tsig({ rdata: Buffer.alloc(0) })] }],
    ['with a TSIG that is cut after the algorithm', { additions: [tsig({ rdata: encodeName('hmac-sha256') })] }],
    ['with a TSIG whose MAC is longer than it', { additions: [tsig({ rdata: tsigRdata(encodeName('hmac-sha256'), 5) })] }],
    ['with a TSIG whose other data is longer than it', { additions: [tsig({ rdata: tsigRdata(encodeName('hmac-sha256'), 4, 1) })] }],
    ['with octets after the other data of a TSIG', { additions: [tsig({ rdata: tsigRdata(encodeName('hmac-sha256'), 4, 0, '00') })] }],
    ['with a cookie of two octets',             { additions: [{ ...OPT, rdata: hex('000a 0002 ffff') }] }],
    ['with 17 records',                         { answers: Array.from({ length: 17 }, () => a) }],
  ])('%s is malformed', (_, message) => expect(kindOf(message)).toBe('malformed'))

  // biome-ignore format: a table
  it.each<[string, Wire]>([
    ['with 16 records',                 { answers: Array.from({ length: 16 }, () => a) }],
    ['with an OPT before a TSIG',       { additions: [OPT, tsig()] }],
    ['with two options',                { additions: [{ ...OPT, rdata: hex('0003 0000 000a 0008 0102030405060708') }] }],
    ['with other data in a TSIG',       { additions: [tsig({ rdata: tsigRdata(encodeName('hmac-sha256'), 4, 6, '00006b02d18b') })] }],
    ['for the root',                    { name: '' }],
    ['of another opcode',               { flags: OPCODES.NOTIFY << 11 }],
  ])('%s is not malformed', (_, message) => expect(kindOf(message)).toBe('request'))

  it('with octets after its TSIG is malformed, and with octets after other records is not', () => {
    const after = (message: Wire): string =>
      parseRequest(Buffer.concat([wire(message), Buffer.from([0])])).kind
    expect([after({}), after({ additions: [OPT] }), after({ additions: [a] })]).toEqual(
      Array(3).fill('request'),
    )
    expect([after({ additions: [tsig()] }), after({ additions: [OPT, tsig()] })]).toEqual(
      Array(2).fill('malformed'),
    )
  })

  it('may have an algorithm with any octets', () => {
    const algorithm = hex('03 c0 2e 41 02 30 30 00')
    expect(requestIn(wire({ additions: [tsig({ rdata: tsigRdata(algorithm) })] })).tsig?.algorithm).toBe(
      '\\192\\046a.00',
    )
  })

  it('that is malformed tells its id and its opcode', () =>
    expect(parseRequest(wire({ id: 0xabcd, flags: 5 << 11, questions: 0 }))).toEqual({
      kind: 'malformed',
      id: 0xabcd,
      opcode: 5,
    }))

  it.each([0, 5, 11])('of %i octets is dropped', (length) =>
    expect(parseRequest(wire({}).subarray(0, length))).toEqual({ kind: 'dropped' }),
  )

  it('of 12 octets is malformed, if it is no response', () => {
    expect(parseRequest(wire({}).subarray(0, 12)).kind).toBe('malformed')
    expect(parseRequest(wire({ flags: FLAGS.QR }).subarray(0, 12)).kind).toBe('dropped')
    expect(parseRequest(wire({ flags: FLAGS.QR })).kind).toBe('dropped')
  })

  it('that is cut anywhere is malformed or dropped', () => {
    const whole = ixfr(7)
    for (let length = 0; length < whole.length; length++)
      expect(parseRequest(whole.subarray(0, length)).kind).toBe(length < 12 ? 'dropped' : 'malformed')
    expect(parseRequest(whole).kind).toBe('request')
  })

  it('is read from the middle of a larger buffer', () => {
    const message = ixfr(7)
    const larger = Buffer.concat([Buffer.alloc(9, 0xff), message, Buffer.alloc(9, 0xff)])
    expect(requestIn(new Uint8Array(larger.buffer, larger.byteOffset + 9, message.length)).serial).toBe(7)
  })
})

describe('a response', () => {
  const question = { name: 'example.test', type: SOA, class: 1, wire: questionWire('example.test', SOA) }
  const built = (flags: number, count = 1): Buffer => {
    const builder = new MessageBuilder({ id: 9, flags, question, limit: 512 })
    for (let n = 0; n < count; n++)
      builder.add('answer', 'example.test', { type: SOA, ttl: 5, rdata: soaRdata(n) })
    return signTsig(builder.done(), KEY, { now: 1_795_000_000 }).message
  }

  it('has its RCODE, its question, its records and its signature', () => {
    const response = parseResponse(built(FLAGS.QR | FLAGS.AA | 9, 2))
    const [, second] = response?.answers ?? []

    expect(response).toMatchObject({
      id: 9,
      rcode: 9,
      name: 'example.test',
      type: SOA,
      authorities: [],
      edns: undefined,
    })
    expect(response?.answers.map(({ name, type, ttl }) => [name, type, ttl])).toEqual([
      ['example.test', SOA, 5],
      ['example.test', SOA, 5],
    ])
    expect(soaSerial(response?.message ?? Buffer.alloc(0), second ?? { rdataAt: 0, end: 0 })).toBe(1)
    expect(response?.tsig).toMatchObject({
      keyName: 'key.test',
      algorithm: 'hmac-sha256',
      time: 1_795_000_000,
    })
    expect(response?.tsig?.mac).toHaveLength(TSIG_ALGORITHMS['hmac-sha256'].octets)
  })

  it('has at most 1,000 records', () => {
    const many = (count: number) => wire({ flags: FLAGS.QR, answers: Array.from({ length: count }, () => a) })
    expect(parseResponse(many(1000))?.answers).toHaveLength(1000)
    expect(parseResponse(many(1001))).toBeUndefined()
  })

  it('is no request, and is not cut', () => {
    expect(parseResponse(built(0))).toBeUndefined()
    expect(parseResponse(built(FLAGS.QR).subarray(0, -1))).toBeUndefined()
    expect(parseResponse(Buffer.alloc(3))).toBeUndefined()
  })
})

describe('whatever arrives', () => {
  const never = (bytes: fc.Arbitrary<Uint8Array>) =>
    fc.assert(
      fc.property(bytes, (one) => {
        expect(['request', 'malformed', 'dropped']).toContain(parseRequest(one).kind)
        parseResponse(one)
      }),
      { numRuns: runs(500) },
    )
  const real = [
    ixfr(7),
    wire({ name: 'home.example.test', additions: [OPT] }),
    wire({
      flags: FLAGS.QR,
      answers: [
        { ...a, owner: hex('c00c') },
        { ...soa(1), owner: hex('c00c') },
      ],
      additions: [OPT, tsig()],
    }),
    Buffer.concat([u32(0x12340000), u32(0x00010000), u32(1), hex('c00c 0001 0001')]),
  ]

  it('noise is parsed without throwing', () => never(fc.uint8Array({ maxLength: 300 })))
  it('a real message that is damaged is parsed without throwing', () => never(fc.oneof(...real.map(damaged))))
})
