import { describe, expect, it } from 'vitest'
import { type Duration, milliseconds, minutes } from '../../../src/shared/base/time.ts'
import { askServer } from '../../../src/client/verify/verify.ts'
import type { VerifyContext } from '../../../src/client/verify/ports.ts'
import { encodeName } from '../../../src/shared/dns/name.ts'
import { FLAGS, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { steadyClock, systemEntropy } from '../../../src/shared/platform/clock/clock.ts'
import { askByDatagram } from '../../../src/shared/platform/sockets/datagram.ts'
import { askByStream } from '../../../src/shared/platform/sockets/stream.ts'
import { address } from '../../fakes/address.ts'
import type { Given } from '../../fakes/dns-responder.ts'
import { nameServer } from '../../fakes/name-server.ts'

/** Silence on loopback is silence after a moment. */
const [MOMENT, LONG] = [milliseconds(500), minutes(10)]

const context = (timeout: Duration): VerifyContext => ({
  ports: {
    clock: steadyClock,
    entropy: systemEntropy,
    datagram: async (request, signal) => askByDatagram({ ...request, again: [], timeout }, signal),
    stream: async (request, signal) => askByStream({ ...request, timeout }, signal),
    addresses: async () => [],
    nameServers: async () => ({ ok: true, value: [] }),
  },
  signal: new AbortController().signal,
})

const HOST = 'home.example.test'
const A = (...octets: readonly number[]) => ({
  owner: encodeName(HOST),
  type: RR_TYPES.A,
  rdata: Buffer.from(octets),
})
const AAAA = {
  owner: encodeName(HOST),
  type: RR_TYPES.AAAA,
  rdata: Buffer.from(`20010db8${'0'.repeat(23)}1`, 'hex'),
}
const CNAME = { owner: encodeName(HOST), type: RR_TYPES.CNAME, rdata: encodeName('other.example.test') }
const AT_TARGET = { ...A(192, 0, 2, 7), owner: encodeName('other.example.test') }

const ask = async (
  answer: Parameters<typeof nameServer>[0],
  { family = 'v4', timeout = LONG }: { family?: 'v4' | 'v6'; timeout?: Duration } = {},
) => {
  const { port, questions } = await nameServer(answer)
  const server = { name: 'ns1', addresses: [address('127.0.0.1')], port }
  return { answer: await askServer(server, { hostname: HOST, family }, context(timeout)), questions }
}

describe('one answer of a name server', () => {
  const given = (...addresses: readonly string[]) => ({ kind: 'addresses', addresses })
  // biome-ignore format: a table
  it.each<[string, Given, object]>([
    ['one address',                    { answers: [A(192, 0, 2, 1)] },                        given('192.0.2.1')],
    ['two addresses',                  { answers: [A(192, 0, 2, 1), A(192, 0, 2, 2)] },       given('192.0.2.1', '192.0.2.2')],
    ['an address after a CNAME',       { answers: [CNAME, AT_TARGET] },                       given('192.0.2.7')],
    ['a CNAME out of the zone',        { answers: [CNAME] },                                  { kind: 'alias' }],
    ['NODATA',                         {},                                                    { kind: 'missing' }],
    ['records of another type',        { answers: [AAAA] },                                   { kind: 'missing' }],
    ['an address of another class',    { answers: [{ ...A(192, 0, 2, 1), class: 3 }] },       { kind: 'missing' }],
    ['NXDOMAIN',                       { rcode: 3 },                                          { kind: 'missing' }],
    ['an address without AA',          { flags: FLAGS.QR, answers: [A(192, 0, 2, 1)] },       { kind: 'lame' }],
    ['NXDOMAIN without AA',            { flags: FLAGS.QR, rcode: 3 },                         { kind: 'lame' }],
    ['SERVFAIL',                       { rcode: 2 },                                          { kind: 'lame' }],
    ['REFUSED',                        { rcode: 5, flags: FLAGS.QR },                         { kind: 'lame' }],
    ['REFUSED with AA',                { rcode: 5 },                                          { kind: 'lame' }],
  ])('%s', async (_, answer, expected) => {
    expect((await ask(() => answer)).answer).toEqual(expected)
  })

  it('asks for AAAA where the family is IPv6', async () => {
    const { answer, questions } = await ask(() => ({ answers: [AAAA] }), { family: 'v6' })
    expect(answer).toEqual(given('2001:db8::1'))
    expect(questions).toEqual([{ name: HOST, type: RR_TYPES.AAAA, isDatagram: true }])
  })

  it('asks by TCP where the answer is truncated', async () => {
    const { answer, questions } = await ask(({ isDatagram }) =>
      isDatagram ? { flags: FLAGS.QR | FLAGS.AA | FLAGS.TC } : { answers: [A(192, 0, 2, 1)] },
    )
    expect(answer).toEqual(given('192.0.2.1'))
    expect(questions.map(({ isDatagram }) => isDatagram)).toEqual([true, false])
  })
})

describe('a server without an answer is silent', () => {
  const silent = async (answer: Parameters<typeof nameServer>[0]) =>
    expect((await ask(answer, { timeout: MOMENT })).answer).toEqual({ kind: 'silent' })

  it.each<[string, Parameters<typeof nameServer>[0]]>([
    ['no datagram comes', () => undefined],
    ['an answer to another question comes', () => ({ raw: Buffer.from('not DNS at all, but text') })],
    ['the question itself comes back', () => ({ flags: 0 })],
    ['by TCP the answer is truncated too', () => ({ flags: FLAGS.QR | FLAGS.AA | FLAGS.TC })],
    [
      'by TCP nothing comes',
      ({ isDatagram }) => (isDatagram ? { flags: FLAGS.QR | FLAGS.AA | FLAGS.TC } : undefined),
    ],
  ])('%s', async (_, answer) => silent(answer))

  it('the port is closed', async () => {
    const server = { name: 'ns1', addresses: [address('127.0.0.1')], port: 1 }
    expect(await askServer(server, { hostname: HOST, family: 'v4' }, context(LONG))).toEqual({
      kind: 'silent',
    })
  })
})

it('asks the second address of a server whose first one does not answer', async () => {
  const { port } = await nameServer(() => ({ answers: [A(192, 0, 2, 1)] }))
  const server = { name: 'ns1', addresses: [address('127.0.0.99'), address('127.0.0.1')], port }
  expect(await askServer(server, { hostname: HOST, family: 'v4' }, context(LONG))).toEqual({
    kind: 'addresses',
    addresses: ['192.0.2.1'],
  })
})
