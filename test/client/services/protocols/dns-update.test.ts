import { describe, expect, it } from 'vitest'
import { after, seconds } from '../../../../src/shared/base/time.ts'
import { rfc2136 } from '../../../../src/client/services/protocols/dns-update.ts'
import {
  type DnsStep,
  isDnsStep,
  type StepOutcome,
} from '../../../../src/client/services/protocols/protocol.ts'
import { dnsExchange } from '../../../../src/client/agent/send/dns-exchange.ts'
import { MessageBuilder } from '../../../../src/shared/dns/message.ts'
import { parseRequest, parseSections } from '../../../../src/shared/dns/request.ts'
import { signTsig, type TsigKey, withTsigFault } from '../../../../src/shared/dns/tsig.ts'
import { FLAGS, OPCODES, RCODES, RR_TYPES } from '../../../../src/shared/dns/types.ts'
import { type Address, bytesOf } from '../../../../src/shared/base/address.ts'
import { Secret } from '../../../../src/shared/base/secret.ts'
import { START } from '../../../fakes/world.ts'

const KEY: TsigKey = {
  name: 'home-key',
  algorithm: 'hmac-sha256',
  secret: new Secret(Buffer.alloc(32, 9).toString('base64')),
}
const [OLD, NEW] = ['192.0.2.1', '192.0.2.7'] as unknown as readonly [Address, Address]
const NOW = Math.floor(START / 1000)
const SOA = Buffer.concat([Buffer.from('\x01n\x00\x01h\x00', 'latin1'), Buffer.alloc(20)])

interface Primary {
  /** By name: its zone, and the values of its A records. */
  readonly names: Readonly<Record<string, { readonly zone?: string; readonly addresses: readonly Address[] }>>
  /** Names are beneath a DNAME. */
  readonly isRenamed?: true
  /** RCODE of questions, and of updates. */
  readonly reads?: number
  readonly writes?: (names: number, nth: number) => number
  /** In the place of the answer to an update, and to a question. */
  readonly spoil?: (answer: Buffer, request: Uint8Array) => Buffer
  readonly spoilRead?: (answer: Buffer, request: Uint8Array) => Buffer
}

/** The answer of a primary, as RFC 1035, RFC 2136 and RFC 8945 want it. */
function answerOf({
  names,
  reads = RCODES.NOERROR,
  writes = () => 0,
  spoil = (one) => one,
  spoilRead = (one) => one,
  isRenamed,
}: Primary) {
  let nth = 0
  return (bytes: Uint8Array): Buffer => {
    const parsed = parseRequest(bytes)
    const message = Buffer.from(bytes)
    if (message.readUInt16BE(2) >> 11 === OPCODES.UPDATE) {
      const tsig = parseSections(message, 1000)?.tsig
      if (tsig === undefined) throw new Error('an update without a signature')
      const head = Buffer.from(message.subarray(0, 12))
      head.writeUInt16BE(
        FLAGS.QR | (OPCODES.UPDATE << 11) | writes(message.readUInt16BE(8) / 2, (nth += 1)),
        2,
      )
      head.fill(0, 6)
      const plain = Buffer.concat([head, message.subarray(12, message.indexOf(0, 12) + 5)])
      return spoil(signTsig(plain, KEY, { now: NOW, previous: tsig.mac }).message, bytes)
    }
    if (parsed.kind !== 'request') throw new Error('no request')
    const { id, question } = parsed.request
    const builder = new MessageBuilder({ id, flags: FLAGS.QR | FLAGS.AA, question, limit: 1000 })
    builder.setRcode(reads)
    const { zone = 'example.test', addresses = [] } = names[question.name] ?? {}
    for (const address of addresses)
      if (question.type === (address.includes(':') ? RR_TYPES.AAAA : RR_TYPES.A))
        builder.add('answer', question.name, { type: question.type, ttl: 77, rdata: bytesOf(address) })
    if (isRenamed === true) builder.add('answer', zone, { type: 39, ttl: 77, rdata: Buffer.from([0]) })
    if (question.type === RR_TYPES.SOA && zone !== '')
      builder.add('authority', zone, { type: RR_TYPES.SOA, ttl: 60, rdata: SOA })
    const { tsig } = parsed.request
    if (tsig === undefined) return builder.done()
    return spoilRead(signTsig(builder.done(), KEY, { now: NOW, previous: tsig.mac }).message, bytes)
  }
}

const HOME = 'home.example.test'

async function updated(
  primary: Primary,
  hostnames: readonly string[] = [HOME],
  {
    create = true,
    offline = false,
    v6 = undefined as Address | undefined,
    zone = undefined as string | undefined,
  } = {},
) {
  const sent: Uint8Array[] = []
  const answer = answerOf(primary)
  const request = {
    hostnames,
    addresses: { v4: NEW, ...(v6 !== undefined && { v6 }) },
    ...(offline && { offline: 'YES' as const }),
  }
  const update = { request, endpoint: 0 }
  const first = rfc2136({
    nameServer: { host: 'ns1.example.test', port: 53 },
    key: KEY,
    zone,
    ttl: undefined,
    create,
  }).begin(update) as DnsStep
  let id = 0
  const seen = await dnsExchange(
    { account: 'a', responseTimeout: seconds(1) },
    { update, first },
    {
      wall: () => START,
      newId: () => (id += 1),
      signal: new AbortController().signal,
      ask: async (_, messages) => {
        sent.push(...messages)
        return Promise.resolve(messages.map(answer).toReversed())
      },
    },
  )
  const updates = sent.filter((one) => Buffer.from(one).readUInt16BE(2) >> 11 === OPCODES.UPDATE)
  return { seen, updates }
}

const at = (addresses: readonly Address[] = [OLD]) => ({ names: { [HOME]: { addresses } } })
const word = (of: string, said?: string) => ({
  kind: 'answered',
  replies: [{ word: of, ...(said !== undefined && { said }) }],
})

describe('a DNS update', () => {
  // biome-ignore format: a table
  it.each([
    ['of another address',        at(),                                                    true,  word('good'),                           1],
    ['of a current address',      at([NEW]),                                               true,  word('nochg'),                          0],
    ['of a missing name',         at([]),                                                  true,  word('good'),                           1],
    ['of one that is not made',   at([]),                                                  false, word('nohost', 'no-record'),            0],
    ['of several addresses',      { ...at([OLD, NEW]), writes: () => RCODES.YXRRSET },      true,  word('nohost', 'several-records'),      1],
    ['that a wildcard gives',     at([OLD, NEW]),                                          true,  word('good'),                           1],
    ['of one that a wildcard gives', { ...at(), writes: (_, nth) => (nth === 1 ? RCODES.NXRRSET : 0) }, true, word('good'),          2],
    ['without a zone',            { names: { [HOME]: { zone: '', addresses: [] } } },      true,  word('nohost', 'no-zone'),              0],
    ['in a zone of others',       { names: { [HOME]: { zone: 'other.test', addresses: [] } } }, true, word('nohost', 'no-zone'),          0],
    ['that cannot be read',       { ...at(), reads: RCODES.SERVFAIL },                     true,  word('911'),                            0],
    ['that is refused',           { ...at(), writes: () => RCODES.REFUSED },               true,  word('nohost', 'not-allowed'),          1],
    ['that others change',        { ...at(), writes: () => RCODES.YXRRSET },               true,  { kind: 'notUnderstood', because: expect.stringContaining('by another client') }, 2],
    ['of a name that went away',  { ...at(), writes: () => RCODES.NXDOMAIN },              false, word('nohost', 'no-record'),            1],
    ['in no zone of the server',  { ...at(), writes: () => RCODES.NOTZONE },               true,  word('nohost', 'no-zone'),              1],
    ['that fails',                { ...at(), writes: () => RCODES.SERVFAIL },              true,  word('911'),                            1],
    ['that is not implemented',   { ...at(), writes: () => RCODES.NOTIMP },                true,  word('!donator'),                       1],
    ['with an unknown RCODE',     { ...at(), writes: () => 14 },                           true,  { kind: 'notUnderstood' },              1],
  ] as readonly (readonly [string, Primary, boolean, object, number])[])('%s', async (_, primary, create, outcome, count) => {
    const { seen, updates } = await updated(primary, [HOME], { create })
    expect(seen).toMatchObject(outcome)
    expect(updates).toHaveLength(count)
  })

  it('of many names is one message, and one for each where one of them is refused', async () => {
    const hostnames = Array.from({ length: 100 }, (_, n) => `n${n}.example.test`)
    const all = await updated({ names: {} }, hostnames)
    expect(all.updates).toHaveLength(1)
    expect(all.seen).toMatchObject({ replies: hostnames.map(() => ({ word: 'good' })) })
    const some = await updated(
      { names: {}, writes: (names) => (names > 1 ? RCODES.REFUSED : RCODES.NOERROR) },
      hostnames,
    )
    expect(some.updates).toHaveLength(101)
    expect(some.seen).toMatchObject({ replies: hostnames.map(() => ({ word: 'good' })) })
  })

  it('of two zones is a message for each', async () => {
    const other = 'home.other.test'
    const names = { [other]: { zone: 'other.test', addresses: [] } }
    const { seen, updates } = await updated({ names }, [HOME, other])
    expect(seen).toMatchObject({ replies: [{ word: 'good' }, { word: 'good' }] })
    expect(updates).toHaveLength(2)
  })

  it('confirms nothing by an answer with any octet changed', async () => {
    const { length } = signTsig(Buffer.alloc(12 + 'example.test'.length + 6), KEY, { now: NOW }).message
    const seen = await Promise.all(
      Array.from({ length }, async (_, octet) =>
        updated({
          ...at(),
          spoil: (answer) => (answer.writeUInt8(answer.readUInt8(octet) ^ 1, octet), answer),
        }),
      ),
    )
    const good = seen.flatMap(({ seen: one }, octet) =>
      one.kind === 'answered' && one.replies[0]?.word === 'good' ? [octet] : [],
    )
    expect(good).toEqual([])
  })

  // biome-ignore format: a table
  it.each([
    ['without a signature',      (answer: Buffer) => unsigned(answer, 0),                         { kind: 'notUnderstood', because: expect.stringContaining('without a signature') }],
    ['refused without one',      (answer: Buffer) => unsigned(answer, RCODES.REFUSED),            word('nohost', 'not-allowed')],
    ['with an unknown key',      (answer: Buffer, request: Uint8Array) => fault(answer, request, 'BADKEY'), word('nohost', 'not-allowed')],
    ['with a wrong signature',   (answer: Buffer, request: Uint8Array) => fault(answer, request, 'BADSIG'), word('nohost', 'not-allowed')],
    ['by another clock',         late,                                                            { kind: 'notUnderstood', because: expect.stringMatching(/clocks differ.*this host says.*the server/) }],
  ] as const)('answered %s', async (_, spoil, outcome) => {
    const { seen } = await updated({ ...at(), spoil })
    expect(seen).toMatchObject(outcome)
    expect(JSON.stringify(seen)).not.toContain(KEY.secret.reveal())
  })
})

// biome-ignore format: a table
it.each([
  ['without a signature',        (answer: Buffer) => unsigned(answer, 0),                                    { kind: 'notUnderstood' }],
  ['by another clock',           late,                                                                       { kind: 'notUnderstood', because: expect.stringContaining('clocks differ') }],
  ['without AA',                 (answer: Buffer, request: Uint8Array) => again(answer, request, FLAGS.QR),  word('nohost', 'no-zone')],
  ['of no octet',                () => Buffer.alloc(0),                                                      { kind: 'notUnderstood' }],
  ['of one octet',               () => Buffer.alloc(1),                                                      { kind: 'notUnderstood' }],
] as const)('a question answered %s', async (_, spoilRead, outcome) => {
  const { seen, updates } = await updated({ ...at([NEW]), spoilRead })
  expect(seen).toMatchObject(outcome)
  expect(updates).toEqual([])
})

// Knot answers signed questions only where its policy says so: the update says whether the key is right.
/** How many prerequisites and changes each message has. */
const countsOf = (updates: readonly Uint8Array[]) =>
  updates.map((one) => [6, 8].map((at_) => Buffer.from(one).readUInt16BE(at_)))

it('where a wildcard gave one family, both are made', async () => {
  const [OLD6, NEW6] = ['2001:db8::1', '2001:db8::7'] as unknown as readonly [Address, Address]
  const { seen, updates } = await updated(
    { ...at([NEW, OLD6]), writes: (_, nth) => (nth === 1 ? RCODES.NXRRSET : 0) },
    [HOME],
    { v6: NEW6 },
  )
  expect(seen).toMatchObject(word('good'))
  // No alias, A and AAAA as they were read, and AAAA replaced; then neither, and both.
  expect(countsOf(updates)).toEqual([
    [3, 2],
    [3, 2],
  ])
})

it('a name that is in another zone than the one that is set is left alone', async () => {
  const primary = { names: { [`x.sub.example.test`]: { zone: 'sub.example.test', addresses: [] } } }
  const { seen, updates } = await updated(primary, ['x.sub.example.test'], { zone: 'example.test' })
  expect([seen, updates]).toMatchObject([word('nohost', 'no-zone'), []])
})

it('a name beneath a DNAME is left alone', async () => {
  const { seen, updates } = await updated({ ...at([]), isRenamed: true })
  expect([seen, updates]).toMatchObject([word('nohost', 'conflicting-record'), []])
})

it.each([
  ['several addresses', [OLD, NEW], RCODES.YXRRSET, word('nohost', 'several-records')],
  ['several that a wildcard gives', [OLD, NEW], RCODES.NOERROR, word('nochg')],
  ['one address', [OLD], RCODES.NOERROR, word('good')],
] as const)('a name with %s goes offline, or says why not', async (_, addresses, rcode, outcome) => {
  const { seen, updates } = await updated({ ...at(addresses), writes: () => rcode }, [HOME], {
    offline: true,
  })
  expect(seen).toMatchObject(outcome)
  expect(updates).toHaveLength(1)
})

it('what is offline is not said of a name that others change', async () => {
  const { seen } = await updated({ ...at(), writes: () => RCODES.YXRRSET }, [HOME], { offline: true })
  expect(seen).toMatchObject({
    kind: 'notUnderstood',
    because: expect.stringContaining('by another client') as string,
  })
})

it('a key that is right at one zone is not wrong at another one', async () => {
  const other = 'home.other.test'
  const names = { [other]: { zone: 'other.test', addresses: [] } }
  for (const hostnames of [
    [HOME, other],
    [other, HOME],
  ]) {
    const { seen } = await updated(
      {
        names,
        spoilRead: (answer, request) => fault(answer, request, 'BADKEY'),
        spoil: (answer, request) =>
          Buffer.from(request).includes('other') ? fault(answer, request, 'BADKEY') : answer,
      },
      hostnames,
    )
    expect(seen).toMatchObject({
      replies: hostnames.map((name) =>
        name === HOME ? { word: 'good' } : { word: 'nohost', said: 'not-allowed' },
      ),
    })
  }
})

describe('where signed questions are refused', () => {
  const spoilRead = (answer: Buffer, request: Uint8Array) => fault(answer, request, 'BADKEY')
  const spoil = spoilRead
  // biome-ignore format: a table
  it.each([
    ['a change is made',                       { ...at(), spoilRead },                                      word('good'),             [2]],
    ['a current address is proven',            { ...at([NEW]), spoilRead },                                 word('nochg'),            [0]],
    ['and not after a concurrent change', { ...at([NEW]), spoilRead, writes: () => RCODES.NXRRSET },   { kind: 'notUnderstood' }, [0]],
    ['a wrong key stops',                      { ...at([NEW]), spoilRead, spoil },                          word('badauth'),          [0]],
    ['and where they are unsigned',            { ...at(), spoilRead: (answer: Buffer) => unsigned(answer, RCODES.REFUSED) }, word('good'), [2]],
  ] as const)('%s', async (_, primary, outcome, changes) => {
    const { seen, updates } = await updated(primary)
    expect(seen).toMatchObject(outcome)
    expect(updates.map((one) => Buffer.from(one).readUInt16BE(8))).toEqual(changes)
  })
})

it.each([0, 1, 11])('an update answered with %i octets confirms nothing', async (length) => {
  const { seen } = await updated({ ...at(), spoil: (answer) => answer.subarray(0, length) })
  expect(seen).toMatchObject({ kind: 'notUnderstood' })
})

it('a time that no date has is shown as it is', async () => {
  const { seen } = await updated({ ...at(), spoil: (answer, request) => late(answer, request, 2 ** 48 - 1) })
  expect(seen).toMatchObject({ because: expect.stringContaining(`${2 ** 48 - 1} s`) as string })
})

/** The same answer with other flags, signed. */
function again(answer: Buffer, request: Uint8Array, flags: number): Buffer {
  const plain = unsigned(answer, 0)
  plain.writeUInt16BE(flags, 2)
  return signTsig(plain, KEY, { now: NOW, previous: tsigOf(request).mac }).message
}

function unsigned(answer: Buffer, rcode: number): Buffer {
  const plain = Buffer.from(answer.subarray(0, parseSections(answer, 10)?.tsig?.start))
  plain.writeUInt16BE(plain.readUInt16BE(2) | rcode, 2)
  plain.writeUInt16BE(0, 10)
  return plain
}

const fault = (answer: Buffer, request: Uint8Array, kind: 'BADKEY' | 'BADSIG'): Buffer =>
  withTsigFault(unsigned(answer, RCODES.NOTAUTH), tsigOf(request), kind)

/** RFC 8945 §5.2.3. */
function late(
  answer: Buffer,
  request: Uint8Array,
  now = Math.floor(after(START, seconds(3600)) / 1000),
): Buffer {
  const tsig = tsigOf(request)
  return signTsig(unsigned(answer, RCODES.NOTAUTH), KEY, {
    now,
    previous: tsig.mac,
    fault: { kind: 'BADTIME', request: tsig },
  }).message
}

function tsigOf(request: Uint8Array) {
  const tsig = parseSections(Buffer.from(request), 1000)?.tsig
  if (tsig === undefined) throw new Error('no signature')
  return tsig
}

it('an answer to another question is not understood', () => {
  const first = rfc2136({
    nameServer: { host: 'h', port: 53 },
    key: KEY,
    zone: undefined,
    ttl: undefined,
    create: true,
  }).begin({
    request: { hostnames: [HOME], addresses: { v4: NEW } },
    endpoint: 0,
  }) as DnsStep
  let id = 7
  const { messages, read } = first.compose({ now: START, newId: () => (id += 1) })
  const wrong = messages.map((one) => {
    const answer = answerOf(at())(one)
    answer.writeUInt16BE(3, 0)
    return answer
  })
  const next = read(wrong, START) as StepOutcome
  expect(isDnsStep(next)).toBe(false)
  expect(next).toMatchObject({ kind: 'notUnderstood' })
})
