import { newLimit } from './new-limit.ts'
import { decode } from 'dns-packet'
import { beforeAll, describe, expect, it } from 'vitest'
import { ednsOption } from '../../../src/shared/dns/message.ts'
import { signTsig, type TsigKey, verifyTsig } from '../../../src/shared/dns/tsig.ts'
import { EDNS_OPTIONS, FLAGS, OPCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { opt, type Wire, wire } from '../../shared/dns/wire.ts'
import { flushed, SETTINGS } from './flushed.ts'
import {
  areSigned,
  type Call,
  KEY,
  key,
  OTHER,
  rcodeOf,
  recordsIn,
  SECONDS,
  sentFor,
  tsigOf,
} from './secondary.ts'
import { storeWith, type World } from './zones.ts'

const { A, AXFR, IXFR, SOA } = RR_TYPES
const { COOKIE, NSID } = EDNS_OPTIONS
const ZONE = 'example.test'

let world: World
let serial: number
beforeAll(async () => {
  world = await storeWith({ [ZONE]: { home: ['300 A 192.0.2.1'], '*': ['60 TXT "hi"'] }, 'other.test': {} })
  await flushed(world.store)
  serial = await world.serial(ZONE)
})

describe('what is no request of a secondary', () => {
  it.each([wire({}).subarray(0, 11), wire({ flags: FLAGS.QR }), wire({ flags: FLAGS.QR, questions: 0 })])(
    'has no answer',
    async (message) => expect((await sentFor(world, message)).sent).toEqual([]),
  )

  // biome-ignore format: a table
  it.each<[string, Wire, Call, string]>([
    ['malformed',                           { id: 9, questions: 0 },                            {},                              'FORMERR'],
    ['a NOTIFY',                            { flags: OPCODES.NOTIFY << 11, type: SOA },         {},                              'NOTIMP'],
    ['of the class CH',                     { class: 3 },                                       {},                              'REFUSED'],
    ['of the class ANY',                    { class: 255 },                                     {},                              'REFUSED'],
    ['an AXFR without a signature',         { type: AXFR },                                     {},                              'REFUSED'],
    ['an AXFR without a signature by UDP',  { type: AXFR },                                     { isDatagram: true },            'REFUSED'],
    ['an IXFR without a signature',         { type: IXFR },                                     {},                              'REFUSED'],
    ['for another zone',                    { name: 'home.else.test' },                         {},                              'REFUSED'],
    ['for the catalog',                     { name: SETTINGS.catalog, type: SOA },              {},                              'REFUSED'],
    ['a question',                          { name: 'home.example.test' },                      {},                              'NOERROR'],
    ['a question for a missing name',       { name: 'a.other.test' },                           {},                              'NXDOMAIN'],
    ['a question where none are answered',  { name: 'home.example.test' },                      { isAnswering: false },          'REFUSED'],
    ['a SOA question where none are answered', { type: SOA },                                   { isAnswering: false },          'REFUSED'],
    ['of a later EDNS',                     { name: 'home.example.test', additions: [opt(1232, 1)] }, {},                        'NOERROR'],
  ])('%s is answered', async (_, message, call, is) => {
    const { sent, fetches } = await sentFor(world, wire(message), call)
    expect(sent.map(rcodeOf)).toEqual([is])
    expect(fetches).toEqual([])
    expect(sent[0]?.readUInt16BE(0)).toBe(message.id ?? 0x1234)
  })

  it('with EDNS version 1 is BADVERS, without records (RFC 6891 §6.1.3)', async () => {
    const { sent } = await sentFor(world, wire({ name: 'home.example.test', additions: [opt(1232, 1)] }))
    expect(decode(sent[0] ?? Buffer.alloc(12))).toMatchObject({
      answers: [],
      additionals: [{ type: 'OPT', extendedRcode: 1, ednsVersion: 0 }],
    })
  })

  it('is limited by UDP, and not by TCP', async () => {
    const limit = newLimit()
    const ask = async (isDatagram: boolean) =>
      (await sentFor(world, wire({ name: 'home.example.test' }), { isDatagram, limit, peer: '203.0.113.1' }))
        .sent[0]
    for (let n = 0; n < 20; n++) expect(decode((await ask(true)) ?? Buffer.alloc(12)).answers).toHaveLength(1)
    expect(await ask(true)).toBeUndefined()
    const truncated = decode((await ask(true)) ?? Buffer.alloc(12))
    expect([truncated.flag_tc, truncated.answers, truncated.questions?.[0]?.name]).toEqual([
      true,
      [],
      'home.example.test',
    ])
    expect(decode((await ask(false)) ?? Buffer.alloc(12)).answers).toHaveLength(1)
  })

  /** The options of the OPT of an answer, which is its last record. */
  const optionsIn = (octets: Buffer | undefined): readonly (readonly [code: number, data: Buffer])[] => {
    const found = (decode(octets ?? Buffer.alloc(12)).additionals ?? []).at(-1) as
      | { readonly options?: readonly { readonly code: number; readonly data: Buffer }[] }
      | undefined
    return (found?.options ?? []).map((one) => [one.code, one.data])
  }
  const asking = (...options: readonly Buffer[]): Buffer =>
    wire({ name: 'home.example.test', additions: [{ ...opt(), rdata: Buffer.concat(options) }] })
  const client = Buffer.from('0102030405060708', 'hex')

  it('with a cookie of this service is not limited; without one, and with another, it is (RFC 7873 §5.2)', async () => {
    const limit = newLimit()
    const ask = async (...options: readonly Buffer[]) =>
      (await sentFor(world, asking(...options), { isDatagram: true, limit, peer: '203.0.113.1' })).sent[0]
    const [[code, cookie] = [0, Buffer.alloc(0)]] = optionsIn(await ask(ednsOption(COOKIE, client)))
    expect([code, cookie.length, cookie.subarray(0, 8)]).toEqual([COOKIE, 24, client])
    for (let n = 0; n < 30; n++) await ask()
    const other = Buffer.concat([client, Buffer.alloc(16, 1)])
    const without = [await ask(), await ask(ednsOption(COOKIE, client)), await ask(ednsOption(COOKIE, other))]
    for (const one of without) expect(one === undefined || decode(one).flag_tc).toBe(true)
    for (let n = 0; n < 30; n++) {
      const answer = await ask(ednsOption(COOKIE, cookie))
      expect(decode(answer ?? Buffer.alloc(12)).answers).toHaveLength(1)
      expect(optionsIn(answer)).toEqual([[COOKIE, cookie]])
    }
    expect(optionsIn((await sentFor(world, asking(ednsOption(COOKIE, client)))).sent[0])).toHaveLength(1)
  })

  it('with a cookie of a length that none has is FORMERR', async () => {
    const { sent } = await sentFor(world, asking(ednsOption(COOKIE, Buffer.alloc(7))))
    expect(sent.map(rcodeOf)).toEqual(['FORMERR'])
  })

  it('that asks which server answers is told, and no other one (RFC 5001)', async () => {
    const answered = async (...options: readonly Buffer[]) =>
      optionsIn((await sentFor(world, asking(...options))).sent[0])
    const both = [ednsOption(COOKIE, client), ednsOption(NSID, Buffer.alloc(0))]
    expect(await answered(ednsOption(NSID, Buffer.alloc(0)))).toEqual([[NSID, Buffer.from('ns1')]])
    expect((await answered(...both)).map(([code]) => code)).toEqual([COOKIE, NSID])
    expect(await answered()).toEqual([])
  })

  it('is answered with options within the size that it has room for', async () => {
    const many = { [ZONE]: { many: Array.from({ length: 28 }, (_, n) => `60 A 192.0.2.${n}`) } }
    const full = await storeWith(many)
    await flushed(full.store)
    for (const [size, options] of [
      [512, []],
      [512, [ednsOption(COOKIE, client)]],
    ] as const) {
      const rdata = Buffer.concat(options)
      const message = wire({ name: 'many.example.test', additions: [{ ...opt(size), rdata }] })
      const [answer = Buffer.alloc(12)] = (await sentFor(full, message, { isDatagram: true })).sent
      expect(answer.length).toBeLessThanOrEqual(size)
      expect(decode(answer).flag_tc).toBe(options.length > 0)
    }
  })

  it('of a later version of EDNS is BADVERS above the limit too, and counted by itself', async () => {
    const limit = newLimit()
    const ask = async (version: number) =>
      (
        await sentFor(world, wire({ name: ZONE, additions: [opt(1232, version)] }), {
          isDatagram: true,
          limit,
          peer: '203.0.113.1',
        })
      ).sent[0]
    for (let n = 0; n < 21; n++) await ask(1)
    const slipped = decode((await ask(1)) ?? Buffer.alloc(12))
    const [edns] = slipped.additionals ?? []
    expect([slipped.flag_tc, slipped.answers, edns?.type]).toEqual([true, [], 'OPT'])
    // RFC 6891 §6.1.3: BADVERS is 16, whose upper eight bits are 1.
    expect(edns).toMatchObject({ extendedRcode: 1 })
    expect(decode((await ask(0)) ?? Buffer.alloc(12)).flag_tc).toBe(false)
  })

  it('is limited for names that are invented in a zone', async () => {
    const limit = newLimit()
    const ask = async (name: string) =>
      (await sentFor(world, wire({ name }), { isDatagram: true, limit, peer: '203.0.113.1' })).sent
    for (let n = 0; n < 20; n++) expect(await ask(`n${n}.other.test`)).toHaveLength(1)
    expect(await ask('new.other.test')).toEqual([])
    expect(await ask('new.example.test')).toHaveLength(1)
  })
})

describe('a signature with a fault', () => {
  it('of form is answered FORMERR, and is not checked', async () => {
    const { message } = signTsig(wire({ type: AXFR }), KEY, { now: SECONDS })
    const { sent, fetches } = await sentFor(world, Buffer.concat([message, Buffer.from([0])]))
    expect([sent.map(rcodeOf), sent[0]?.length, fetches]).toEqual([['FORMERR'], 12, []])
  })

  // biome-ignore format: a table
  it.each<[string, TsigKey, number, number]>([
    ['an unknown key',     key('who'),                                                  0,    17],
    ['another algorithm',  key('ns1-key', { algorithm: 'hmac-sha512' }),                0,    17],
    ['a wrong secret',     key('ns1-key', { secret: new Secret('AAAA') }),              0,    16],
    ['a wrong secret, and a clock that is off', key('ns1-key', { secret: new Secret('AAAA') }), 900, 16],
  ])('of %s is answered NOTAUTH and unsigned', async (_, by, skew, error) => {
    const { sent, fetches } = await sentFor(world, wire({ type: AXFR }), { key: by, skew })
    const tsig = tsigOf(sent[0] ?? Buffer.alloc(0))
    expect([sent.map(rcodeOf), tsig?.error, tsig?.mac.length, tsig?.keyName]).toEqual([['NOTAUTH'], error, 0, by.name])
    expect([recordsIn(sent), fetches]).toEqual([[], []])
  })

  it.each([-301, 301, 900])(
    'of a clock that is %i s off is answered BADTIME, signed, with our time',
    async (skew) => {
      const { sent, mac } = await sentFor(world, wire({ type: AXFR }), { key: KEY, skew })
      const [answer = Buffer.alloc(0)] = sent
      const tsig = tsigOf(answer)
      expect([rcodeOf(answer), tsig?.error, tsig?.time]).toEqual(['NOTAUTH', 18, SECONDS + skew])
      expect(Buffer.from(tsig?.other ?? []).readUIntBE(0, 6)).toBe(SECONDS)
      if (tsig === undefined || mac === undefined) throw new Error('not signed')
      expect(verifyTsig(answer, tsig, { keys: [KEY], now: SECONDS + skew, previous: mac }).kind).toBe('valid')
    },
  )

  it.each([-300, 300])('is none with a clock that is %i s off', async (skew) =>
    expect((await sentFor(world, wire({ type: SOA }), { key: KEY, skew })).sent.map(rcodeOf)).toEqual([
      'NOERROR',
    ]),
  )
})

describe('a request of a secondary', () => {
  // biome-ignore format: a table
  it.each<[string, Wire, Call, string]>([
    ['an AXFR from another address',        { type: AXFR },                              { peer: '192.0.2.11' },                       'REFUSED'],
    ['an AXFR with the key of another',     { type: AXFR },                              { key: OTHER },                               'REFUSED'],
    ['a SOA from another address',          { type: SOA },                               { peer: '192.0.2.11' },                       'REFUSED'],
    ['an AXFR by UDP',                      { type: AXFR },                              { isDatagram: true },                         'FORMERR'],
    ['an IXFR without a serial',            { type: IXFR },                              {},                                           'FORMERR'],
    ['another question',                    { type: A },                                 {},                                           'REFUSED'],
    ['a NOTIFY',                            { type: SOA, flags: OPCODES.NOTIFY << 11 },  {},                                           'NOTIMP'],
    ['of the class CH',                     { type: SOA, class: 3 },                     {},                                           'REFUSED'],
    ['an AXFR of an unknown zone',          { type: AXFR, name: 'else.test' },           {},                                           'NOTAUTH'],
    ['an AXFR of a name in a zone',         { type: AXFR, name: 'home.example.test' },   {},                                           'NOTAUTH'],
    ['an AXFR of the root',                 { type: AXFR, name: '' },                    {},                                           'NOTAUTH'],
  ])('%s is answered, signed', async (_, message, call, is) => {
    const { sent, fetches, mac } = await sentFor(world, wire(message), { key: KEY, ...call })
    expect(sent.map(rcodeOf)).toEqual([is])
    expect(areSigned(sent, mac, call.key ?? KEY)).toBe(true)
    expect([sent[0]?.readUInt16BE(6), fetches]).toEqual([0, []])
  })

  it('for the SOA has that, also by UDP, and is no fetch', async () => {
    for (const isDatagram of [false, true]) {
      const { sent, fetches, mac } = await sentFor(world, wire({ type: SOA }), { key: KEY, isDatagram })
      expect([recordsIn(sent), fetches, areSigned(sent, mac)]).toEqual([[`${ZONE} SOA ${serial}`], [], true])
      expect((sent[0]?.readUInt16BE(2) ?? 0) & FLAGS.AA).toBe(FLAGS.AA)
    }
  })

  it('for the zone has all of it between two SOA, in the order of owners', async () => {
    const { sent, fetches, mac } = await sentFor(world, wire({ type: AXFR, name: 'Example.TEST' }), {
      key: KEY,
    })
    expect(recordsIn(sent)).toEqual([
      `${ZONE} SOA ${serial}`,
      `${ZONE} 86400 NS ns1.operator.test`,
      `${ZONE} 86400 NS ns2.operator.test`,
      `*.${ZONE} 60 TXT hi`,
      `home.${ZONE} 300 A 192.0.2.1`,
      `${ZONE} SOA ${serial}`,
    ])
    expect(areSigned(sent, mac)).toBe(true)
    expect(
      fetches.map(({ secondary, zone, apex, newer }) => [secondary.name, zone.serial, apex, newer]),
    ).toEqual([['ns1', serial, ZONE, undefined]])
  })

  it('by the other secondary is signed with its own key', async () => {
    const { sent, mac } = await sentFor(world, wire({ type: AXFR }), { key: OTHER, peer: '192.0.2.20' })
    expect(recordsIn(sent)).toHaveLength(6)
    expect(areSigned(sent, mac, OTHER)).toBe(true)
  })

  it('for the catalog has that under the name of the setting', async () => {
    const { sent, fetches } = await sentFor(world, wire({ type: AXFR, name: SETTINGS.catalog }), { key: KEY })
    const rows = recordsIn(sent)
    expect(rows[0]).toBe(`catalog.test SOA ${await world.serial('')}`)
    expect(rows).toContain('catalog.test 0 NS invalid')
    expect(rows).toContain('version.catalog.test 0 TXT 2')
    expect(rows.filter((row) => /^\w{32}\.zones\.catalog\.test 0 PTR /.test(row))).toHaveLength(2)
    expect(fetches.map(({ apex, zone }) => [apex, zone.id])).toEqual([['catalog.test', 0]])
  })
})
