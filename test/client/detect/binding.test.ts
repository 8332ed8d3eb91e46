import { expect, it } from 'vitest'
import { type Binding, localAddressOf, outsideRouteOf } from '../../../src/client/detect/binding.ts'
import type { OutsideRoute } from '../../../src/client/detect/uplink.ts'
import type { Family } from '../../../src/shared/base/address.ts'
import type { InterfaceAddress } from '../../../src/shared/ports/interfaces.ts'
import type { Gateway, OutboundRoute } from '../../../src/shared/ports/network.ts'
import { address } from '../../fakes/address.ts'

const on = (name: string, one: string, isTunnel = false): InterfaceAddress => ({
  interface: name,
  address: address(one),
  isTunnel,
  isTemporary: false,
  isUnusable: false,
  isPermanent: false,
  prefixLength: 24,
})
const LAN = on('eth0', '192.168.1.10')
const TUNNEL = on('wg0', '10.8.0.2', true)
const TRANSLATOR = on('clat', '192.0.0.4', true)
const ROUTER: Gateway = { address: address('192.168.1.1'), interface: 'eth0', local: LAN.address }
const via = (name: string, gateway?: string): OutboundRoute => ({
  address: LAN.address,
  interface: name,
  ...(gateway !== undefined && { gateway: address(gateway) }),
})

interface Host {
  readonly v4: OutboundRoute
  readonly v6?: OutboundRoute
  readonly router?: Gateway
  readonly interfaces?: readonly InterfaceAddress[]
}
const HOME: Host = { v4: via('eth0', '192.168.1.1'), router: ROUTER }
const VPN: Host = { v4: via('wg0'), router: ROUTER }

// biome-ignore format: a table
it.each<[string, Host, Family, OutsideRoute]>([
  ['the router',                            HOME,                                               'v4', {}],
  ['a tunnel beside the router',            VPN,                                                'v4', { elsewhere: 'wg0', isVpn: true }],
  ['another line beside the router',        { ...HOME, v4: via('eth1', '192.168.2.1') },        'v4', { elsewhere: 'eth1' }],
  ['another gateway',                       { ...HOME, v4: via('eth0', '192.168.1.2') },        'v4', { elsewhere: '192.168.1.2 on eth0' }],
  ['a tunnel beside a network without a router', { v4: via('wg0') },                            'v4', { elsewhere: 'wg0' }],
  ['a tunnel alone',                        { v4: via('wg0'), interfaces: [TUNNEL] },           'v4', {}],
  ['a tunnel on a host that translates',    { v4: via('wg0'), interfaces: [TUNNEL, TRANSLATOR] }, 'v4', { elsewhere: 'wg0', isVpn: true }],
  ['a host that translates',                { v4: { ...via('clat'), address: TRANSLATOR.address }, interfaces: [LAN, TRANSLATOR] }, 'v4', {}],
  ['the tunnel of IPv4',                    { ...VPN, v6: via('wg0') },                         'v6', { elsewhere: 'wg0', isVpn: true }],
  ['a tunnel for IPv6 alone',               { ...HOME, v6: via('wg0') },                        'v6', { elsewhere: 'wg0' }],
  ['the network itself',                    { ...HOME, v6: via('eth0') },                       'v6', {}],
])('questions through %s', async (_, { v4, v6, router, interfaces = [LAN, TUNNEL] }, family, expected) => {
  const ports = {
    gateway: async () => Promise.resolve(router),
    outboundRoute: async (one: Family) => Promise.resolve(one === 'v4' ? v4 : v6),
    interfaces: async () => Promise.resolve(interfaces),
  }
  expect(await outsideRouteOf({}, ports, () => undefined)?.(family)).toEqual(expected)
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
