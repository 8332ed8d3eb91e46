import type { Random } from '../bench/fleet-random.ts'
import { decodeMessage, MalformedOctets } from './update-decode.ts'
import { byShare, type UpdateDraw, updateDraw } from './update-draw.ts'
import { FIRST_ZONE, randomUpdate } from './update-messages.ts'
import { authenticityOf } from './update-oracle.ts'
import { FUDGE_SECONDS, type MacKey, signUpdate, type TsigFields } from './update-tsig.ts'
import { HEADER_OCTETS, messageOctets } from './update-wire.ts'

/** Signed messages of UPDATE, and what damage and forgery make of them: the same ones for the same numbers. */
export interface FuzzedUpdate {
  readonly kind: string
  readonly octets: Buffer
  /** Whether RFC 8945 takes the signature for a right one. If not, no zone may change, and the answer is not NOERROR. */
  readonly isAuthentic: boolean
}

export interface Fuzzing {
  readonly random: Random
  /** Those that the server has. */
  readonly keys: readonly MacKey[]
  /** Seconds since the epoch: the clock of the server. */
  readonly now: () => number
}

interface Fuzz {
  readonly draw: UpdateDraw
  readonly key: MacKey
  readonly now: number
  /** Messages that were sent, the newest last. */
  readonly sent: readonly Buffer[]
}

/** A message without its signature becomes octets to send. */
type Mutation = (unsigned: Buffer, fuzz: Fuzz) => Buffer

const signed: Mutation = (unsigned, { key, now }) => signUpdate(unsigned, { key, time: now })
const signedAt =
  (seconds: (draw: UpdateDraw, now: number) => number): Mutation =>
  (unsigned, { key, draw, now }) =>
    signUpdate(unsigned, { key, time: seconds(draw, now) })
const signedWrong =
  (wrong: (fuzz: Fuzz) => Partial<TsigFields>): Mutation =>
  (unsigned, fuzz) =>
    signUpdate(unsigned, { key: fuzz.key, time: fuzz.now, wrong: wrong(fuzz) })
const signedBy =
  (other: (fuzz: Fuzz) => Partial<MacKey>): Mutation =>
  (unsigned, fuzz) =>
    signUpdate(unsigned, { key: { ...fuzz.key, ...other(fuzz) }, time: fuzz.now })

interface Bits {
  readonly draw: UpdateDraw
  /** The octets that change are from here, and before the end. */
  readonly from: number
  readonly end: number
}

/** Other bits in one to eight places, none of them twice. */
function withBits(octets: Buffer, { draw, from, end }: Bits): Buffer {
  const copy = Buffer.from(octets)
  const bits = Array.from(
    { length: draw.from([1, 1, 1, 2, 8]) },
    () => 8 * from + draw.below(8 * (end - from)),
  )
  for (const bit of new Set(bits)) copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

const MAX_GARBAGE = 64
const octetsOf = (draw: UpdateDraw, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => draw.below(256)))

/** The signature as the first record, before those of its section or of others: no place for it (RFC 8945 §5.1). */
function withEarlySignature(unsigned: Buffer, fuzz: Fuzz): Buffer {
  const twice = signUpdate(signed(unsigned, fuzz), { key: fuzz.key, time: fuzz.now })
  const copy = Buffer.from(twice)
  const moved = fuzz.draw.from([1, 2])
  copy.writeUInt16BE(copy.readUInt16BE(10) - moved, 10)
  copy.writeUInt16BE(copy.readUInt16BE(8) + moved, 8)
  return copy
}

const MAX_TIME = 2 ** 48 - 1
const oneOf = (sent: readonly Buffer[], draw: UpdateDraw): Buffer | undefined => sent[draw.below(sent.length)]

// biome-ignore format: a table
const MUTATIONS: Readonly<Record<string, readonly [share: number, make: Mutation]>> = {
  'right':               [6, signed],
  'replay':              [4, (unsigned, fuzz) => oneOf(fuzz.sent, fuzz.draw) ?? signed(unsigned, fuzz)],
  'right at the limit':  [1, signedAt(({ from }, now) => now + from([-FUDGE_SECONDS, FUDGE_SECONDS]))],
  'too old':             [2, signedAt(({ from, below }, now) => from([0, 1, now - FUDGE_SECONDS - 1 - below(1e6)]))],
  'too new':             [2, signedAt(({ from, below }, now) => from([MAX_TIME, 2 ** 32, now + FUDGE_SECONDS + 1 + below(1e6)]))],
  'bits of the header':  [2, (unsigned, fuzz) => withBits(signed(unsigned, fuzz), { draw: fuzz.draw, from: 0, end: HEADER_OCTETS })],
  'bits of the message': [4, (unsigned, fuzz) => withBits(signed(unsigned, fuzz), { draw: fuzz.draw, from: HEADER_OCTETS, end: unsigned.length })],
  'bits of the signature': [4, (unsigned, fuzz) => { const octets = signed(unsigned, fuzz); return withBits(octets, { draw: fuzz.draw, from: unsigned.length, end: octets.length }) }],
  'bits before signing': [4, (unsigned, fuzz) => signed(withBits(unsigned, { draw: fuzz.draw, from: HEADER_OCTETS, end: unsigned.length }), fuzz)],
  'truncated':           [3, (unsigned, fuzz) => { const octets = signed(unsigned, fuzz); return octets.subarray(0, fuzz.draw.below(octets.length)) }],
  'truncated before signing': [2, (unsigned, fuzz) => signed(unsigned.subarray(0, HEADER_OCTETS + fuzz.draw.below(unsigned.length - HEADER_OCTETS)), fuzz)],
  'octets at the end':   [1, (unsigned, fuzz) => Buffer.concat([signed(unsigned, fuzz), octetsOf(fuzz.draw, 1 + fuzz.draw.below(MAX_GARBAGE))])],
  'wrong MAC':           [2, signedWrong(({ draw }) => ({ mac: octetsOf(draw, draw.from([32, 48, 64])) }))],
  'MAC of another length': [2, signedWrong(({ draw }) => ({ mac: octetsOf(draw, draw.from([0, 1, 9, 10, 16, 31, 33, 65, 255])) }))],
  'MAC cut short':       [2, (unsigned, { key, now, draw }) => signUpdate(unsigned, { key, time: now, macLength: draw.from([0, 1, 10, 16, 24, 31]) })],
  'wrong secret':        [2, signedBy(({ draw }) => ({ secret: octetsOf(draw, draw.from([1, 32])) }))],
  'unknown key':         [2, signedBy(({ draw }) => ({ name: draw.from(['other.test', '', 'x'.repeat(63), 'k']) }))],
  'another algorithm':   [2, signedWrong(({ draw }) => ({ algorithm: draw.from(['hmac-md5.sig-alg.reg.int', 'hmac-sha1', 'hmac-sha224', '', 'x']) }))],
  'another fudge':       [1, signedWrong(({ draw }) => ({ fudge: draw.from([0, 1, 65_535]) }))],
  'another time':        [1, signedWrong(({ draw, now }) => ({ time: now + draw.from([-1, 1, -60, 60]) }))],
  'another original id': [1, signedWrong(({ draw }) => ({ originalId: draw.below(65_536) }))],
  'an error':            [1, signedWrong(({ draw }) => ({ error: draw.from([16, 17, 18, 22, 65_535]) }))],
  'other data':          [1, signedWrong(({ draw }) => ({ other: octetsOf(draw, 1 + draw.below(16)) }))],
  'unsigned':            [2, (unsigned) => unsigned],
  'signed twice':        [1, (unsigned, fuzz) => signed(signed(unsigned, fuzz), fuzz)],
  'signature not last':  [1, withEarlySignature],
  'garbage':             [1, (_, { draw }) => octetsOf(draw, draw.below(MAX_GARBAGE))],
}
export const FUZZ_KINDS: readonly string[] = Object.keys(MUTATIONS)
const BY_SHARE = byShare(Object.entries(MUTATIONS).map(([kind, [share, make]]) => [share, { kind, make }]))

function isAuthenticUpdate(octets: Buffer, keys: readonly MacKey[], now: number): boolean {
  if (octets.length < HEADER_OCTETS) return false
  try {
    const message = decodeMessage(octets)
    return authenticityOf(octets, message, { keys, now, deviations: new Set() }) === 'valid'
  } catch (error) {
    if (error instanceof MalformedOctets) return false
    throw error
  }
}

const MAX_SENT = 64

/** The next message each time, for the zone that a play begins with. */
export function fuzzedUpdates({ random, keys, now }: Fuzzing): () => FuzzedUpdate {
  const draw = updateDraw(random)
  const sent: Buffer[] = []
  return () => {
    const time = now()
    const unsigned = messageOctets(randomUpdate({ draw, zone: FIRST_ZONE, isCased: true }))
    const { kind, make } = draw.from(BY_SHARE)
    const octets = make(unsigned, { draw, key: draw.from(keys), now: time, sent })
    const isAuthentic = isAuthenticUpdate(octets, keys, time)
    if (kind === 'right') sent.push(octets)
    if (sent.length > MAX_SENT) sent.shift()
    return { kind, octets, isAuthentic }
  }
}
