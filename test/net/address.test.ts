import { SocketAddress } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bitsOf, byFamily, familyOf, listed, parseAddress, parsePeer } from '../../src/net/address.ts'

const v4 = fc.ipV4()
const v6 = fc.ipV6()

describe('an address', () => {
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
  ])('%s is written %s (RFC 5952)', (text, canonical) => expect(parseAddress(text)).toBe(canonical))

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
  ])('is not %j', (text) => expect(parseAddress(text)).toBeUndefined())

  it('of IPv6 is written as the operating system writes it', () =>
    fc.assert(
      fc.property(v6, (text) => {
        const ours = parseAddress(text)
        fc.pre(ours !== undefined)
        const theirs = new SocketAddress({ address: text, family: 'ipv6' }).address
        fc.pre(!theirs.includes('.')) // inet_ntop writes IPv4-compatible ones dotted; RFC 5952 §5 leaves that open
        expect(ours).toBe(theirs)
      }),
    ))

  it('reads back what it writes, and keeps its bits', () =>
    fc.assert(
      fc.property(fc.oneof(v4, v6), (text) => {
        const address = parseAddress(text)
        fc.pre(address !== undefined)
        expect(parseAddress(address)).toBe(address)
        expect(bitsOf(address) >= 0n).toBe(true)
      }),
    ))

  it('has as many different texts as different bits', () =>
    fc.assert(
      fc.property(v6, v6, (a, b) => {
        const [x, y] = [parseAddress(a), parseAddress(b)]
        fc.pre(x !== undefined && y !== undefined)
        expect(x === y).toBe(bitsOf(x) === bitsOf(y))
      }),
    ))
})

describe('a peer', () => {
  it.each([
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:db8::5', '2001:db8::5'],
    ['192.0.2.7', '192.0.2.7'],
  ])('%s is %s', (text, address) => expect(parsePeer(text)).toBe(address))
})

it('lists IPv4 before IPv6, and takes the first of each family', () => {
  const all = ['2001:db8::1', '192.0.2.1', '192.0.2.2', '2001:db8::2'].flatMap(
    (text) => parseAddress(text) ?? [],
  )

  const taken = byFamily(all)

  expect(listed(taken)).toEqual(['192.0.2.1', '2001:db8::1'])
  expect(listed(taken).map(familyOf)).toEqual(['v4', 'v6'])
})
