import { expect, it } from 'vitest'
import { parseAddress } from '../../../src/shared/base/address.ts'
import { isGlobal, specialRangeOf } from '../../../src/shared/base/special.ts'

// biome-ignore format: a table
const EDGES = [
  ['0.0.0.0', 'this-network'], ['0.255.255.255', 'this-network'], ['1.0.0.0', undefined],
  ['9.255.255.255', undefined], ['10.0.0.0', 'private'], ['10.255.255.255', 'private'], ['11.0.0.0', undefined],
  ['100.63.255.255', undefined], ['100.64.0.0', 'cgnat'], ['100.127.255.255', 'cgnat'], ['100.128.0.0', undefined],
  ['127.0.0.1', 'loopback'], ['127.255.255.255', 'loopback'], ['169.254.1.1', 'link-local'], ['169.254.255.255', 'link-local'], ['169.255.0.0', undefined], ['172.15.255.255', undefined], ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'], ['172.32.0.0', undefined], ['192.0.0.1', 'transition'], ['192.0.0.9', 'protocol'],
  ['192.0.2.1', 'documentation'], ['192.88.99.1', 'transition'], ['192.168.0.1', 'private'], ['192.168.255.255', 'private'], ['192.169.0.0', undefined], ['198.17.255.255', undefined],
  ['198.18.0.0', 'benchmark'], ['198.19.255.255', 'benchmark'], ['198.20.0.0', undefined], ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'], ['223.255.255.255', undefined], ['224.0.0.1', 'multicast'], ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'], ['255.255.255.255', 'broadcast'], ['8.8.8.8', undefined],
  ['::', 'this-network'], ['::1', 'loopback'], ['::2', 'reserved'], ['64:ff9b::1', 'transition'], ['64:ff9b:1::1', 'transition'],
  ['100::1', 'reserved'], ['1fff::1', 'reserved'], ['2000::1', undefined], ['2001::1', 'transition'], ['2001:2::1', 'benchmark'],
  ['2001:20::1', 'protocol'], ['2001:1ff::1', 'protocol'], ['2001:200::1', undefined], ['2001:db8::1', 'documentation'],
  ['2001:db9::1', undefined], ['2002::1', 'transition'], ['2002:ffff::1', 'transition'], ['2003::1', undefined], ['2606:4700::1', undefined], ['3fff::1', 'documentation'],
  ['3fff:fff:ffff::1', 'documentation'], ['3fff:1000::1', undefined], ['4000::1', 'reserved'], ['5f00::1', 'protocol'],
  ['fc00::1', 'private'], ['fdff::1', 'private'], ['fe80::1', 'link-local'], ['febf::1', 'link-local'], ['fec0::1', 'reserved'],
  ['ff02::1', 'multicast'],
] as const

it.each(EDGES)('the range class of %s is %s', (text, special) => {
  const address = parseAddress(text)

  expect(address).toBeDefined()
  expect(address && specialRangeOf(address)).toBe(special)
})

it('isGlobal accepts the allowed range classes, and only those', () => {
  const [documentation, privateAddress] = [parseAddress('192.0.2.1'), parseAddress('10.0.0.1')]

  expect(documentation && isGlobal(documentation, ['documentation'])).toBe(true)
  expect(privateAddress && isGlobal(privateAddress, ['documentation'])).toBe(false)
})
