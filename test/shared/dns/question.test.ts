import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeAnswer,
  encodeQuery,
  isAnswerTo,
  isTruncated,
  type Query,
  type RecordType,
} from '../../../src/shared/dns/question.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import {
  RUNS,
  hex,
  u16,
  u32,
  addressBytes,
  textOf,
  damaged,
  noise,
} from '../../client/detect/sources/messages.ts'

describe('the DNS codec', () => {
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

  it('encodes a query as a header and one question', () =>
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
    ['fewer records than its header counts',   A,    reply(A, [record(1, IP)], { count: 2 }),                        'sent a malformed answer'],
    ['a record that is cut',         A,    reply(A, [record(1, IP)]).subarray(0, -1),                      'sent a malformed answer'],
    ['FORMERR',                      A,    reply(A, [], { flags: 0x8181 }),                                'rejected the query as malformed (FORMERR)'],
    ['SERVFAIL',                     A,    reply(A, [], { flags: 0x8182 }),                                'failed (SERVFAIL)'],
    ['NXDOMAIN',                     A,    reply(A, [], { flags: 0x8183 }),                                'the name does not exist (NXDOMAIN)'],
    ['NOTIMP',                       A,    reply(A, [], { flags: 0x8184 }),                                'does not support such queries (NOTIMP)'],
    ['REFUSED',                      A,    reply(A, [], { flags: 0x8185 }),                                'refused the query (REFUSED)'],
    ['REFUSED with an address',      A,    reply(A, [record(1, IP)], { flags: 0x8185 }),                   'refused the query (REFUSED)'],
    ['a code without a name here',   A,    reply(A, [], { flags: 0x818b }),                                'answered with RCODE 11'],
  ])('decodes %s', (_, query, bytes, expected) => {
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
  ])('rejects %s as an answer', (_, bytes) => expect(isAnswerTo(A, bytes)).toBe(false))

  // biome-ignore format: a table
  it.each<[string, Buffer, boolean]>([
    ['one with the flag',  reply(A, [], { flags: 0x8780 }),     true],
    ['one without',        reply(A, [], { flags: 0x8580 }),     false],
    ['one that is cut',    Buffer.from([0x12, 0x34, 0xff]),     false],
  ])('detects a truncated answer: %s', (_, bytes, expected) => expect(isTruncated(bytes)).toBe(expected))

  it('decodes every address', () =>
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

  it('never throws, and rejects another id or question', () =>
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
