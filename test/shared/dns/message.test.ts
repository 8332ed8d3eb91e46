import { decode } from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { MAX_DATAGRAM, MessageBuilder, type Section } from '../../../src/shared/dns/message.ts'
import { encodeName, readName } from '../../../src/shared/dns/name.ts'
import { type Question, readRecords } from '../../../src/shared/dns/request.ts'
import { CLASSES, FLAGS, HEADER_LENGTH, RCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { hex, u16 } from './wire.ts'

const QR = FLAGS.QR
const question = (name: string, type = 1): Question => {
  const wire = Buffer.concat([encodeName(name), u16(type), u16(CLASSES.IN)])
  return { name: name.toLowerCase(), type, class: CLASSES.IN, wire }
}
const builder = (name = 'home.example.test', limit = 512, flags: number = QR) =>
  new MessageBuilder({ id: 0x1234, flags, question: question(name), limit })
const A = { type: RR_TYPES.A, ttl: 60, rdata: Buffer.from([192, 0, 2, 1]) }

/** All records of a message with their owners, by our own reader. */
function ownedIn(message: Buffer) {
  const end = (readName(message, HEADER_LENGTH)?.end ?? 0) + 4
  const count = [6, 8, 10].reduce((sum, at) => sum + message.readUInt16BE(at), 0)
  return readRecords(message, end, count)?.map(({ name, type, ttl, rdataAt, end: to }) => ({
    owner: name,
    type,
    ttl,
    rdata: message.subarray(rdataAt, to).toString('hex'),
  }))
}

/** Few labels, so that owners share their ends. */
const owner = fc
  .array(fc.constantFrom('a', 'b', 'home', '*', '_tcp', 'x'.repeat(63)), { minLength: 0, maxLength: 4 })
  .map((labels) => [...labels, 'example', 'test'].join('.'))
  .filter((name) => name.length <= 253)
const address = fc.uint8Array({ minLength: 4, maxLength: 4 })
const text = fc.uint8Array({ maxLength: 255 })
const record = fc.oneof(
  fc.record({ owner, ttl: fc.nat(2 ** 31 - 1), type: fc.constant('A' as const), data: address }),
  fc.record({ owner, ttl: fc.nat(2 ** 31 - 1), type: fc.constant('TXT' as const), data: text }),
  fc.record({ owner, ttl: fc.nat(2 ** 31 - 1), type: fc.constant('CNAME' as const), data: owner }),
)
type One = typeof record extends fc.Arbitrary<infer T> ? T : never
const rdataOf = ({ type, data }: One): Uint8Array =>
  type === 'CNAME' ? encodeName(data) : type === 'A' ? data : Uint8Array.from([data.length, ...data])
const plain = ({ type, data }: One): string =>
  type === 'CNAME' ? data : type === 'A' ? data.join('.') : Buffer.from(data).toString('hex')
const SECTIONS = ['answer', 'authority', 'additional'] as const satisfies readonly Section[]

describe('a message', () => {
  it('is read by dns-packet with all of its records in their sections', () =>
    fc.assert(
      fc.property(fc.tuple(owner, ...SECTIONS.map(() => fc.array(record, { maxLength: 8 }))), (all) => {
        const [name, ...sections] = all as [string, ...(readonly One[])[]]
        const message = builder(name, 65_535, QR | FLAGS.AA)
        sections.forEach((records, n) => {
          for (const one of records)
            message.add(SECTIONS[n] ?? 'answer', one.owner, {
              type: RR_TYPES[one.type],
              ttl: one.ttl,
              rdata: rdataOf(one),
            })
        })
        const read = decode(message.done())
        const found = [read.answers, read.authorities, read.additionals].map((records) =>
          (records ?? []).map((one) => {
            const {
              type,
              name: of,
              ttl,
              data,
            } = one as { type: string; name: string; ttl: number; data: unknown }
            return [type, of, ttl, Array.isArray(data) ? Buffer.concat(data).toString('hex') : data]
          }),
        )

        expect(read.questions).toEqual([{ name, type: 'A', class: 'IN' }])
        expect(read.flag_aa).toBe(true)
        expect(found).toEqual(
          sections.map((records) => records.map((one) => [one.type, one.owner, one.ttl, plain(one)])),
        )
      }),
      { numRuns: runs(100) },
    ))

  it('points to the longest name that was written before', () => {
    const message = builder('home.example.test')
    message.add('answer', 'home.example.test', A)
    message.add('answer', 'x.home.example.test', A)
    message.add('answer', 'b.x.home.example.test', A)
    message.add('authority', 'example.test', A)
    message.add('authority', 'other.org', A)
    message.add('authority', 'org', A)
    const owners = (readRecords(message.done(), 35, 6) ?? []).map(({ start, name }) => [
      name,
      message
        .done()
        .subarray(start, start + 4)
        .toString('hex'),
    ])

    expect(owners).toEqual([
      ['home.example.test', 'c00c0001'],
      ['x.home.example.test', '0178c00c'],
      ['b.x.home.example.test', '0162c033'],
      ['example.test', 'c0110001'],
      ['other.org', '056f7468'],
      ['org', 'c06d0001'],
    ])
  })

  it('points to names from its RDATA, where RFC 1035 has them', () => {
    const message = builder('home.example.test')
    const names = { exchange: 'mail.example.test', target: 'host.other.org' }
    const rdata = encodeName(names.exchange)
    message.add('answer', 'home.example.test', {
      type: RR_TYPES.MX,
      ttl: 60,
      rdata: Buffer.concat([u16(10), rdata]),
    })
    message.add('answer', 'home.example.test', {
      type: RR_TYPES.CNAME,
      ttl: 60,
      rdata: encodeName(names.target),
    })
    message.add('answer', 'other.org', { type: RR_TYPES.NS, ttl: 60, rdata: encodeName(names.target) })
    const soa = Buffer.concat([
      encodeName('ns.other.org'),
      encodeName('Admin.other.org'),
      Buffer.alloc(20, 7),
    ])
    message.add('authority', 'org', { type: RR_TYPES.SOA, ttl: 60, rdata: soa })
    const srv = Buffer.concat([Buffer.alloc(6), encodeName(names.target)])
    message.add('authority', 'org', { type: RR_TYPES.SRV, ttl: 60, rdata: srv })
    const octets = message.done()

    expect(ownedIn(octets)?.map((one) => one.rdata)).toEqual([
      '000a046d61696cc011',
      `04686f7374056f74686572036f726700`,
      'c044',
      `026e73c0490541646d696e056f74686572036f726700${'07'.repeat(20)}`,
      srv.toString('hex'),
    ])
    expect(decode(octets).answers?.map((one) => ('data' in one ? one.data : ''))).toEqual([
      { preference: 10, exchange: names.exchange },
      names.target,
      names.target,
    ])
  })

  it('has nothing of a record that does not fit, of which no later one is a part', () => {
    const whole = builder('home.example.test', 35 + 14 + 16)
    const cname = { type: RR_TYPES.CNAME, ttl: 60, rdata: encodeName('host.other.org') }
    expect(whole.add('answer', 'x.home.example.test', cname)).toBe(true)
    const short = builder('home.example.test', 35 + 14 + 15)
    expect(short.add('answer', 'x.home.example.test', cname)).toBe(false)
    expect(short.length).toBe(35)
    short.add('answer', 'x.home.example.test', A)
    expect(ownedIn(short.done())).toMatchObject([{ owner: 'x.home.example.test' }])
  })

  it('has the case of the question, which names of the answer point to', () => {
    const message = builder('hOmE.eXample.TEST')
    message.add('answer', 'home.example.test', A)
    const octets = message.done()

    expect(octets.subarray(12, 31).toString('latin1')).toBe('\u0004hOmE\u0007eXample\u0004TEST\0')
    expect(octets.subarray(35, 37)).toEqual(hex('c00c'))
  })

  it('points right below a question with escaped octets', () => {
    const wire = hex('05 612e5c0062 04 74657374 00 0001 0001')
    const name = 'a\\046\\092\\000b.test'
    const message = new MessageBuilder({
      id: 1,
      flags: QR,
      question: { name, type: 1, class: 1, wire },
      limit: 512,
    })
    message.add('answer', name, A)
    message.add('answer', 'test', A)

    expect(ownedIn(message.done())?.map((one) => one.owner)).toEqual([name, 'test'])
  })

  it('may have the root as an owner', () => {
    const message = builder()
    message.add('authority', '', A)

    expect(ownedIn(message.done())).toEqual([{ owner: '', type: 1, ttl: 60, rdata: 'c0000201' }])
  })

  it('has no pointer to what a pointer cannot reach, and one to the last that it can', () => {
    const message = builder('example.test', 65_535)
    const filler = (octets: number) => ({ ...A, type: RR_TYPES.TXT, rdata: Buffer.alloc(octets) })
    message.add('answer', 'example.test', filler(0x3fff - message.length - 12))
    expect(message.length).toBe(0x3fff)
    message.add('answer', 'last.example.test', A)
    message.add('answer', 'late.example.test', A)
    const before = message.length
    message.add('answer', 'last.example.test', A)
    expect(message.length - before).toBe(2 + 10 + 4)
    message.add('answer', 'late.example.test', A)
    expect(message.length - before).toBe(2 * (2 + 10 + 4) + 5)
    expect(ownedIn(message.done())?.map((one) => one.owner.slice(0, 4))).toEqual([
      'exam',
      'last',
      'late',
      'last',
      'late',
    ])
  })

  it('takes records up to its limit, and nothing of one that does not fit', () => {
    const message = builder('example.test', 100)
    const sized = (octets: number) => ({ ...A, rdata: Buffer.alloc(octets) })
    expect(message.length).toBe(30)
    expect(message.add('answer', 'example.test', sized(59))).toBe(false)
    expect([message.length, message.done().readUInt16BE(6)]).toEqual([30, 0])
    expect(message.add('answer', 'example.test', sized(58))).toBe(true)
    expect(message.done()).toHaveLength(100)
    expect(message.add('answer', 'example.test', sized(0))).toBe(false)
  })

  it('keeps the room that is reserved, and that of EDNS', () => {
    const message = builder('example.test', 100)
    message.reserve(20)
    message.withEdns()
    expect(message.add('answer', 'example.test', { ...A, rdata: Buffer.alloc(28) })).toBe(false)
    expect(message.add('answer', 'example.test', { ...A, rdata: Buffer.alloc(27) })).toBe(true)
    expect(message.done()).toHaveLength(80)
  })

  it('tells the size of datagrams and the upper bits of the RCODE by EDNS', () => {
    const message = builder()
    message.withEdns()
    message.setRcode(RCODES.BADVERS)
    const octets = message.done()
    const [opt] = decode(octets).additionals as unknown as readonly Record<string, unknown>[]

    expect(opt).toMatchObject({
      type: 'OPT',
      name: '.',
      udpPayloadSize: MAX_DATAGRAM,
      extendedRcode: 1,
      ednsVersion: 0,
    })
    expect(octets[3]).toBe(0)
  })

  it.each(Object.entries(RCODES).filter(([, code]) => code < 16))('has the RCODE %s', (_, code) => {
    const message = builder('example.test', 512, QR | FLAGS.RD | FLAGS.CD)
    message.setRcode(15)
    message.setRcode(code)
    message.setFlags(FLAGS.TC)
    expect(message.done().readUInt16BE(2)).toBe(QR | FLAGS.RD | FLAGS.CD | FLAGS.TC | code)
  })

  it('may be without a question', () =>
    expect(new MessageBuilder({ id: 7, flags: QR, limit: 512 }).done()).toEqual(
      hex('0007 8000 0000 0000 0000 0000'),
    ))
})
