import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { Secret } from '../../../src/shared/base/secret.ts'

it('a Secret never prints its text', () => {
  const secret = new Secret('swordfish')

  const shown = [
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: { secret } }),
    String(secret),
  ]

  for (const text of shown) expect(text).not.toContain('swordfish')
  expect(secret.reveal()).toBe('swordfish')
})
