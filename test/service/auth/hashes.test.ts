import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fingerprintOf,
  isKeyedHashOf,
  isPreviousHashOf,
  keyedHash,
  PEPPER_BYTES,
  pepperOf,
} from '../../../src/service/auth/hashes.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

it('a hash key has as many bytes as a hash', () => expect(PEPPER_BYTES).toBe(32))

it('a keyed hash is HMAC-SHA-256', () =>
  fc.assert(
    fc.property(bytes(PEPPER_BYTES), fc.string({ unit: 'binary' }), (pepper, key) => {
      const expected = createHmac('sha256', pepper).update(key).digest()

      expect(Buffer.from(keyedHash(pepperOf(pepper), key)).equals(expected)).toBe(true)
      expect(isKeyedHashOf(pepperOf(pepper), key, expected)).toBe(true)
      expect(isKeyedHashOf(pepperOf(pepper), `${key}.`, expected)).toBe(false)
    }),
  ))

/** RFC 4231 §4.2 and §4.3: test cases 1 and 2. */
// biome-ignore format: a table
it.each([
  ['0b'.repeat(20),                        'Hi There',                     'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [Buffer.from('Jefe').toString('hex'),    'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
])('as in RFC 4231: %s', (pepper, key, expected) =>
  expect(Buffer.from(keyedHash(pepperOf(Buffer.from(pepper, 'hex')), key)).toString('hex')).toBe(expected))

describe('after a rotation of the hash key', () => {
  const former = pepperOf(new Uint8Array(32))
  const current = { ...pepperOf(new Uint8Array(32).fill(1)), previous: former }
  const other = pepperOf(new Uint8Array(32).fill(2))

  // biome-ignore format: a table
  it.each([
    ['of the current key',  current, true,  false],
    ['of the previous key', former,  true,  true],
    ['of another key',      other,   false, false],
  ])('a hash %s', (_, pepper, isRight, isPrevious) => {
    const stored = keyedHash(pepper, 'secret')
    expect([isKeyedHashOf(current, 'secret', stored), isPreviousHashOf(current, 'secret', stored)]).toEqual([isRight, isPrevious])
    expect(isKeyedHashOf(current, 'other', stored)).toBe(false)
  })

  it('the previous one is not accepted where there is none', () =>
    expect(isPreviousHashOf(former, 'secret', keyedHash(current, 'secret'))).toBe(false))
})

it('a hash of another length does not match and does not throw', () => {
  const pepper = pepperOf(new Uint8Array(32))
  expect(isKeyedHashOf(pepper, 'right', keyedHash(pepper, 'right').subarray(1))).toBe(false)
})

it('a fingerprint is stable, because stores contain it', () =>
  expect(fingerprintOf(pepperOf(new Uint8Array(32)))).toBe('2c3767eca98640cc'))
