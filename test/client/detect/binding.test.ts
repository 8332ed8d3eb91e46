import { describe, expect, it } from 'vitest'
import { type Binding, localAddressOf, outsideRouteOf } from '../../../src/client/detect/binding.ts'
import type { Finding } from '../../../src/client/detect/finding.ts'
import type { LineVerdict } from '../../../src/client/detect/line/decide-line.ts'
import type { Family } from '../../../src/shared/base/address.ts'
import type { InterfaceAddress } from '../../../src/shared/ports/interfaces.ts'
import { address } from '../../fakes/address.ts'

const on = (name: string, one: string): InterfaceAddress => ({
  interface: name,
  address: address(one),
  isTemporary: false,
  isUnusable: false,
  isPermanent: false,
  prefixLength: 24,
})
const LAN = on('eth0', '192.168.1.10')
const TUNNEL = on('wg0', '10.8.0.2')
const HOME = { interface: 'eth0', gateway: address('192.168.1.1') }

const routeFor = async (
  binding: Binding,
  verdict: LineVerdict,
  report: (finding: Finding) => void = () => undefined,
) => {
  const line = { now: async () => Promise.resolve({ verdict, home: HOME }) }
  return outsideRouteOf(binding, {
    interfaces: async () => Promise.resolve([LAN, TUNNEL]),
    outboundRoute: async () => Promise.resolve({ interface: 'wg0' }),
    lines: { v4: line, v6: line },
    report,
  })('v4')
}

describe('questions of a hostname', () => {
  it('leave by the line that may be published', async () =>
    expect(await routeFor({}, { kind: 'open', because: 'same line' })).toEqual({ line: 'eth0 192.168.1.1' }))

  it('leave by another line while that is held', async () =>
    expect(await routeFor({}, { kind: 'held', because: 'old line alive', through: 'wg0' })).toEqual({
      line: 'eth0 192.168.1.1',
      elsewhere: 'wg0',
    }))

  it('that is bound leave by its interface, or it is told once', async () => {
    const findings: Finding[] = []
    const open: LineVerdict = { kind: 'open', because: 'same line' }
    expect(await routeFor({ interface: 'eth0' }, open, (one) => findings.push(one))).toEqual({
      elsewhere: 'wg0',
    })
    expect(await routeFor({ interface: 'wg0' }, open)).toEqual({})
    expect(findings).toEqual([{ kind: 'leavesElsewhere', interface: 'eth0', through: 'wg0' }])
  })
})

// biome-ignore format: a table
it.each<[string, Binding, Family, string | undefined]>([
  ['an interface, from its address',                     { interface: 'eth0' },                     'v4', LAN.address],
  ['an interface without the family, from none',         { interface: 'eth0' },                     'v6', 'none'],
  ['an interface that is gone, from none',               { interface: 'wan1' },                     'v4', 'none'],
  ['an address of this host, from it',                   { from: LAN.address },                     'v4', LAN.address],
  ['an address of its loopback interface, from it',      { from: address('127.0.0.2') },            'v4', '127.0.0.2'],
  ['an address of no interface that is up, from none',   { from: address('192.168.9.9') },          'v4', 'none'],
  ['an address of the other family, as the kernel does', { from: address('192.168.9.9') },          'v6', undefined],
])('a hostname is bound to %s', async (_, binding, family, expected) =>
  expect(await localAddressOf(binding, async () => Promise.resolve([LAN, TUNNEL]))?.(family)).toBe(expected))
