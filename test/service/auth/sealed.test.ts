import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/shared/base/secret.ts'
import { pepperOf } from '../../../src/service/auth/hashes.ts'
import { seal, unseal } from '../../../src/service/auth/sealed.ts'

const FIRST = pepperOf(new Uint8Array(32).fill(1))
const SECOND = pepperOf(new Uint8Array(32).fill(2))
const TEXT = 'c2VjcmV0IG9mIGEga2V5'
const SEALED = seal(FIRST, new Secret(TEXT), 'tk-1')
const read = (...[pepper, sealed, owner]: Parameters<typeof unseal>): string | undefined =>
  unseal(pepper, sealed, owner)?.reveal()

describe('a sealed secret', () => {
  it('is read with its pepper, also after a rotation, and does not contain the text', () => {
    expect(read(FIRST, SEALED, 'tk-1')).toBe(TEXT)
    expect(read({ ...SECOND, previous: FIRST }, SEALED, 'tk-1')).toBe(TEXT)
    expect(Buffer.from(SEALED).toString('latin1')).not.toContain(TEXT)
    expect(seal(FIRST, new Secret(TEXT), 'tk-1')).not.toEqual(SEALED)
  })

  it('is of one owner and one pepper', () => {
    expect(read(FIRST, SEALED, 'tk-2')).toBeUndefined()
    expect(read(SECOND, SEALED, 'tk-1')).toBeUndefined()
    expect(read({ ...FIRST, previous: SECOND }, SEALED, 'tk-2')).toBeUndefined()
  })

  it('that is cut anywhere, or has one other bit, is none', () => {
    for (let length = 0; length < SEALED.length; length++)
      expect(read(FIRST, SEALED.subarray(0, length), 'tk-1'), `${length}`).toBeUndefined()
    for (let at = 0; at < SEALED.length; at++)
      expect(
        read(
          FIRST,
          SEALED.map((one, n) => (n === at ? one ^ 1 : one)),
          'tk-1',
        ),
        `${at}`,
      ).toBeUndefined()
  })
})
