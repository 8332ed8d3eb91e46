import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressOfBytes, bitsOf, bytesOf } from '../../../src/shared/base/address.ts'
import { eui64, isWithin, parsePrefix, withHostPart } from '../../../src/shared/base/prefix.ts'
import { address } from '../../fakes/address.ts'

describe('parsePrefix', () => {
  // biome-ignore format: a table
  it.each([
    ['2001:db8::/32',   { address: '2001:db8::', length: 32 }],
    ['192.0.2.0/24',    { address: '192.0.2.0', length: 24 }],
    ['::1:2',           { address: '::1:2', length: 128 }],
    ['192.0.2.1',       { address: '192.0.2.1', length: 32 }],
  ])('parses %s', (text, value) => expect(parsePrefix(text)).toEqual({ ok: true, value }))

  it.each(['', 'x/3', '::/129', '192.0.2.0/33', '::/', '::/-1', '::/1/2', '::/ 1'])('rejects %j', (text) =>
    expect(parsePrefix(text).ok).toBe(false),
  )
})

describe('withHostPart', () => {
  // biome-ignore format: a table
  it.each([
    ['2600:1:2:3:4:5:6:7', 64,  '::1:2',               '2600:1:2:3::1:2'],
    ['2600:1:2:3:4:5:6:7', 56,  '::f1:0:0:0:1',        '2600:1:2:f1::1'],
    ['2600:1:2:3:4:5:6:7', 60,  '::f:0:0:0:1',         '2600:1:2:f::1'],
    ['2600:1:2:30:4:5:6:7', 60, '::f:0:0:0:1',         '2600:1:2:3f::1'],
    ['2600:1:2:3:4:5:6:7', 128, '::',                  '2600:1:2:3:4:5:6:7'],
    ['2600:1:2:3:4:5:6:7', 0,   '::9',                 '::9'],
    ['192.0.2.77',         24,  '0.0.0.1',             '192.0.2.1'],
  ])('combines %s/%i and %s to %s', (network, length, host, whole) =>
    expect(withHostPart(address(network), length, address(host))).toBe(whole))

  it('equals bit arithmetic at every length', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 128n - 1n),
        fc.bigInt(0n, 2n ** 128n - 1n),
        fc.integer({ min: 1, max: 128 }),
        (a, b, length) => {
          const bytes = (bits: bigint) =>
            Uint8Array.from({ length: 16 }, (_, at) => Number((bits >> BigInt(8 * (15 - at))) & 0xffn))
          const [network, host] = [addressOfBytes(bytes(a)), addressOfBytes(bytes(b))]
          if (network === undefined || host === undefined || !network.includes(':') || !host.includes(':'))
            return
          const low = (1n << BigInt(128 - length)) - 1n
          // An IPv4-mapped address is an IPv4 address here (RFC 4291 §2.5.5.2), and so no combination of two of IPv6.
          if (((a & ~low) | (b & low)) >> 32n === 0xffffn) return
          const whole = withHostPart(network, length, host)
          expect(bitsOf(whole)).toBe((a & ~low) | (b & low))
          expect(isWithin(whole, { address: network, length })).toBe(true)
        },
      ),
    )
  })
})

it('addressOfBytes is the inverse of bytesOf, and rejects other lengths', () => {
  for (const text of ['192.0.2.1', '255.255.255.255', '::', '2001:db8::1', 'ff02::1:ff00:1'])
    expect(addressOfBytes(bytesOf(address(text)))).toBe(text)
  expect(addressOfBytes(Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 1]))).toBe(
    '192.0.2.1',
  )
  expect(addressOfBytes(new Uint8Array(5))).toBeUndefined()
})

it.each([
  ['00:00:5e:00:53:01', '::200:5eff:fe00:5301'],
  ['02-00-5E-00-53-01', '::5eff:fe00:5301'],
])('eui64 derives from %s the host part %s (RFC 4291 appendix A)', (mac, host) =>
  expect(eui64(mac)).toBe(host),
)
it.each(['', '00:00:5e:00:53', '00:00:5e:00:53:0g', '00:00:5e:00:53:01:02'])('eui64 rejects %j', (mac) =>
  expect(eui64(mac)).toBeUndefined(),
)
