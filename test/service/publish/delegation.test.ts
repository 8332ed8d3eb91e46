import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Instant, instant } from '../../../src/shared/base/time.ts'
import { encodeName } from '../../../src/shared/dns/name.ts'
import { FLAGS, RCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { askByDatagram } from '../../../src/shared/platform/sockets/datagram.ts'
import { askByStream } from '../../../src/shared/platform/sockets/stream.ts'
import { type DelegationParts, lookAtDelegation } from '../../../src/service/publish/delegation.ts'
import { hex, soaRdata, type WireRecord } from '../../shared/dns/wire.ts'
import type { Answerer } from '../../fakes/dns-responder.ts'
import { nameServer } from '../../fakes/name-server.ts'

const NOW: Instant = instant(Date.UTC(2026, 0, 1))
const OWN = ['ns1.operator.test', 'ns2.operator.test'] as const
const ZONE = { name: 'example.test', serial: 7, nameservers: OWN }
const DS = `002A0D02 ${'AB'.repeat(32)}`

const nsRecords = (...names: readonly string[]): readonly WireRecord[] =>
  names.map((name) => ({ type: RR_TYPES.NS, rdata: encodeName(name) }))
const dsRecord: WireRecord = { type: RR_TYPES.DS, rdata: hex(DS) }

/** A parent that refers to these name servers, with or without a DS. */
const parent =
  (names: readonly string[], ds: readonly WireRecord[] = []): Answerer =>
  ({ type }) =>
    type === RR_TYPES.DS ? { answers: ds } : { flags: FLAGS.QR, authorities: nsRecords(...names) }
/** A name server of the zone. */
const child =
  (serial: number, keys = 0): Answerer =>
  ({ type }) => {
    if (type === RR_TYPES.SOA) return { answers: [{ type, rdata: soaRdata(serial) }] }
    const key = { type: RR_TYPES.DNSKEY, rdata: hex('01010D0D 00') }
    return { answers: Array.from({ length: keys }, () => key) }
  }
const lame: Answerer = () => ({ flags: FLAGS.QR, rcode: RCODES.REFUSED })

interface Scene {
  readonly parent: Answerer
  readonly servers: Readonly<Record<string, Answerer>>
  readonly over?: Partial<DelegationParts>
}

/** Each server at a loopback address of its own, all at one port. */
async function look({ parent: above, servers, over = {} }: Scene) {
  const addresses: Record<string, Address> = {}
  let port = 0
  const questions: (() => number)[] = []
  for (const [n, [name, answer]] of Object.entries({ 'a.nic.test': above, ...servers }).entries()) {
    const address = `127.0.0.${n + 1}`
    const at = await nameServer(answer, address, port)
    port = at.port
    addresses[name] = address as Address
    questions.push(() => at.questions.length)
  }
  const found = await lookAtDelegation(ZONE, {
    ports: {
      datagram: askByDatagram,
      stream: askByStream,
      nameServers: async (zone) => ({ ok: true, value: zone === 'test' ? ['a.nic.test'] : [] }),
      addresses: async (host, family) => [addresses[host] ?? []].flat().filter(() => family === 'v4'),
    },
    texts: async () => [],
    entropy: (octets) => randomBytes(octets),
    now: () => NOW,
    signal: new AbortController().signal,
    port,
    mayAsk: () => true,
    ...over,
  })
  return { ...found, asked: questions.map((count) => count()) }
}

const GOOD = { isAtParent: true, hasAddress: true, isAnswering: true, isAuthoritative: true }
const both = (answer: Answerer): Scene['servers'] => ({ [OWN[0]]: answer, [OWN[1]]: answer })

describe('a look at the delegation of a zone', () => {
  it('finds what the parent and each name server give, and asks each once', async () => {
    const found = await look({ parent: parent(OWN), servers: both(child(7)) })
    expect(found).toEqual({
      checkedAt: NOW,
      parent: { zone: 'test', nameservers: OWN, ds: [] },
      servers: OWN.map((name) => ({ name, isOwn: true, ...GOOD, serial: 7, dnskeys: 0 })),
      advice: [],
      asked: [2, 2, 2],
    })
  })

  it('finds that the parent has nothing, by NXDOMAIN and by an answer without records', async () => {
    for (const rcode of [RCODES.NXDOMAIN, RCODES.NOERROR]) {
      const { parent: above, advice } = await look({ parent: () => ({ rcode }), servers: both(child(7)) })
      expect(above).toEqual({ zone: 'test', nameservers: [], ds: [] })
      expect(advice).toEqual([
        'the parent test has no NS for example.test: set ns1.operator.test, ns2.operator.test at the registrar',
      ])
    }
  })

  it('takes the NS of a parent that has the zone too, and not those of a zone between', async () => {
    const answering: Answerer = ({ type }) =>
      type === RR_TYPES.NS ? { answers: nsRecords(...OWN) } : { answers: [] }
    expect((await look({ parent: answering, servers: {} })).parent.nameservers).toEqual(OWN)

    const between: Answerer = () => ({
      flags: FLAGS.QR,
      authorities: [{ owner: encodeName('test'), type: RR_TYPES.NS, rdata: encodeName('x.test') }],
    })
    expect((await look({ parent: between, servers: {} })).parent).toMatchObject({ nameservers: undefined })
  })

  it('names what is missing at the parent, and what it has that does not answer for the zone', async () => {
    const { servers, advice } = await look({
      parent: parent([OWN[0], 'old.other.test', 'good.other.test']),
      servers: { ...both(child(7)), 'old.other.test': lame, 'good.other.test': child(7) },
    })
    expect(servers.map(({ name, isOwn, isAtParent }) => [name, isOwn, isAtParent])).toEqual([
      [OWN[0], true, true],
      [OWN[1], true, false],
      ['good.other.test', false, true],
      ['old.other.test', false, true],
    ])
    expect(advice).toEqual([
      'the parent test has no NS ns2.operator.test for example.test: add it at the registrar',
      'the parent test has the NS old.other.test, which does not answer for example.test: remove it at the registrar',
    ])
  })

  it('names servers that are lame, old, silent or without an address', async () => {
    const late = await look({
      parent: parent(OWN),
      servers: { [OWN[0]]: lame, [OWN[1]]: child(6) },
    })
    expect(
      late.servers.map(({ isAnswering, isAuthoritative, serial }) => [isAnswering, isAuthoritative, serial]),
    ).toEqual([
      [true, false, undefined],
      [true, true, 6],
    ])
    expect(late.advice).toEqual([
      'ns1.operator.test answers, but not for example.test',
      'ns2.operator.test gives serial 6, which is older than that of the service',
    ])
    const away = await look({ parent: parent(OWN), servers: { [OWN[0]]: () => undefined } })
    expect(away.advice).toEqual([
      'ns1.operator.test does not answer at port 53',
      'ns2.operator.test has no address that can be asked',
    ])
  })

  it('compares the DS of the parent with the keys of the servers', async () => {
    const unsigned = await look({ parent: parent(OWN, [dsRecord]), servers: both(child(7)) })
    expect(unsigned.parent.ds).toEqual([`42 13 2 ${'AB'.repeat(32)}`])
    expect(unsigned.advice).toEqual([
      expect.stringMatching(/^the parent test has DS for example\.test, and .*gives no DNSKEY: resolvers/),
    ])
    const signed = await look({ parent: parent(OWN), servers: both(child(2_026_010_100, 2)) })
    expect(signed.servers.map(({ dnskeys }) => dnskeys)).toEqual([2, 2])
    expect(signed.advice).toEqual([expect.stringContaining('is signed, and the parent test has no DS')])
    expect((await look({ parent: parent(OWN, [dsRecord]), servers: both(child(9, 1)) })).advice).toEqual([])
  })

  it('asks again by TCP where an answer is truncated', async () => {
    const long: Answerer = (asked) =>
      asked.isDatagram && asked.type === RR_TYPES.DNSKEY
        ? { flags: FLAGS.QR | FLAGS.AA | FLAGS.TC }
        : child(7, 3)(asked)
    const { servers } = await look({ parent: parent(OWN, [dsRecord]), servers: both(long) })
    expect(servers.map(({ dnskeys }) => dnskeys)).toEqual([3, 3])
  })

  it('asks no address that it may not ask', async () => {
    const over = { mayAsk: (address: Address) => address !== '127.0.0.2' }
    const { asked, servers } = await look({ parent: parent(OWN), servers: both(child(7)), over })
    expect([asked, servers.map(({ isAnswering }) => isAnswering)]).toEqual([
      [2, 0, 2],
      [false, true],
    ])
  })

  it('says what it knows when its time is over, and that it knows nothing more', async () => {
    const signal = AbortSignal.timeout(300)
    let ended = 0
    signal.addEventListener('abort', () => (ended = performance.now()))
    const {
      parent: above,
      servers,
      advice,
    } = await look({
      parent: () => undefined,
      servers: { [OWN[0]]: child(7), [OWN[1]]: () => undefined },
      over: { signal },
    })
    expect(ended).toBeGreaterThan(0)
    expect(performance.now() - ended).toBeLessThan(1500)
    expect(above).toEqual({ zone: 'test', nameservers: undefined, ds: undefined })
    expect(servers).toMatchObject([
      { ...GOOD, isAtParent: undefined, serial: 7 },
      { isAtParent: undefined, isAnswering: false },
    ])
    expect(advice[0]).toBe(
      'the zone above example.test was not found, or did not answer; ask again in a minute',
    )
  })

  it('knows no parent where the resolver does not', async () => {
    const at = await nameServer(child(7))
    const found = await lookAtDelegation(ZONE, {
      ports: {
        datagram: askByDatagram,
        stream: askByStream,
        nameServers: async () => ({ ok: false, error: 'the resolver of this host does not answer' }),
        addresses: async () => [],
      },
      texts: async () => [],
      entropy: (octets) => randomBytes(octets),
      now: () => NOW,
      signal: new AbortController().signal,
      port: at.port,
      mayAsk: () => true,
    })
    expect(found.parent).toEqual({ zone: undefined, nameservers: undefined, ds: undefined })
  })
})
