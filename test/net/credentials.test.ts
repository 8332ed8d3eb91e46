import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canBeBasic, formatBasic, parseBasic } from '../../src/net/basic.ts'
import { isListable, parseHostname } from '../../src/net/hostname.ts'
import { Secret } from '../../src/net/secret.ts'

describe('Basic credentials', () => {
  it('parse to what was formatted (RFC 7617)', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (username, text) => {
        const credentials = { username, password: new Secret(text) }
        fc.pre(canBeBasic(credentials) && !/[\uD800-\uDFFF]/.test(username + text))

        const read = parseBasic(formatBasic(credentials))

        expect(read?.username).toBe(username)
        expect(read?.password.reveal()).toBe(text)
      }),
      { numRuns: 50 },
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

describe('parseHostname', () => {
  it.each([
    ['Home.Example.TEST', 'home.example.test'],
    ['home.example.test.', 'home.example.test'],
    ['*.example.test', '*.example.test'],
    ['_acme-challenge.example.test', '_acme-challenge.example.test'],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
  ])('parses %s as %s', (text, name) => expect(parseHostname(text)).toBe(name))

  it.each([
    '',
    'home',
    'a..b',
    '-a.test',
    'a-.test',
    'a b.test',
    'münchen.test',
    `${'a'.repeat(64)}.test`,
    'a.*.test',
    `${'a.'.repeat(127)}toolong`,
  ])('rejects %j', (text) => expect(parseHostname(text)).toBeUndefined())

  it.each([
    ['home.example.test', true],
    ['abc1234', true],
    ['all-hostnames', true],
    ['a,b', false],
    ['a b', false],
    ['', false],
    ['a&b', false],
  ])('isListable(%j) is %s', (text, isAllowed) => expect(isListable(text)).toBe(isAllowed))
})
