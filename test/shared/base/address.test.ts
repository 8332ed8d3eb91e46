import { SocketAddress } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Address,
  bitsOf,
  byFamily,
  bytesOf,
  familyOf,
  listed,
  parseAddress,
  parsePeer,
} from '../../../src/shared/base/address.ts'

const v4 = fc.ipV4()
const v6 = fc.ipV6()

describe('parseAddress', () => {
  it.each([
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['fe80::0', 'fe80::'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['0:0:1:0:0:1:1:1', '::1:0:0:1:1:1'],
    ['192.0.2.1', '192.0.2.1'],
  ])('writes %s as %s (RFC 5952)', (text, canonical) => expect(parseAddress(text)).toBe(canonical))

  it.each([
    '',
    '1.2.3',
    '192.0.2.010',
    '256.0.0.1',
    'fe80::1%eth0',
    '::ffff:192.0.2.1',
    '[::1]',
    ' 192.0.2.1',
    '2001:db8',
    '1::2::3',
  ])('rejects %j', (text) => expect(parseAddress(text)).toBeUndefined())

  it('writes IPv6 as the operating system does', () =>
    fc.assert(
      fc.property(v6, (text) => {
        const canonical = parseAddress(text)
        fc.pre(canonical !== undefined)
        const expected = new SocketAddress({ address: text, family: 'ipv6' }).address
        fc.pre(!expected.includes('.')) // inet_ntop writes IPv4-compatible addresses dotted; RFC 5952 §5 allows both
        expect(canonical).toBe(expected)
      }),
    ))

  it('accepts its own output unchanged', () =>
    fc.assert(
      fc.property(fc.oneof(v4, v6), (text) => {
        const address = parseAddress(text)
        fc.pre(address !== undefined)
        expect(parseAddress(address)).toBe(address)
      }),
    ))

  it('gives equal texts exactly for equal bits', () =>
    fc.assert(
      fc.property(v6, v6, (a, b) => {
        const [x, y] = [parseAddress(a), parseAddress(b)]
        fc.pre(x !== undefined && y !== undefined)
        expect(x === y).toBe(bitsOf(x) === bitsOf(y))
      }),
    ))
})

describe('parsePeer', () => {
  it.each([
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:db8::5', '2001:db8::5'],
    ['192.0.2.7', '192.0.2.7'],
  ])('reads %s as %s', (text, address) => expect(parsePeer(text)).toBe(address))
})

it('listed puts IPv4 before IPv6, and byFamily takes the first of each family', () => {
  const all = ['2001:db8::1', '192.0.2.1', '192.0.2.2', '2001:db8::2'].flatMap(
    (text) => parseAddress(text) ?? [],
  )

  const taken = byFamily(all)

  expect(listed(taken)).toEqual(['192.0.2.1', '2001:db8::1'])
  expect(listed(taken).map(familyOf)).toEqual(['v4', 'v6'])
})

it.each(['not-an-address', '192.0.2', '2001:db8', '2001:db8::x'])('%s has no bytes', (text) =>
  expect(() => bytesOf(text as Address)).toThrow(`${text} is not an address`),
)
