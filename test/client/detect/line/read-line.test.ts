import { describe, expect, it } from 'vitest'
import { type LinePorts, readLine } from '../../../../src/client/detect/line/read-line.ts'
import type { Line } from '../../../../src/client/decide/state.ts'
import type { Family } from '../../../../src/shared/base/address.ts'
import type { InterfaceAddress } from '../../../../src/shared/ports/interfaces.ts'
import type { KernelRoute, Neighbour, OutboundRoute } from '../../../../src/shared/ports/network.ts'
import { address, interfaceAddress } from '../../../fakes/address.ts'

interface Host {
  /** Where this host sends what it forwards from an address. */
  readonly onward?: Readonly<Record<string, Omit<OutboundRoute, 'address'>>>
  /** The interface that the kernel sends by, where it does not have the source address. */
  readonly on?: string
  readonly source: string
  readonly interfaces: readonly InterfaceAddress[]
  readonly routes: readonly KernelRoute[]
  readonly neighbours?: readonly Neighbour[]
  readonly tunnels?: readonly string[]
  /** By rules, where the main table says otherwise. */
  readonly gateway?: string
}

const at = (name: string, text: string, prefixLength: number, more: Partial<InterfaceAddress> = {}) =>
  interfaceAddress(text, { interface: name, prefixLength, ...more })
const route = (name: string, to: string, via?: string, metric = 100): KernelRoute => {
  const [destination = '', length = ''] = to.split('/')
  return {
    interface: name,
    destination: address(destination),
    length: Number(length),
    metric,
    ...(via !== undefined && { gateway: address(via) }),
  }
}

async function read(
  { source, interfaces, routes, neighbours = [], tunnels = [], gateway, on, onward }: Host,
  home?: Line,
  known: readonly Line[] = [],
) {
  const name = on ?? interfaces.find((one) => one.address === source)?.interface ?? ''
  const ports: LinePorts = {
    outboundRoute: async () => Promise.resolve({ interface: name, address: address(source) }),
    wayOut: async () =>
      Promise.resolve(gateway === undefined ? undefined : { interface: name, gateway: address(gateway) }),
    packetRoute: async (packet) => Promise.resolve('by' in packet ? onward?.[packet.from] : undefined),
    routes: async () => Promise.resolve(routes),
    interfaces: async () => Promise.resolve(interfaces),
    neighbours: async () => Promise.resolve(neighbours),
    isTunnel: async (one) => Promise.resolve(tunnels.includes(one)),
  }
  const family: Family = source.includes(':') ? 'v6' : 'v4'
  return readLine(ports, family, { known, ...(home && { home }) })
}

const ROUTER = address('192.168.1.1')
const LAN = at('eth0', '192.168.1.20', 24)
const DEFAULT = route('eth0', '0.0.0.0/0', '192.168.1.1')
const HOME: Line = { interface: 'eth0', gateway: ROUTER, source: LAN.address }

describe('the line in use', () => {
  it('is beside a known line whose router is still there, through another gateway or as a tunnel', async () => {
    const mac = '02:00:00:00:00:01'
    const own = { ...HOME, mac }
    const host = {
      source: LAN.address,
      interfaces: [LAN],
      routes: [route('eth0', '0.0.0.0/0', '192.168.1.66')],
      neighbours: [{ address: ROUTER, interface: 'eth0', mac }],
    }
    const elsewhere = { ...own, gateway: address('192.168.8.1') }
    expect((await read(host, undefined, [elsewhere, own])).use).toMatchObject({ beside: [own] })
    for (const known of [
      elsewhere,
      HOME,
      { ...own, mac: '02:00:00:00:00:02' },
      { ...own, interface: 'wlan0' },
      { ...own, gateway: address('192.168.1.66') },
    ])
      expect((await read(host, undefined, [known])).use).not.toHaveProperty('beside')
    expect((await read({ ...host, neighbours: [] }, undefined, [own])).use).not.toHaveProperty('beside')
    const tunnel = {
      ...host,
      source: '10.8.0.2',
      interfaces: [LAN, at('wg0', '10.8.0.2', 32)],
      routes: [route('wg0', '0.0.0.0/0')],
    }
    expect((await read({ ...tunnel, tunnels: ['wg0'] }, undefined, [own])).use).toMatchObject({
      beside: [own],
    })
    expect((await read(tunnel, undefined, [own])).use).not.toHaveProperty('beside')
  })

  it('is the interface, its address and its gateway, with the MAC address of that', async () => {
    const neighbours = [{ address: ROUTER, interface: 'eth0', mac: '02:00:00:00:00:01' }]
    expect(await read({ source: '192.168.1.20', interfaces: [LAN], routes: [DEFAULT], neighbours })).toEqual({
      use: {
        interface: 'eth0',
        source: '192.168.1.20',
        gateway: '192.168.1.1',
        mac: '02:00:00:00:00:01',
        isGlobal: false,
        isForeign: false,
        isTunnel: false,
      },
    })
  })

  it('has the gateway of a rule', async () => {
    const host = { source: '192.168.1.20', interfaces: [LAN], routes: [DEFAULT], gateway: '192.168.1.66' }
    expect((await read(host)).use).toMatchObject({ gateway: '192.168.1.66' })
  })

  it('is foreign where its address is not of the network of the gateway, as of a policy of IPsec', async () => {
    const interfaces = [LAN, at('eth0', '10.8.0.2', 32)]
    const read1 = await read({ source: '10.8.0.2', interfaces, routes: [DEFAULT] })
    expect(read1.use).toMatchObject({ isForeign: true })
    // An address of a cloud has no gateway in its network, and no other address beside it.
    const cloud = {
      source: '10.1.0.2',
      interfaces: [at('eth0', '10.1.0.2', 32)],
      routes: [route('eth0', '0.0.0.0/0', '10.1.0.1')],
    }
    expect((await read(cloud)).use).toMatchObject({ isForeign: false })
  })

  it('is foreign with a virtual address of IPsec on lo, and not with one of VRRP', async () => {
    const host = { source: '10.8.0.2', interfaces: [LAN], routes: [DEFAULT] }
    expect((await read({ ...host, on: 'eth0' })).use).toMatchObject({ interface: 'eth0', isForeign: true })
    const shared = at('eth0', '192.168.1.200', 32)
    const vrrp = { source: '192.168.1.200', interfaces: [LAN, shared], routes: [DEFAULT] }
    expect((await read(vrrp)).use).toMatchObject({ isForeign: false })
  })

  const TUNNEL = at('foo0', '10.8.0.2', 24)
  // biome-ignore format: a table
  it.each<[string, readonly KernelRoute[], string | undefined]>([
    ['a rule, and the main table stays',      [DEFAULT],                                                                       'eth0'],
    ['two halves before the default route',   [DEFAULT, route('foo0', '0.0.0.0/1'), route('foo0', '128.0.0.0/1')],             'eth0'],
    ['the default route, and one to its server', [route('foo0', '0.0.0.0/0'), route('eth0', '14.0.0.9/32', '192.168.1.1')],    'eth0'],
    ['the default route alone',               [route('foo0', '0.0.0.0/0')],                                                    undefined],
    ['a better metric, as of a second line',  [route('foo0', '0.0.0.0/0', '10.8.0.1', 50), DEFAULT],                           undefined],
    ['the default route, beside a host of the network', [route('foo0', '0.0.0.0/0'), route('eth0', '192.168.9.9/32', '192.168.1.1')], undefined],
  ])('that took the traffic by %s is over %4$s', async (_, routes, beneath) => {
    const { use } = await read({ source: '10.8.0.2', interfaces: [LAN, TUNNEL], routes })
    expect(use?.beneath?.interface).toBe(beneath)
  })

  it('is over the line that this host dials where the kernel calls it a tunnel', async () => {
    const dialled = at('ppp0', '77.77.10.2', 32)
    const routes = [
      route('wg0', '0.0.0.0/0', undefined, 0),
      route('ppp0', '0.0.0.0/0'),
      route('ppp0', '14.0.0.9/32'),
    ]
    const host = { source: '10.8.0.2', interfaces: [dialled, at('wg0', '10.8.0.2', 32)], routes }
    expect((await read(host)).use?.beneath).toBeUndefined()
    expect((await read({ ...host, tunnels: ['wg0'] })).use?.beneath?.interface).toBe('ppp0')
    const routed = {
      ...host,
      source: '77.77.10.9',
      interfaces: [dialled, at('wg0', '77.77.10.9', 32)],
      tunnels: ['wg0'],
    }
    expect((await read(routed)).use?.beneath).toBeUndefined()
  })

  it('is over the line by which this host forwards the packets of its gateway, such as a container', async () => {
    const interfaces = [LAN, at('veth0', '172.30.0.1', 24)]
    const routes = [route('veth0', '0.0.0.0/0', '172.30.0.2')]
    const host = { source: '172.30.0.1', interfaces, routes }
    expect((await read(host)).use?.beneath).toBeUndefined()
    const forwarding = { ...host, onward: { '172.30.0.2': { interface: 'eth0', gateway: ROUTER } } }
    for (const home of [undefined, HOME])
      expect((await read(forwarding, home)).use?.beneath).toMatchObject({
        interface: 'eth0',
        gateway: ROUTER,
      })
    const back = { ...host, onward: { '172.30.0.2': { interface: 'veth0' } } }
    expect((await read(back)).use?.beneath).toBeUndefined()
  })

  it('over IPv6 is over another one where the kernel calls it a tunnel: all tables are one list', async () => {
    const interfaces = [at('eth0', '2a02:1::20', 64), at('wg0', '2a02:9::2', 128)]
    const routes = [route('wg0', '::/0', undefined, 1024), route('eth0', '::/0', 'fe80::1', 1024)]
    const host = { source: '2a02:9::2', interfaces, routes }
    expect((await read(host)).use?.beneath).toBeUndefined()
    expect((await read({ ...host, tunnels: ['wg0'] })).use).toMatchObject({
      isGlobal: true,
      isTunnel: true,
      beneath: { interface: 'eth0', gateway: 'fe80::1' },
    })
  })
})

describe('the home line, while another one is in use', () => {
  const LTE = at('wwan0', '77.77.10.2', 30)
  const over = (
    interfaces: readonly InterfaceAddress[],
    routes: readonly KernelRoute[],
    neighbours: readonly Neighbour[] = [],
  ) => ({
    source: '77.77.10.2',
    interfaces,
    routes,
    neighbours,
  })
  const UP = route('wwan0', '0.0.0.0/0')

  // biome-ignore format: a table
  it.each<[string, Host, object]>([
    ['is there',                              over([LAN, LTE], [UP, DEFAULT]),                                { hasSource: true, hasRoute: true, gateway: 'unknown' }],
    ['has a new lease',                       over([at('eth0', '192.168.1.77', 24), LTE], [UP, DEFAULT]),     { hasSource: true, hasRoute: true, gateway: 'unknown' }],
    ['is out of its interface',               over([LTE], [UP]),                                              { hasSource: false, hasRoute: false, gateway: 'unknown' }],
    ['has another network',                   over([at('eth0', '192.168.9.9', 24), LTE], [UP]),               { hasSource: false, hasRoute: false, gateway: 'unknown' }],
    ['has a route to one host',               over([LAN, LTE], [UP, route('eth0', '14.0.0.9/32', '192.168.1.1')]), { hasSource: true, hasRoute: true, gateway: 'unknown' }],
    ['has a route by another gateway alone',  over([LAN, LTE], [UP, route('eth0', '0.0.0.0/0', '192.168.1.66')]),  { hasSource: true, hasRoute: false, gateway: 'unknown' }],
    ['has a gateway that is gone',            over([LAN, LTE], [UP, DEFAULT], [{ address: ROUTER, interface: 'eth0' }]), { hasSource: true, hasRoute: true, gateway: 'silent' }],
    ['is on a system without tables',         over([LAN, LTE], []),                                           { hasSource: true, hasRoute: true, gateway: 'unknown' }],
  ])('%s', async (_, host, home) => expect((await read(host, HOME)).home).toEqual(home))

  const BOX = at('eth0', '2a02:99::20', 64)
  const V6: Line = { interface: 'eth0', gateway: address('fe80::1'), source: address('2a02:1::20') }
  // biome-ignore format: a table
  it.each<[string, readonly InterfaceAddress[], boolean]>([
    ['while an address of its prefix is preferred',        [at('eth0', '2a02:1::abcd', 64), BOX],                         true],
    ['also on another interface',                          [at('wlan0', '2a02:1::abcd', 64), BOX],                        true],
    ['not by one that is not preferred any more',          [at('eth0', '2a02:1::20', 64, { isUnusable: true }), BOX],     false],
    ['by a new prefix that is not usable yet',             [at('eth0', '2a02:2::20', 64, { isUnusable: true, isTentative: true }), BOX], true],
    ['by a new prefix that is not of the line in use',     [at('eth0', '2a02:2::20', 64), BOX],                           true],
    ['not by an address of this network alone',            [at('eth0', 'fd00::20', 64), BOX],                             false],
  ])('lives over IPv6 %s', async (_, interfaces, hasSource) => {
    const routes = [route('eth0', '::/0', 'fe80::66')]
    expect((await read({ source: BOX.address, interfaces, routes }, V6)).home).toMatchObject({ hasSource })
  })
})
