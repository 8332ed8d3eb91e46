import { decode } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { encodeName } from '../../../src/shared/dns/name.ts'
import { parseRequest } from '../../../src/shared/dns/request.ts'
import { FLAGS, RCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { answerQuestion, emptyAnswer, malformedAnswer } from '../../../src/service/publish/answer.ts'
import { RenderedAnswers } from '../../../src/service/publish/rendered-answers.ts'
import { hex, opt, wire } from '../../shared/dns/wire.ts'
import { flushed, SETTINGS } from './flushed.ts'
import { type Stored, storeWith, type World } from './zones.ts'

type TypeName = keyof typeof RR_TYPES
interface Asked {
  readonly flags?: number
  /** Undefined: without EDNS. */
  readonly size?: number | undefined
  readonly isStream?: boolean
  /** DO, with `size`. */
  readonly isDnssecOk?: boolean
}
const requestFor = (name: string, type: number, { flags = 0, size, isDnssecOk = false }: Asked = {}) => {
  const edns = size === undefined ? [] : [{ ...opt(size), ttl: isDnssecOk ? 0x8000 : 0 }]
  const parsed = parseRequest(wire({ name, type, flags, additions: edns }))
  if (parsed.kind !== 'request') throw new Error(parsed.kind)
  return parsed.request
}
/** By world: what it rendered before, perhaps for another test. */
const renderedBefore = new WeakMap<World, RenderedAnswers>()

const octetsFor = async (world: World, name: string, type: number, asked: Asked = {}): Promise<Buffer> => {
  const before = renderedBefore.get(world) ?? new RenderedAnswers()
  renderedBefore.set(world, before)
  const [anew, kept, again] = await world.store.read(async (reads) => {
    const octets = async (rendered: RenderedAnswers): Promise<Buffer> => {
      const isDatagram = asked.isStream !== true
      const request = requestFor(name, type, asked)
      return (await answerQuestion(request, { reads, soa: SETTINGS, isDatagram, reserved: 0, rendered }))
        .message
    }
    return [await octets(new RenderedAnswers()), await octets(before), await octets(before)] as const
  })
  expect([kept, again]).toEqual([anew, anew])
  return anew
}

const valueOf = (data: unknown): string => {
  if (Array.isArray(data)) return Buffer.concat(data as Buffer[]).toString()
  if (Buffer.isBuffer(data)) return data.toString('hex')
  if (typeof data !== 'object' || data === null) return String(data)
  return Object.values(data).map(valueOf).join(' ')
}
const line = (record: unknown): string => {
  const { name, type, data } = record as { name: string; type: string; data: unknown }
  return type === 'SOA' ? `${name} SOA` : `${name} ${type} ${valueOf(data)}`
}
/** As "RCODE", "aa", and records: answer, then authority after "--", then additional after "++". */
async function answer(
  world: World,
  name: string,
  type: TypeName,
  asked: Asked = {},
): Promise<readonly string[]> {
  const message = decode(await octetsFor(world, name, RR_TYPES[type], asked)) as ReturnType<typeof decode> & {
    rcode: string
  }
  const added = (message.additionals ?? []).filter((one) => one.type !== 'OPT')
  return [
    [message.rcode, ...(message.flag_aa ? ['aa'] : []), ...(message.flag_tc ? ['tc'] : [])].join(' '),
    ...(message.answers ?? []).map(line).toSorted(),
    ...(message.authorities ?? []).map((one) => `-- ${line(one)}`).toSorted(),
    ...added.map((one) => `++ ${line(one)}`).toSorted(),
  ]
}
async function worldOf(
  zones: Readonly<Record<string, Readonly<Record<string, Stored | readonly string[]>>>>,
): Promise<World> {
  const world = await storeWith(zones)
  await flushed(world.store)
  return world
}

const ZONE = 'example.test'
const NODATA = ['NOERROR aa', '-- example.test SOA']
const NXDOMAIN = ['NXDOMAIN aa', '-- example.test SOA']

describe('the zone of RFC 4592 §2.2.1', () => {
  const world = worldOf({
    'example.com': {
      '*': ['3600 TXT "this is a wildcard"', '3600 MX 10 host1.example.com.'],
      'sub.*': ['3600 TXT "this is not a wildcard"'],
      host1: ['3600 A 192.0.2.1'],
      '_ssh._tcp.host1': ['3600 SRV 0 0 22 host1.example.com.'],
      '_ssh._tcp.host2': ['3600 SRV 0 0 22 host2.example.com.'],
      subdel: ['3600 NS ns.example.com.', '3600 NS ns.example.net.'],
    },
  })
  const no = (rcode: string) => [`${rcode} aa`, '-- example.com SOA']

  // biome-ignore format: a table
  it.each<[string, TypeName, readonly string[]]>([
    ['host3.example.com',               'MX',  ['NOERROR aa', 'host3.example.com MX 10 host1.example.com']],
    ['host3.example.com',               'A',   no('NOERROR')],
    ['foo.bar.example.com',             'TXT', ['NOERROR aa', 'foo.bar.example.com TXT this is a wildcard']],
    ['host1.example.com',               'MX',  no('NOERROR')],
    ['sub.*.example.com',               'MX',  no('NOERROR')],
    ['_telnet._tcp.host1.example.com',  'SRV', no('NXDOMAIN')],
    ['host.subdel.example.com',         'A',   ['NOERROR', '-- subdel.example.com NS ns.example.com', '-- subdel.example.com NS ns.example.net']],
    ['ghost.*.example.com',             'MX',  no('NXDOMAIN')],
    ['*.example.com',                   'MX',  ['NOERROR aa', '*.example.com MX 10 host1.example.com']],
    ['sub.*.example.com',               'TXT', ['NOERROR aa', 'sub.*.example.com TXT this is not a wildcard']],
    ['_tcp.host1.example.com',          'SRV', no('NOERROR')],
    ['x.host1.example.com',             'TXT', no('NXDOMAIN')],
    ['host2.example.com',               'TXT', no('NOERROR')],
  ])('answers %s %s', async (name, type, is) => expect(await answer(await world, name, type)).toEqual(is))
})

describe('an answer', () => {
  const MANY = Array.from({ length: 40 }, (_, n) => `300 A 192.0.2.${n}`)
  const loop = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, n) => [`l${n}`, [`300 CNAME l${(n + 1) % length}.example.test.`]]),
    )
  const world = worldOf({
    [ZONE]: {
      '@': ['300 A 192.0.2.1', '300 MX 5 home.example.test.'],
      home: ['300 A 192.0.2.2', '300 A 192.0.2.3', '60 TXT "hi"'],
      'deep.in.here': ['300 A 192.0.2.4'],
      www: ['300 CNAME home.example.test.'],
      twice: ['300 CNAME www.example.test.'],
      out: ['300 CNAME far.other.test.'],
      near: ['300 CNAME far.beside.test.'],
      dead: ['300 CNAME gone.example.test.'],
      nodata: ['300 CNAME deep.in.here.example.test.'],
      self: ['300 CNAME self.example.test.'],
      ...loop(3),
      ...Object.fromEntries(
        Array.from({ length: 12 }, (_, n) => [
          `c${n}`,
          [n === 11 ? '300 A 192.0.2.9' : `300 CNAME c${n + 1}.example.test.`],
        ]),
      ),
      '*.wild': ['300 CNAME home.example.test.'],
      many: MANY,
      del: [
        '300 NS ns.del.example.test.',
        '300 NS ns.example.test.',
        '300 NS ns.other.test.',
        '300 DS 1 8 2 abcd',
      ],
      'ns.del': ['300 A 192.0.2.53', '300 AAAA 2001:db8::53', '300 TXT "no glue"'],
      ns: ['300 A 192.0.2.54'],
      todel: ['300 CNAME x.del.example.test.'],
      big: Array.from({ length: 30 }, (_, n) => `300 NS ${'n'.repeat(40)}${n}.big.example.test.`),
      fits: Array.from({ length: 8 }, (_, n) => `300 NS n${n}.fits.example.test.`),
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, n) => [`n${n}.fits`, ['300 A 192.0.2.1', '300 AAAA 2001:db8::1']]),
      ),
      child: ['300 DS 2 8 2 abcd'],
    },
    'beside.test': { far: ['300 A 192.0.2.7'] },
    'child.example.test': { '@': ['300 A 192.0.2.8'] },
  })
  const NS_DEL = [
    '-- del.example.test NS ns.del.example.test',
    '-- del.example.test NS ns.example.test',
    '-- del.example.test NS ns.other.test',
  ]
  const GLUE = [
    '++ ns.del.example.test A 192.0.2.53',
    '++ ns.del.example.test AAAA 2001:db8::53',
    '++ ns.example.test A 192.0.2.54',
  ]
  const HOME = ['home.example.test A 192.0.2.2', 'home.example.test A 192.0.2.3']
  const DEL = [...NS_DEL, ...GLUE]
  const WWW = 'www.example.test CNAME home.example.test'

  // biome-ignore format: a table
  it.each<[what: string, string, TypeName, readonly string[]]>([
    ['the records of the type',            'home.example.test',      'A',     ['NOERROR aa', ...HOME]],
    ['records of the apex',                'example.test',           'A',     ['NOERROR aa', 'example.test A 192.0.2.1']],
    ['the SOA',                            'example.test',           'SOA',   ['NOERROR aa', 'example.test SOA']],
    ['NS of the apex',                     'example.test',           'NS',    ['NOERROR aa', 'example.test NS ns1.operator.test', 'example.test NS ns2.operator.test']],
    ['no addresses beside MX',             'example.test',           'MX',    ['NOERROR aa', 'example.test MX 5 home.example.test']],
    ['no data (RFC 2308 §2.2)',            'home.example.test',      'AAAA',  NODATA],
    ['no data of the apex',                'example.test',           'AAAA',  NODATA],
    ['no such name (RFC 2308 §2.1)',       'none.example.test',      'A',     NXDOMAIN],
    ['no such name beneath one',           'x.home.example.test',    'A',     NXDOMAIN],
    ['no data of an empty non-terminal (RFC 8020 §2)', 'here.example.test', 'A', NODATA],
    ['no data of a deeper empty non-terminal', 'in.here.example.test', 'A',   NODATA],
    ['no such name beneath an empty non-terminal', 'x.here.example.test', 'A', NXDOMAIN],
    ['no such name with a common beginning', 'her.example.test',     'A',     NXDOMAIN],
    ['one RRSet for ANY (RFC 8482 §4.1)',  'home.example.test',      'ANY',   ['NOERROR aa', ...HOME]],
    ['the CNAME for ANY',                  'www.example.test',       'ANY',   ['NOERROR aa', WWW]],
    ['no data for ANY',                    'here.example.test',      'ANY',   NODATA],
    ['no such name for ANY',               'none.example.test',      'ANY',   NXDOMAIN],
    ['the CNAME itself',                   'www.example.test',       'CNAME', ['NOERROR aa', WWW]],
    ['a CNAME with its target',            'www.example.test',       'A',     ['NOERROR aa', ...HOME, WWW]],
    ['a chain of CNAME',                   'twice.example.test',     'TXT',   ['NOERROR aa', 'home.example.test TXT hi', 'twice.example.test CNAME www.example.test', WWW]],
    ['a CNAME to no data (RFC 2308 §2.2.1)', 'nodata.example.test',  'TXT',   ['NOERROR aa', 'nodata.example.test CNAME deep.in.here.example.test', '-- example.test SOA']],
    ['the RCODE of the end of a chain (RFC 2308 §2.1)', 'dead.example.test', 'A', ['NXDOMAIN aa', 'dead.example.test CNAME gone.example.test', '-- example.test SOA']],
    ['a CNAME out of the zone',            'out.example.test',       'A',     ['NOERROR aa', 'out.example.test CNAME far.other.test']],
    ['a CNAME to another zone of the service', 'near.example.test',  'A',     ['NOERROR aa', 'near.example.test CNAME far.beside.test']],
    ['a CNAME to itself',                  'self.example.test',      'A',     ['NOERROR aa', 'self.example.test CNAME self.example.test']],
    ['a loop of CNAME',                    'l0.example.test',        'A',     ['NOERROR aa', 'l0.example.test CNAME l1.example.test', 'l1.example.test CNAME l2.example.test', 'l2.example.test CNAME l0.example.test']],
    ['a wildcard of the asked name',       'any.thing.wild.example.test', 'A', ['NOERROR aa', 'any.thing.wild.example.test CNAME home.example.test', ...HOME].toSorted()],
    ['no data of a name above a wildcard', 'wild.example.test',      'A',     NODATA],
    ['a referral with glue',               'x.del.example.test',     'A',     ['NOERROR', ...DEL]],
    ['a referral at the cut',              'del.example.test',       'NS',    ['NOERROR', ...DEL]],
    ['a referral for ANY',                 'del.example.test',       'ANY',   ['NOERROR', ...DEL]],
    ['a referral for a name with glue',    'ns.del.example.test',    'A',     ['NOERROR', ...DEL]],
    ['DS at the cut (RFC 4035 §3.1.4.1)',  'del.example.test',       'DS',    ['NOERROR aa', 'del.example.test DS 1 8 2 abcd']],
    ['a referral for DS beneath the cut',  'x.del.example.test',     'DS',    ['NOERROR', ...DEL]],
    ['a CNAME and the referral of its target', 'todel.example.test', 'A',     ['NOERROR aa', 'todel.example.test CNAME x.del.example.test', ...DEL]],
    ['the zone beneath, not the cut',      'child.example.test',     'A',     ['NOERROR aa', 'child.example.test A 192.0.2.8']],
    ['no such name in the zone beneath',   'x.child.example.test',   'A',     ['NXDOMAIN aa', '-- child.example.test SOA']],
    ['DS of the zone beneath from this side', 'child.example.test',  'DS',    ['NOERROR aa', 'child.example.test DS 2 8 2 abcd']],
    ['no DS of a zone without one above',  'example.test',           'DS',    NODATA],
    ['refused for another zone',           'home.other.test',        'A',     ['REFUSED']],
    ['refused for a zone that only ends alike', 'myexample.test',    'A',     ['REFUSED']],
    ['refused for the root',               '',                       'NS',    ['REFUSED']],
  ])('is %s', async (_, name, type, is) => {
    const found = await answer(await world, name, type, { isStream: true })
    expect([found[0], ...found.slice(1).toSorted()]).toEqual([is[0], ...is.slice(1).toSorted()])
  })

  it.each([46, 47, 48, 50, 51])('has no records of the DNSSEC type %i', async (type) => {
    const message = decode(await octetsFor(await world, 'home.example.test', type))
    expect([message.answers?.length, message.authorities?.map(({ type: of }) => of)]).toEqual([0, ['SOA']])
  })

  it('leaves a chain of more than eight CNAME to the resolver', async () => {
    const rows = await answer(await world, 'c0.example.test', 'A')
    expect(rows.filter((row) => row.includes('CNAME'))).toHaveLength(9)
    expect(await answer(await world, 'c4.example.test', 'A')).toContain('c11.example.test A 192.0.2.9')
  })

  it('has the TTLs that are published, and the minimum of the SOA in a negative one', async () => {
    const ttls = async (name: string, type: TypeName) => {
      const { answers = [], authorities = [] } = decode(await octetsFor(await world, name, RR_TYPES[type]))
      return [...answers, ...authorities].map((one) => ('ttl' in one ? one.ttl : undefined))
    }
    expect(await ttls('home.example.test', 'TXT')).toEqual([60])
    expect(await ttls('none.example.test', 'A')).toEqual([60])
    expect(await ttls('example.test', 'SOA')).toEqual([3600])
  })

  it('has the letters of the question, also as owner', async () => {
    const octets = await octetsFor(await world, 'hOmE.Example.TEST', RR_TYPES.TXT)
    expect(octets.subarray(12, 31)).toEqual(encodeName('hOmE.Example.TEST'))
    expect(octets.subarray(35, 37)).toEqual(hex('c00c'))
  })

  it('is a referral with the DS if DO is set, and copies DO (RFC 3225 §3)', async () => {
    const asked = { size: 1232, isDnssecOk: true }
    expect(await answer(await world, 'x.del.example.test', 'A', asked)).toEqual([
      'NOERROR',
      '-- del.example.test DS 1 8 2 abcd',
      ...DEL.filter((row) => row.startsWith('--')).toSorted(),
      ...DEL.filter((row) => row.startsWith('++')).toSorted(),
    ])
    const flagOf = async (isDnssecOk: boolean) => {
      const { additionals } = decode(
        await octetsFor(await world, 'home.example.test', 1, { size: 1232, isDnssecOk }),
      )
      return additionals?.map((one) => 'flag_do' in one && one.flag_do)
    }
    expect([await flagOf(true), await flagOf(false)]).toEqual([[true], [false]])
  })

  it('copies RD and CD, and never sets RA', async () => {
    const octets = await octetsFor(await world, 'home.example.test', 1, {
      flags: FLAGS.RD | FLAGS.CD | 0x80 | 0x20 | FLAGS.TC,
    })
    expect(octets.readUInt16BE(2)).toBe(FLAGS.QR | FLAGS.AA | FLAGS.RD | FLAGS.CD)
  })

  // biome-ignore format: a table
  it.each<[name: string, type: TypeName, size: number | undefined, isTruncated: boolean]>([
    ['many.example.test',  'A',  undefined, true],
    ['many.example.test',  'A',  512,       true],
    ['many.example.test',  'A',  0,         true],
    ['many.example.test',  'A',  1232,      false],
    ['many.example.test',  'A',  4096,      false],
    ['home.example.test',  'A',  undefined, false],
    ['x.big.example.test', 'A',  1232,      true],
    ['x.big.example.test', 'A',  65_535,    true],
    ['x.fits.example.test', 'A', undefined, true],
    ['x.fits.example.test', 'A', 1232,      false],
  ])('for %s %s with datagrams of %s octets is truncated: %s', async (name, type, size, isTruncated) => {
    const octets = await octetsFor(await world, name, RR_TYPES[type], { size })
    const { flag_tc: tc, answers = [], authorities = [], additionals = [], questions = [] } = decode(octets)
    expect(octets.length).toBeLessThanOrEqual(Math.min(Math.max(size ?? 0, 512), 1232))
    expect(tc).toBe(isTruncated)
    expect(questions).toHaveLength(1)
    expect(additionals.filter((one) => one.type === 'OPT')).toHaveLength(size === undefined ? 0 : 1)
    if (isTruncated) expect([...answers, ...authorities, ...additionals.filter((one) => one.type !== 'OPT')]).toEqual([])
    else expect(answers.length + authorities.length).toBeGreaterThan(0)
  })

  it('is whole by a stream', async () => {
    const octets = await octetsFor(await world, 'x.big.example.test', 1, { isStream: true })
    expect([decode(octets).flag_tc, decode(octets).authorities?.length]).toEqual([false, 30])
  })
})

describe('an answer without records', () => {
  it('has the question, the RCODE, and EDNS if that was asked with it', () => {
    const plain = emptyAnswer(requestFor('home.example.test', 1, { flags: FLAGS.RD }), RCODES.REFUSED)
    expect(plain).toEqual(
      Buffer.concat([
        hex('1234 8105 0001 0000 0000 0000'),
        encodeName('home.example.test'),
        hex('0001 0001'),
      ]),
    )
    const edns = emptyAnswer(requestFor('home.example.test', 1, { size: 4096 }), RCODES.BADVERS)
    expect(edns.subarray(-11)).toEqual(hex('00 0029 04d0 01 00 0000 0000'))
  })

  it('to what is malformed is a header', () =>
    expect(malformedAnswer(0xabcd, 5)).toEqual(hex('abcd a801 0000 0000 0000 0000')))
})
