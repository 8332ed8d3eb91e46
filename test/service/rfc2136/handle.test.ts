import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { after, minutes } from '../../../src/shared/base/time.ts'
import { encodeName } from '../../../src/shared/dns/name.ts'
import { CLASSES, RCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import {
  encodeUpdate,
  nameIsInUse,
  recordAddition,
  recordExists,
  rrsetDeletion,
  rrsetIsAbsent,
  type UpdateRecord,
} from '../../../src/shared/dns/update.ts'
import { type DnsType, rdataOf, type WireType } from '../../../src/service/model/rdata/types.ts'
import { StoreAway, StoreBusy } from '../../../src/service/store/errors.ts'
import { withFudge } from './fudge.ts'
import { keyOf, NOW, updateWorld } from './world.ts'

type World = Awaited<ReturnType<typeof updateWorld>>
let world: World
beforeAll(async () => void (world = await updateWorld()))
afterAll(async () => world.close())

const ZONE = 'example.test'
const { A, AAAA, ANY, CNAME, MX, NS, SOA, TXT } = RR_TYPES
const fqdn = (name: string, zone = ZONE): string => (name === '@' ? zone : `${name}.${zone}`)
const rdata = (type: WireType, value: string): Uint8Array => rdataOf(type, value)
const add = (name: string, type: WireType, value: string, ttl = 300): UpdateRecord =>
  recordAddition({ name: fqdn(name), type: RR_TYPES[type], ttl, rdata: rdata(type, value) })
const gone = (name: string, type: WireType, value: string): UpdateRecord => ({
  ...add(name, type, value, 0),
  class: CLASSES.NONE,
})
const setGone = (name: string, type: number): UpdateRecord => rrsetDeletion(fqdn(name), type)
const raw = (name: string, over: Partial<UpdateRecord>): UpdateRecord => ({
  name: fqdn(name),
  type: A,
  class: CLASSES.IN,
  ttl: 0,
  rdata: new Uint8Array(),
  ...over,
})
const soa = (serial: number): Uint8Array => {
  const numbers = Buffer.alloc(20)
  numbers.writeUInt32BE(serial, 0)
  return Buffer.concat([encodeName('ns1.operator.test'), encodeName('hostmaster.example.test'), numbers])
}
/** What is stored of a type: TTL, and labels with values. */
async function stored(name: string, type: DnsType, zone = ZONE) {
  const found = await world.store.read(async (r) => r.nameAt((await r.zoneNamed(zone))?.id ?? 0, name))
  const rrset = found?.rrsets.find(({ dnsType }) => dnsType === type)
  return rrset && [rrset.ttl, ...rrset.rdata.map(({ label, value }) => `${label} ${value}`)]
}
const nameOf = (rcode: number | undefined): string | undefined =>
  Object.entries(RCODES).find(([, one]) => one === rcode)?.[0]
const rcodeOf = async (...message: Parameters<World['update']>) =>
  nameOf((await world.update(...message)).rcode)

describe('changes', () => {
  it('are those of the message, all of them or none', async () => {
    const made = [add('n1', 'A', '192.0.2.1'), add('n1', 'TXT', '"a"'), add('n1', 'A', '192.0.2.2', 90)]
    expect(await rcodeOf(ZONE, [], made)).toBe('NOERROR')
    // RFC 2181 §5.2: one TTL for all records, the last one of the message.
    expect(await stored('n1', 'A')).toEqual([90, '_1 192.0.2.1', '_2 192.0.2.2'])
    const refused = [add('n1', 'A', '192.0.2.3'), add('locked', 'A', '192.0.2.3')]
    expect(await rcodeOf(ZONE, [], refused)).toBe('REFUSED')
    expect(await stored('n1', 'A')).toEqual([90, '_1 192.0.2.1', '_2 192.0.2.2'])
  })

  it('replace and delete values, types and whole names', async () => {
    await rcodeOf(
      ZONE,
      [],
      [add('n2', 'A', '192.0.2.1'), add('n2', 'A', '192.0.2.2'), add('n2', 'TXT', '"a"')],
    )
    expect(await rcodeOf(ZONE, [], [gone('n2', 'A', '192.0.2.1'), gone('n2', 'A', '192.0.2.99')])).toBe(
      'NOERROR',
    )
    expect(await stored('n2', 'A')).toEqual([300, '_2 192.0.2.2'])
    expect(await rcodeOf(ZONE, [], [setGone('n2', A), add('n2', 'A', '192.0.2.5')])).toBe('NOERROR')
    // A value in the place of another one has its label.
    expect(await stored('n2', 'A')).toEqual([300, '_2 192.0.2.5'])
    expect(await rcodeOf(ZONE, [], [setGone('n2', ANY)])).toBe('NOERROR')
    expect([await stored('n2', 'A'), await stored('n2', 'TXT')]).toEqual([undefined, undefined])
  })

  it('keep the right of a DDNS key to a record', async () => {
    expect(
      await rcodeOf(
        ZONE,
        [],
        [setGone('parts', A), add('parts', 'A', '192.0.2.50'), add('parts', 'A', '192.0.2.6')],
      ),
    ).toBe('NOERROR')
    const name = await world.store.read(async (r) => r.nameAt(world.ids[ZONE] ?? 0, 'parts'))
    expect(name?.rrsets[0]?.rdata).toMatchObject([
      { label: 'p', value: '192.0.2.50', updateGroup: 'kkk1111' },
      { label: 'q', value: '192.0.2.6' },
    ])
  })

  it('of a name that has a CNAME are ignored, and a CNAME where others are', async () => {
    expect(
      await rcodeOf(ZONE, [], [add('alias', 'A', '192.0.2.1'), add('free', 'CNAME', 'x.example.test.')]),
    ).toBe('NOERROR')
    expect([await stored('alias', 'A'), await stored('free', 'CNAME')]).toEqual([undefined, undefined])
    expect(await rcodeOf(ZONE, [], [setGone('alias', CNAME), add('alias', 'A', '192.0.2.1')])).toBe('NOERROR')
    expect(await stored('alias', 'A')).toEqual([300, '_1 192.0.2.1'])
  })

  it('leave the SOA and the name servers of the zone', async () => {
    const before = await stored('@', 'NS')
    expect(before).toHaveLength(3)
    const all = [
      setGone('@', NS),
      setGone('@', SOA),
      setGone('@', ANY),
      raw('@', { type: SOA, rdata: soa(0) }),
    ]
    expect(await rcodeOf(ZONE, [], all)).toBe('NOERROR')
    expect(await stored('@', 'NS')).toEqual(before)
    expect(await rcodeOf(ZONE, [], [add('@', 'NS', 'ns9.other.test.')])).toBe('REFUSED')
    const { serial = 0 } = (await world.store.read(async (r) => r.publishedZone(ZONE))) ?? {}
    expect(await rcodeOf(ZONE, [], [raw('@', { type: SOA, rdata: soa(serial + 5) })])).toBe('REFUSED')
  })

  // biome-ignore format: a table
  it.each<[string, string, UpdateRecord[], string]>([
    ['nothing',                       ZONE,          [],                                                    'NOERROR'],
    ['a zone that is none',           'none.test',   [],                                                    'NOTAUTH'],
    ['a name, not a zone',            'home.example.test', [],                                              'NOTAUTH'],
    ['a zone of another account',     'b.test',      [],                                                    'REFUSED'],
    ['a locked zone',                 'frozen.test', [],                                                    'REFUSED'],
    ['a zone of the website alone',   'web.test',    [],                                                    'REFUSED'],
    ['a name outside the zone',       ZONE,          [raw('x', { name: 'x.b.test', ttl: 60, rdata: rdata('A', '192.0.2.1') })], 'NOTZONE'],
    ['a name that begins like it',    ZONE,          [raw('x', { name: 'xexample.test' })],                 'NOTZONE'],
    ['a locked name',                 ZONE,          [setGone('locked', A)],                                'REFUSED'],
    ['a locked name, unchanged',      ZONE,          [add('locked', 'A', '192.0.2.8', 60)],                 'REFUSED'],
    ['a type that is unknown',        ZONE,          [raw('t', { type: 99, rdata: new Uint8Array([1]) })],  'REFUSED'],
    ['no records of such a type',     ZONE,          [setGone('free', 99)],                                 'NOERROR'],
    ['a malformed address',           ZONE,          [raw('t', { rdata: new Uint8Array(3) })],              'FORMERR'],
    ['a malformed value to delete',   ZONE,          [raw('t', { class: CLASSES.NONE, rdata: new Uint8Array(3) })], 'FORMERR'],
    ['no type in particular',         ZONE,          [raw('t', { type: ANY })],                             'FORMERR'],
    ['a deletion with a TTL',         ZONE,          [raw('t', { class: CLASSES.ANY, ttl: 1 })],            'FORMERR'],
    ['a deletion with a value',       ZONE,          [raw('t', { class: CLASSES.ANY, rdata: new Uint8Array(4) })], 'FORMERR'],
    ['a value to delete with a TTL',  ZONE,          [raw('t', { class: CLASSES.NONE, ttl: 1, rdata: new Uint8Array(4) })], 'FORMERR'],
    ['a record of type 0 to delete',  ZONE,          [raw('t', { class: CLASSES.NONE, type: 0, rdata: new Uint8Array(4) })], 'FORMERR'],
    ['the class CH',                  ZONE,          [raw('t', { class: CLASSES.CH })],                     'FORMERR'],
    ['a transfer',                    ZONE,          [raw('t', { class: CLASSES.ANY, type: RR_TYPES.AXFR })], 'FORMERR'],
    ['a name with a blank',           ZONE,          [raw('t', { name: `a\\032b.${ZONE}`, rdata: rdata('A', '192.0.2.1') })], 'REFUSED'],
    ['a CAA without a tag, where it is ignored', ZONE, [raw('alias2', { type: CNAME, rdata: rdata('CNAME', 'x.example.test.') }), raw('alias2', { type: RR_TYPES.CAA, rdata: new Uint8Array(3) })], 'FORMERR'],
    ['an MX without a host',          ZONE,          [raw('t', { type: MX, rdata: new Uint8Array([0, 1]) })], 'FORMERR'],
  ])('%s is answered', async (_, zone, updates, rcode) => expect(await rcodeOf(zone, [], updates)).toBe(rcode))

  it('obey quotas, and tell the title of the error where the client knows EDNS', async () => {
    const many = Array.from({ length: 60 }, (_, n) => add(`q${n}`, 'A', '192.0.2.1'))
    expect(await world.update(ZONE, [], many, { edns: true })).toMatchObject({
      rcode: RCODES.REFUSED,
      isSigned: true,
      because: expect.stringMatching(/limit/) as string,
    })
    expect(await world.update(ZONE, [], many)).toMatchObject({ rcode: RCODES.REFUSED, because: undefined })
    expect(await world.update(ZONE, [], [], { edns: true })).toMatchObject({ rcode: 0, because: undefined })
  })

  it('of another version of EDNS are not read (RFC 6891 §6.1.3)', async () => {
    const sent = { edns: 'version 1' } as const
    expect(await world.update(ZONE, [], [add('versioned', 'A', '192.0.2.1')], sent)).toMatchObject({
      isSigned: true,
      because: expect.stringContaining('version 0 of EDNS') as string,
    })
    expect((await world.ask('GET', '/v1/dns/records/example.test/versioned')).status).toBe(404)
  })

  it('have the TTL that is allowed next to that of the message', async () => {
    await rcodeOf(ZONE, [], [add('ttl', 'A', '192.0.2.1', 5), add('ttl', 'TXT', '"a"', 2_000_000)])
    expect([(await stored('ttl', 'A'))?.[0], (await stored('ttl', 'TXT'))?.[0]]).toEqual([60, 604_800])
    const fixed = { ...add('mine', 'TXT', '"a"', 5), name: 'mine.dyn.test' }
    expect(await rcodeOf('dyn.test', [], [fixed])).toBe('NOERROR')
    expect(await stored('mine', 'TXT', 'dyn.test')).toEqual([60, '_1 "a"'])
  })

  it('have a TTL of 0 where its highest bit is set', async () => {
    expect(await rcodeOf(ZONE, [], [add('high', 'A', '192.0.2.1', 2 ** 31)])).toBe('NOERROR')
    expect((await stored('high', 'A'))?.[0]).toBe(60)
  })

  it('are not those of names of other accounts', async () => {
    const at = (name: string) => [{ ...add('x', 'A', '192.0.2.1'), name: `${name}.dyn.test` }]
    expect([await rcodeOf('dyn.test', [], at('bob')), await rcodeOf('dyn.test', [], at('own'))]).toEqual([
      'REFUSED',
      'NOERROR',
    ])
  })

  it('are published before the answer, and noted', async () => {
    const [before, seen] = [world.audited.length, world.published.length]
    await rcodeOf(ZONE, [], [add('noted', 'A', '192.0.2.1'), add('noted2', 'A', '192.0.2.1')])
    expect(world.published.slice(seen)).toEqual([['noted', 'noted2']])
    expect(world.audited.slice(before)).toEqual([
      {
        kind: 'changed',
        operation: 'UPDATE',
        account: 'a',
        apiKey: undefined,
        tsigKey: 'key-a',
        subject: 'example.test noted noted2',
        peer: '198.51.100.1',
      },
    ])
    await rcodeOf(ZONE, [], [add('noted', 'A', '192.0.2.1')])
    expect([world.audited.length, world.published.length]).toEqual([before + 1, seen + 1])
  })
})

describe('prerequisites', () => {
  const value = (name: string, type: WireType, text: string): UpdateRecord =>
    recordExists(fqdn(name), RR_TYPES[type], rdata(type, text))
  const isThere = (name: string, type: number): UpdateRecord => raw(name, { type, class: CLASSES.ANY })
  const isUnused = (name: string): UpdateRecord => raw(name, { type: ANY, class: CLASSES.NONE })

  // biome-ignore format: a table
  it.each<[string, UpdateRecord[], string]>([
    ['a name in use',                     [nameIsInUse(fqdn('home'))],                       'NOERROR'],
    ['a name that is not',                [nameIsInUse(fqdn('none'))],                       'NXDOMAIN'],
    ['a name without records',            [nameIsInUse(fqdn('empty'))],                      'NXDOMAIN'],
    ['no such name',                      [isUnused('none')],                                'NOERROR'],
    ['no such name, but it is there',     [isUnused('home')],                                'YXDOMAIN'],
    ['an RRset',                          [isThere('home', A)],                              'NOERROR'],
    ['an RRset that is missing',          [isThere('home', AAAA)],                           'NXRRSET'],
    ['no RRset',                          [rrsetIsAbsent(fqdn('home'), AAAA)],               'NOERROR'],
    ['no RRset, but it is there',         [rrsetIsAbsent(fqdn('home'), A)],                  'YXRRSET'],
    ['a value',                           [value('home', 'A', '192.0.2.1')],                 'NOERROR'],
    ['another value',                     [value('home', 'A', '192.0.2.2')],                 'NXRRSET'],
    ['one value of two',                  [value('two', 'A', '192.0.2.1')],                  'NXRRSET'],
    ['two values of two',                 [value('two', 'A', '192.0.2.2'), value('two', 'A', '192.0.2.1')], 'NOERROR'],
    ['two values of one',                 [value('home', 'A', '192.0.2.1'), value('home', 'A', '192.0.2.2')], 'NXRRSET'],
    ['a value of a name server',          [value('@', 'NS', 'ns1.operator.test.')],          'NXRRSET'],
    ['the SOA',                           [isThere('@', SOA)],                               'NOERROR'],
    ['an SOA of another serial',          [raw('@', { type: SOA, rdata: soa(1) })],          'NXRRSET'],
    ['a malformed value',                 [raw('home', { rdata: new Uint8Array(3) })],       'FORMERR'],
    ['a TTL',                             [{ ...isThere('home', A), ttl: 1 }],               'FORMERR'],
    ['a value where none belongs',        [{ ...isThere('home', A), rdata: new Uint8Array(4) }], 'FORMERR'],
    ['a value of type 0',                 [raw('home', { type: 0, rdata: new Uint8Array(1) })], 'FORMERR'],
    ['the class CH',                      [raw('home', { class: CLASSES.CH })],              'FORMERR'],
    ['a name outside the zone',           [{ ...isThere('home', A), name: 'home.b.test' }],  'NOTZONE'],
    ['an unknown type with a value',      [raw('home', { type: 99, rdata: new Uint8Array([1]) })], 'NXRRSET'],
  ])('%s is answered', async (_, prerequisites, rcode) => {
    await world.update(ZONE, [], [add('two', 'A', '192.0.2.1'), add('two', 'A', '192.0.2.2')])
    const mark = `"${rcode}"`
    expect(await rcodeOf(ZONE, prerequisites, [setGone('marked', TXT), add('marked', 'TXT', mark)])).toBe(rcode)
    const changed = await stored('marked', 'TXT')
    expect(changed?.some((one) => String(one).includes(mark)) === true).toBe(rcode === 'NOERROR')
  })

  it('are judged on what is published: an offline name, an ALIAS', async () => {
    await world.ask('POST', `/v1/dns/records/${ZONE}`, {
      name: 'al',
      rrsets: [{ dns_type: 'ALIAS', rdata: [{ value: 'home.example.test' }] }],
    })
    expect(await rcodeOf(ZONE, [value('al', 'A', '192.0.2.1')], [])).toBe('NOERROR')
    expect(await rcodeOf(ZONE, [], [setGone('al', A)])).toBe('REFUSED')
    expect(await rcodeOf(ZONE, [], [add('al', 'A', '192.0.2.1')])).toBe('REFUSED')
    expect(await rcodeOf(ZONE, [], [setGone('al', ANY)])).toBe('NOERROR')
    expect(await rcodeOf(ZONE, [isUnused('al')], [])).toBe('NOERROR')
  })
})

describe('a message that cannot be applied now', () => {
  const failing = (error: Error, method: 'read' | 'write') => {
    const reported: unknown[] = []
    let reads = 0
    // The key is found.
    const fails = async (use: never): Promise<unknown> => {
      if (method === 'read' && reads++ === 0) return world.store.read(use)
      throw error
    }
    const read = async (use: never) => world.store.read(use)
    const store = { ...world.store, read, [method]: fails } as unknown as typeof world.store
    return { reported, context: { store, reportError: (one: unknown) => void reported.push(one) } }
  }
  const send = async (context: object) =>
    world.update(ZONE, [], [add('later', 'A', '192.0.2.1')], { edns: true, context })

  it.each([
    ['the database is away', new StoreAway(), 'write', 'the database is away or busy'],
    ['a row is locked', new StoreBusy(), 'write', 'the database is away or busy'],
    ['it cannot be read', new StoreAway(), 'read', 'the database is away or busy'],
    ['the service has a fault', new Error('x'), 'write', 'internal error'],
  ] as const)('%s: SERVFAIL, signed, and reported', async (_, error, method, because) => {
    const { reported, context } = failing(error, method)
    expect(await send(context)).toEqual({ rcode: RCODES.SERVFAIL, tsig: 0, isSigned: true, because })
    expect(reported).toEqual([error])
  })

  it('an update of too many RRsets: REFUSED, and why', async () => {
    const changes = Array.from({ length: 501 }, (_, n) => add(`many${n}`, 'A', '192.0.2.1'))
    const because = 'the message changes 501 RRsets; one may change 500'
    expect(await world.update(ZONE, [], changes, { edns: true })).toMatchObject({
      rcode: RCODES.REFUSED,
      because,
    })
    expect(await world.update(ZONE, [], [add('many1', 'A', '192.0.2.1')])).toMatchObject({
      rcode: RCODES.NOERROR,
    })
  })

  it('too many changes of the account wait: SERVFAIL, signed', async () => {
    const because = 'too many changes of this account wait'
    expect(await send({ inTurn: async () => ({ retryAfter: 1 }) })).toEqual({
      rcode: RCODES.SERVFAIL,
      tsig: 0,
      isSigned: true,
      because,
    })
  })
})

describe('a signature', () => {
  const change = [add('sig', 'A', '192.0.2.1')]

  // biome-ignore format: a table
  it.each<[string, Parameters<World['update']>[3], object]>([
    ['of an unknown key',         { key: keyOf('key-none') },                       { rcode: RCODES.NOTAUTH, tsig: 17, isSigned: false }],
    ['of another algorithm',      { key: keyOf('key-a', 'hmac-sha512') },           { rcode: RCODES.NOTAUTH, tsig: 17, isSigned: false }],
    ['with a wrong octet',        { spoil: (bytes) => void bytes.writeUInt8((bytes.at(-10) ?? 0) ^ 1, bytes.length - 10) }, { rcode: RCODES.NOTAUTH, tsig: 16, isSigned: false }],
    ['of another message',        { spoil: (bytes) => void bytes.writeUInt8(9, 58) }, { rcode: RCODES.NOTAUTH, tsig: 16, isSigned: false }],
    ['that is too old',           { skew: -301 },                                   { rcode: RCODES.NOTAUTH, tsig: 18, isSigned: true }],
    ['of the future',             { skew: 301 },                                    { rcode: RCODES.NOTAUTH, tsig: 18, isSigned: true }],
    ['of a clock that is wrong by minutes', { skew: -290 },                         { rcode: RCODES.NOERROR, tsig: 0, isSigned: true }],
  ])('%s', async (_, sent, expected) => expect(await world.update(ZONE, [], change, sent)).toMatchObject(expected))

  it('is not valid for as long as its sender likes', async () => {
    await world.add('key-fudge', 'a')
    const key = keyOf('key-fudge')
    // A fudge of an hour, signed with it.
    const bytes = withFudge(encodeUpdate(7, ZONE, { prerequisites: [], updates: change }), key, {
      time: NOW / 1000 - 400,
      fudge: 3600,
    })
    world.setNow(NOW)
    const [answer] = await world.send(bytes)
    expect((answer?.[3] ?? 0) & 15).toBe(RCODES.NOTAUTH)
  })

  it('is missing: an address gives no rights', async () => {
    const [answer] = await world.send(encodeUpdate(7, ZONE, { prerequisites: [], updates: change }), {
      peer: '127.0.0.1',
    })
    expect((answer?.[3] ?? 0) & 15).toBe(RCODES.REFUSED)
  })

  it('of a key that has expired is unknown', async () => {
    await world.add('key-old', 'a', { expiresAt: after(NOW, minutes(1)) })
    const key = keyOf('key-old')
    expect(await world.update(ZONE, [], change, { key })).toMatchObject({ rcode: 0 })
    expect(
      await world.update(ZONE, [], change, { key, skew: 60, now: after(NOW, minutes(1)) }),
    ).toMatchObject({ tsig: 17 })
  })

  it('counts once: a copy of a message changes nothing, and has the same answer', async () => {
    const first = world.signed(ZONE, [], [setGone('copy', A), add('copy', 'A', '192.0.2.1')], { id: 77 })
    const refused = world.signed(ZONE, [nameIsInUse(fqdn('copy2'))], [add('copy2', 'A', '192.0.2.1')], {
      id: 78,
    })
    const rcode = async ({ message }: { message: Buffer }) => ((await world.send(message))[0]?.[3] ?? 0) & 15
    world.setNow(NOW)
    expect([await rcode(first), await rcode(refused)]).toEqual([RCODES.NOERROR, RCODES.NXDOMAIN])
    await world.update(
      ZONE,
      [],
      [setGone('copy', A), add('copy', 'A', '192.0.2.2'), add('copy2', 'A', '192.0.2.9')],
    )
    expect([await rcode(first), await rcode(refused)]).toEqual([RCODES.NOERROR, RCODES.NXDOMAIN])
    expect([await stored('copy', 'A'), await stored('copy2', 'A')]).toEqual([
      [300, '_1 192.0.2.2'],
      [300, '_1 192.0.2.9'],
    ])
  })

  it('that is wrong counts as a failed login', async () => {
    const failures = async (peer: string) =>
      (await world.store.read(async (r) => r.failuresOf(`dns ${peer}`))).buckets.length
    const wrong = { key: { ...keyOf('key-a'), secret: keyOf('key-b').secret } }
    const [known, unknown] = [
      { ...wrong, peer: '198.51.100.7' },
      { key: keyOf('key-none'), peer: '198.51.100.8' },
    ]
    await world.update(ZONE, [], [], { ...known, isDatagram: true })
    await world.update(ZONE, [], [], { ...unknown, isDatagram: true })
    expect([await failures('198.51.100.7'), await failures('198.51.100.8')]).toEqual([1, 0])
    await world.update(ZONE, [], [], unknown)
    expect(await failures('198.51.100.8')).toBe(1)
    expect(world.audited.at(-1)).toEqual({
      kind: 'loginRefused',
      endpoint: 'dns',
      peer: '198.51.100.8',
      username: undefined,
    })
  })
})

describe('a key', () => {
  // biome-ignore format: a table
  it.each<[string, readonly string[], UpdateRecord[], string]>([
    ['for one name, at it',                 ['name:sc.example.test'], [add('sc', 'A', '192.0.2.1')],         'NOERROR'],
    ['for one name, beneath it',            ['name:sc.example.test'], [add('_acme-challenge.sc', 'TXT', '"a"')], 'NOERROR'],
    ['for one name, at another one',        ['name:sc.example.test'], [add('sd', 'A', '192.0.2.1')],         'REFUSED'],
    ['for one name, at what is there',      ['name:sc.example.test'], [setGone('free', A)],                  'REFUSED'],
    ['for one name, at one that stays',     ['name:sc.example.test'], [add('free', 'A', '192.0.2.7', 60)],   'REFUSED'],
    ['for one name, with another that stays', ['name:sc.example.test'], [add('sc', 'A', '192.0.2.2'), gone('free', 'A', '192.0.2.99')], 'REFUSED'],
    ['for one name, with one that is not there', ['name:sc.example.test'], [add('sc', 'A', '192.0.2.3'), setGone('none', A)], 'REFUSED'],
    ['for one type',                        ['type:TXT'],             [add('ty', 'TXT', '"a"')],             'NOERROR'],
    ['for one type, another type',          ['type:TXT'],             [add('ty', 'A', '192.0.2.1')],         'REFUSED'],
    ['for one type, a removal of another',  ['type:TXT'],             [setGone('free', A)],                  'REFUSED'],
    ['for another zone',                    ['zone:frozen.test'],     [add('zo', 'A', '192.0.2.1')],         'REFUSED'],
    ['for reading',                         ['read'],                 [add('re', 'A', '192.0.2.1')],         'REFUSED'],
    ['for reading, without a change',       ['read'],                 [add('free', 'A', '192.0.2.7', 60)],   'REFUSED'],
    ['of a scope of a later version',       ['colour:red'],           [add('co', 'A', '192.0.2.1')],         'REFUSED'],
  ])('%s', async (_, scopes, updates, rcode) => {
    const name = `key-${Buffer.from(_).toString('hex').slice(-20)}${_.length}`
    await world.add(name, 'a', { scopes })
    expect(await rcodeOf(ZONE, [], updates, { key: keyOf(name) })).toBe(rcode)
  })

  it.each(['hmac-sha384', 'hmac-sha512'] as const)('signs with %s', async (algorithm) => {
    await world.add(`key-${algorithm}`, 'a', { algorithm })
    const key = keyOf(`key-${algorithm}`, algorithm)
    expect(await world.update(ZONE, [], [], { key })).toMatchObject({ rcode: 0, isSigned: true })
  })

  it('of a suspended account changes nothing', async () => {
    const id = world.ids['o'] ?? 0
    const change = [{ ...add('x', 'A', '192.0.2.1'), name: 'oo.dyn.test' }]
    await world.store.write(async (w) => w.changeAccount(id, { isSuspended: true }, NOW))
    expect(await rcodeOf('dyn.test', [], change, { key: keyOf('key-o') })).toBe('REFUSED')
    await world.store.write(async (w) => w.changeAccount(id, { isSuspended: false }, NOW))
    expect(await rcodeOf('dyn.test', [], change, { key: keyOf('key-o') })).toBe('NOERROR')
  })

  it('was used, exact to a minute', async () => {
    const key = await world.store.read(async (r) => r.tsigKeyNamed('key-a'))
    expect(key?.lastUsedAt).toBe(NOW)
  })
})
