import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../bench/fleet-random.ts'
import { runs, SEED } from '../runs.ts'
import { decodeMessage } from './update-decode.ts'
import { updateDraw } from './update-draw.ts'
import { FUZZ_KINDS, type FuzzedUpdate, fuzzedUpdates } from './update-fuzz.ts'
import { FIRST_ZONE, randomUpdate } from './update-messages.ts'
import type { Deviation } from './update-model.ts'
import { authenticityOf } from './update-oracle.ts'
import { type MacKey, signUpdate } from './update-tsig.ts'
import { messageOctets, nameOctets } from './update-wire.ts'

const NOW = 1_800_000_000
const KEYS: readonly MacKey[] = [
  { name: 'Home.test', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 1) },
  { name: 'office', algorithm: 'hmac-sha384', secret: Buffer.alloc(48, 2) },
  { name: 'lab', algorithm: 'hmac-sha512', secret: Buffer.alloc(64, 3) },
]
const COUNT = runs(3000)

const fuzzed = (seed: number): readonly FuzzedUpdate[] => {
  const next = fuzzedUpdates({ random: seededRandom(seed), keys: KEYS, now: () => NOW })
  return Array.from({ length: COUNT }, next)
}
const digest = (messages: readonly FuzzedUpdate[]): string =>
  createHash('sha256')
    .update(Buffer.concat(messages.map(({ octets }) => octets)))
    .digest('hex')

describe('damaged and forged updates', () => {
  const messages = fuzzed(SEED)
  const authenticOf = (kind: string): readonly boolean[] =>
    messages.filter((one) => one.kind === kind).map(({ isAuthentic }) => isAuthentic)

  it('are the same for the same seed, and others for another', () => {
    expect(digest(fuzzed(SEED))).toBe(digest(messages))
    expect(digest(fuzzed(SEED + 1))).not.toBe(digest(messages))
  })

  it('are of every kind', () =>
    expect(FUZZ_KINDS.filter((kind) => authenticOf(kind).length < COUNT / 500)).toEqual([]))

  it.each(['right', 'replay', 'right at the limit'])('that are %s are authentic', (kind) =>
    expect(authenticOf(kind)).not.toContain(false),
  )

  // biome-ignore format: a table
  it.each([
    'too old', 'too new', 'truncated', 'wrong MAC', 'MAC of another length', 'MAC cut short', 'wrong secret', 'unknown key', 'another algorithm',
    'another fudge', 'another time', 'an error', 'other data', 'unsigned', 'signed twice', 'signature not last', 'garbage', 'truncated before signing',
  ])('with the fault "%s" are not', (kind) => expect(authenticOf(kind)).not.toContain(true))

  it('with other bits are authentic only where no signature covers the bits', () => {
    const damaged = messages.filter(({ kind }) => kind === 'bits of the message')

    // Letters of names have no case, but a signature covers the octets of the message.
    expect(damaged.filter(({ isAuthentic }) => isAuthentic)).toEqual([])
    // The id is covered by the original id in its place.
    expect(authenticOf('bits of the header')).toContain(true)
    expect(authenticOf('bits of the header')).toContain(false)
  })

  it('with bits that are changed before the signature are authentic if they are a message', () => {
    expect(authenticOf('bits before signing')).toContain(true)
    expect(authenticOf('bits before signing')).toContain(false)
  })
})

it.each([
  ['class', 2],
  ['TTL', 6],
])('a signature with another %s is malformed (RFC 8945 §4.2)', (_, offset) => {
  const [key] = KEYS as [MacKey]
  const drawing = { draw: updateDraw(seededRandom(SEED)), zone: FIRST_ZONE, isCased: false }
  const octets = signUpdate(messageOctets(randomUpdate(drawing)), { key, time: NOW })
  const rules = { keys: KEYS, now: NOW, deviations: new Set<Deviation>() }
  const at = decodeMessage(octets).lastAt + nameOctets(key.name).length + offset
  const changed = Buffer.from(octets)
  changed[at + 1] = (octets[at + 1] ?? 0) ^ 1

  expect(authenticityOf(octets, decodeMessage(octets), rules)).toBe('valid')
  expect(authenticityOf(changed, decodeMessage(changed), rules)).toBe('malformed')
})
