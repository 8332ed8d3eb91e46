import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { canBeBasic, formatBasic, parseBasic, Secret } from '../../../src/shared/base/secret.ts'

describe('Basic credentials', () => {
  it('parse to what was formatted (RFC 7617)', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (username, text) => {
        const credentials = { username, password: new Secret(text) }
        fc.pre(canBeBasic(credentials) && !/[\uD800-\uDFFF]/.test(username + text))

        const read = parseBasic(formatBasic(credentials).reveal())

        expect(read?.username).toBe(username)
        expect(read?.password.reveal()).toBe(text)
      }),
      { numRuns: runs(50) },
    ))

  it('allow colons in the password', () =>
    expect(parseBasic('Basic YTpiOmM=')?.password.reveal()).toBe('b:c'))
  it('accept the scheme in any case', () => expect(parseBasic('bAsIc YTpi')?.username).toBe('a'))

  it.each([
    '',
    'Basic',
    'Basic ',
    'Basic !!!',
    'Basic YQ==',
    'Bearer YTpi',
    'Basic YTpi YTpi',
    'Basic YTr/',
    'Basic YTo\x00',
    'Basic YToA',
  ])('reject the header %j', (header) => expect(parseBasic(header)).toBeUndefined())
})
