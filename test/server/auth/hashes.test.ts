import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isKeyedHashOf, keyedHash, PEPPER_BYTES, pepperOf } from '../../../src/server/auth/hashes.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

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
