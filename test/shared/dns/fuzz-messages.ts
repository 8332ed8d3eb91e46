import { encodeName } from '../../../src/shared/dns/name.ts'
import { NOTIFY_FLAGS } from '../../../src/shared/dns/response.ts'
import { signTsig, type TsigKey } from '../../../src/shared/dns/tsig.ts'
import { CLASSES, FLAGS, OPCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import type { Random } from '../../bench/fleet-random.ts'
import { hex, opt, soaRdata, type Wire, type WireRecord, wire } from './wire.ts'

/** Messages as peers send them, and what damage makes of them: the same ones for the same numbers. */

const NAMES = [
  '',
  'example.test',
  'home.example.test',
  'none.example.test',
  'x.wild.example.test',
  'www.example.test',
].concat([
  'many.example.test',
  'large.example.test',
  'a.sub.example.test',
  'other.test',
  'catalog.holdfast',
  `${'x'.repeat(63)}.example.test`,
])
const TYPES = [...Object.values(RR_TYPES), 0, 46, 47, 65_535]
const SIZES = [0, 511, 512, 1231, 1232, 1233, 4096, 65_535]
const SERIALS = [0, 1, 2 ** 31, 2 ** 32 - 1, 1_800_000_000]
/** Names that no encoder makes: pointers in a circle, forward and out of the message, long and unknown labels. */
const BAD_NAMES = [
  'c00c',
  'c00e c00c',
  'c0ff',
  'ffff',
  '01',
  '40',
  '8001',
  '3f',
  '0161 c00c',
  '3f'.padEnd(128, '61').repeat(5),
].map(hex)

interface Draw {
  readonly below: (n: number) => number
  readonly from: <T>(values: readonly T[]) => T
  readonly isOnceIn: (n: number) => boolean
}

function drawFrom(random: Random): Draw {
  const below = (n: number): number => Math.floor(random() * n)
  return {
    below,
    isOnceIn: (n) => below(n) === 0,
    from: (values) => {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('nothing to choose from')
      return value
    },
  }
}

const question = ({ from, isOnceIn }: Draw): Wire => ({
  name: isOnceIn(12) ? from(BAD_NAMES) : from(NAMES),
  type: from(TYPES),
  ...(isOnceIn(8) && { class: from([CLASSES.CH, CLASSES.ANY, 0, 254]) }),
})

/** Of RFC 6891, with the cookie of RFC 7873 in some. */
const ednsOf = ({ from, isOnceIn }: Draw): readonly WireRecord[] => {
  const one = {
    ...opt(from(SIZES), isOnceIn(8) ? 1 : 0),
    ...(isOnceIn(3) && { rdata: hex('000a 0008 0123456789abcdef') }),
  }
  return isOnceIn(2) ? [] : isOnceIn(20) ? [one, one] : [one]
}

const record = (draw: Draw): WireRecord => ({
  owner: draw.isOnceIn(4) ? draw.from(BAD_NAMES) : encodeName(draw.from(NAMES)),
  type: draw.from(TYPES),
  class: draw.from([CLASSES.IN, CLASSES.ANY]),
  rdata: Buffer.alloc(draw.below(40), draw.below(256)),
})
const recordsOf = (draw: Draw, max: number): readonly WireRecord[] =>
  Array.from({ length: draw.below(max + 1) }, () => record(draw))

/** By how often each is sent. */
const KINDS: readonly (readonly [share: number, make: (draw: Draw) => Wire])[] = [
  [8, (draw) => ({ ...question(draw), flags: FLAGS.RD, additions: ednsOf(draw) })],
  [4, (draw) => ({ name: draw.from(NAMES), type: RR_TYPES.A, additions: ednsOf(draw) })],
  [4, (draw) => ({ ...ixfr(draw), additions: ednsOf(draw) })],
  [2, (draw) => ({ name: draw.from(NAMES), type: draw.from([RR_TYPES.AXFR, RR_TYPES.SOA]) })],
  [2, (draw) => ({ ...question(draw), flags: draw.below(0x8000), additions: recordsOf(draw, 3) })],
  [1, (draw) => ({ ...question(draw), flags: OPCODES.NOTIFY << 11, answers: [soa(draw)] })],
  [1, (draw) => ({ name: draw.from(NAMES), type: RR_TYPES.SOA, flags: FLAGS.QR | NOTIFY_FLAGS })],
  [1, (draw) => ({ ...question(draw), flags: FLAGS.QR | draw.below(0x8000), answers: recordsOf(draw, 3) })],
  [
    1,
    (draw) => ({ ...question(draw), questions: draw.from([0, 2, 65_535]), authorities: recordsOf(draw, 20) }),
  ],
]
const soa = ({ from }: Draw): WireRecord => ({ type: RR_TYPES.SOA, rdata: soaRdata(from(SERIALS)) })
const ixfr = (draw: Draw): Wire => ({ name: 'example.test', type: RR_TYPES.IXFR, authorities: [soa(draw)] })
const ALL = KINDS.flatMap(([share, make]) => Array.from({ length: share }, () => make))

/** Each changes a message in one place. */
const DAMAGES: readonly ((message: Buffer, draw: Draw) => Buffer)[] = [
  (message, { below }) => {
    const at = below(message.length)
    return put(message, at, [(message[at] ?? 0) ^ (1 << below(8))])
  },
  (message, { below, from }) =>
    put(message, below(message.length), [from([0, 1, 63, 64, 127, 192, 255, below(256)])]),
  // A pointer, often into the header or to itself.
  (message, { below }) => put(message, below(message.length), [192, below(message.length + 4)]),
  // One of the four counts.
  (message, { below, from }) =>
    put(message, 4 + 2 * below(4), [from([0, 0, 255]), from([0, 1, 2, 16, 17, 255])]),
  (message, { below }) => message.subarray(0, below(message.length + 1)),
  (message, { below }) => Buffer.concat([message, Buffer.alloc(below(60), below(256))]),
  (message, { below }) => {
    const [at, length] = [below(message.length), below(20)]
    return Buffer.concat([message.subarray(0, at), message.subarray(at + length)])
  },
  (message, { below }) => {
    const [at, length] = [below(message.length), below(20)]
    return Buffer.concat([message.subarray(0, at + length), message.subarray(at)])
  },
]

function put(message: Buffer, at: number, octets: readonly number[]): Buffer {
  const changed = Buffer.from(message)
  octets.forEach((octet, n) => at + n < changed.length && changed.writeUInt8(octet & 255, at + n))
  return changed
}

function damaged(message: Buffer, draw: Draw): Buffer {
  let result = message
  for (let left = draw.from([0, 0, 0, 1, 1, 1, 3]); left > 0; left--)
    result = draw.from(DAMAGES)(result, draw)
  return result
}

const MAX_GARBAGE = 600

/** The next message each time, without an id of its own. A part is signed: before or after the damage, or twice. */
export function fuzzMessages(random: Random, key: TsigKey): () => Buffer {
  const draw = drawFrom(random)
  const sign = (message: Buffer): Buffer => {
    const skew = draw.isOnceIn(10) ? draw.from([-301, 301, 1e6]) : 0
    // A signature is one record more.
    return message.length < 12 || message.readUInt16BE(10) === 65_535
      ? message
      : signTsig(message, key, { now: Math.floor(Date.now() / 1000) + skew }).message
  }
  return () => {
    if (draw.isOnceIn(20))
      return Buffer.from(Array.from({ length: draw.below(MAX_GARBAGE) }, () => draw.below(256)))
    const message = wire(draw.from(ALL)(draw))
    const way = draw.below(10)
    if (way < 5) return damaged(message, draw)
    if (way < 7) return damaged(sign(message), draw)
    return draw.isOnceIn(20) ? sign(sign(damaged(message, draw))) : sign(damaged(message, draw))
  }
}

/** Answers to a NOTIFY that are damaged. */
export function damagedAnswers(random: Random, key: TsigKey): (request: Buffer, mac: Uint8Array) => Buffer {
  const draw = drawFrom(random)
  return (request, mac) => {
    const answer = put(request, 2, [(request[2] ?? 0) | 0x80])
    const now = Math.floor(Date.now() / 1000)
    if (draw.isOnceIn(2)) return damaged(signTsig(answer, key, { now, previous: mac }).message, draw)
    const other = put(damaged(answer, draw), 4, [0, 1])
    return other.length < 12 || other.readUInt16BE(10) === 65_535
      ? other
      : signTsig(other, key, { now, previous: mac }).message
  }
}
