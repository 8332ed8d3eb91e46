import { describe, expect, it } from 'vitest'
import { isListable, parseHostname } from '../../../src/shared/base/hostname.ts'

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
