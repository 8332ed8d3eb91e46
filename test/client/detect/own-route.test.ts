import { describe, expect, it } from 'vitest'
import { onBoundRoute, onOwnRoute, onRoute } from '../../../src/client/detect/own-route.ts'
import { type AddressSource, NO_COOLDOWN, type Vantage } from '../../../src/client/detect/sources/source.ts'
import type { Family } from '../../../src/shared/base/address.ts'
import type { SentPacket, Sighting } from '../../../src/shared/base/sighting.ts'
import type { InterfaceAddress } from '../../../src/shared/ports/interfaces.ts'
import type { OutboundRoute } from '../../../src/shared/ports/network.ts'
import { address } from '../../fakes/address.ts'
import { never } from '../../fakes/request.ts'

const of = (name: string, text: string): InterfaceAddress => ({
  interface: name,
  address: address(text),
  isTemporary: false,
  isUnusable: false,
  isPermanent: false,
  prefixLength: 24,
})
const INTERFACES = [
  of('eth0', '192.168.1.20'),
  of('eth0', '192.168.1.21'),
  of('eth1', '10.1.1.20'),
  of('tun0', '10.8.0.2'),
]
const ROUTE: OutboundRoute = { interface: 'eth0', address: address('192.168.1.20') }
const SEEN = { kind: 'seen', address: address('8.8.8.8'), by: 'x' } as const

const SENT = {
  local: address('192.168.1.20'),
  remote: address('9.9.9.9'),
  protocol: 'udp',
  port: 3478,
} as const

interface Case {
  readonly sent?: Partial<SentPacket>
  readonly route?: OutboundRoute | undefined
  /** Of this packet, by all rules. */
  readonly way?: Omit<OutboundRoute, 'address'>
  readonly published?: readonly string[]
  /** The line that may be published. */
  readonly line?: Pick<OutboundRoute, 'interface' | 'gateway'>
}

const isTunnel = async (name: string) => Promise.resolve(name === 'tun0')

const asked = async ({ sent, way, line, published = [], ...rest }: Case): Promise<Sighting> => {
  const route = 'route' in rest ? rest.route : ROUTE
  const source: AddressSource = {
    name: 'x',
    operator: 'x',
    vantage: 'outside',
    families: ['v4'],
    cooldown: NO_COOLDOWN,
    look: async () => Promise.resolve({ ...SEEN, ...(sent && { sent: { ...SENT, ...sent } }) }),
  }
  const ports = {
    outboundRoute: async () => Promise.resolve(route),
    packetRoute: async () => Promise.resolve(way),
    interfaces: async () => Promise.resolve(INTERFACES),
    published: () => published.map(address),
    isTunnel,
    lineOfVotes: async () => Promise.resolve(line),
  }
  return onOwnRoute(source, ports).look('v4', never)
}

const stray = (through: string, route = 'eth0', isVpn = true): Sighting => ({
  kind: 'unknown',
  because: `was asked through ${through}, and the line of this host is ${route}`,
  ...(isVpn && { through }),
})
const from = (local: string, remote = '9.9.9.9') => ({ local: address(local), remote: address(remote) })
const TUN: OutboundRoute = { interface: 'tun0', address: address('10.8.0.2') }
const [HOME, OTHER] = ['192.168.1.1', '192.168.1.2'].map((one) => ({
  interface: 'eth0',
  gateway: address(one),
})) as [OutboundRoute, OutboundRoute]

describe('an answer', () => {
  // biome-ignore format: a table
  it.each<[string, Case, Sighting]>([
    ['that left by the route counts',                          { sent: {} },                                   SEEN],
    ['from another address of its interface counts',           { sent: from('192.168.1.21') },                 SEEN],
    ['whose way is not known counts',                          {},                                             SEEN],
    ['of a host without a route counts',                       { sent: {}, route: undefined },                 SEEN],
    ['that left by a tunnel does not, and names it',           { sent: from('10.8.0.2') },                     stray('tun0')],
    ['of a host inside a tunnel does not',                     { sent: from('10.8.0.2', '198.18.0.1') },       stray('tun0')],
    ['of this host counts',                                    { sent: from('127.0.0.1', '127.0.0.1') },       SEEN],
    ['of a host of this network counts, behind a VPN too',     { sent: from('192.168.1.20', '192.168.1.1'), route: TUN }, SEEN],
    ['that left by another line does not',                     { sent: from('10.1.1.20') },                    stray('eth1', 'eth0', false)],
    ['that left by the line that may be published counts',     { sent: from('10.1.1.20'), line: { interface: 'eth1' } },      SEEN],
    ['that left by the line before a tunnel does not',         { sent: {}, route: TUN },                       stray('eth0', 'tun0', false)],
    ['from an address that is gone does not',                  { sent: from('10.9.9.9') },                     { kind: 'unknown', because: 'was asked from 10.9.9.9, which this host lost' }],
    ['into a tunnel without an address does not',              { sent: {}, way: { interface: 'gre1' } },       stray('gre1')],
    ['that a rule sends to another gateway does not',          { sent: {}, way: OTHER, line: HOME },           stray('192.168.1.2 on eth0')],
    ['by a rule to the link itself does not',                  { sent: {}, way: { interface: 'eth0' }, line: HOME }, stray('no gateway on eth0')],
    ['by a gateway that nothing is known about counts',        { sent: {}, way: OTHER },                       SEEN],
    ['by the gateway of a rule for everything counts',         { sent: {}, way: OTHER, line: OTHER },          SEEN],
    ['by a rule to another line does not',                     { sent: {}, way: { interface: 'eth1' } },       stray('eth1', 'eth0', false)],
    ['with the published address is not looked up',            { sent: {}, way: { interface: 'gre1' }, published: ['8.8.8.8'] }, SEEN],
  ])('%s', async (_, one, result) => expect(await asked(one)).toEqual(result))

  it('that is none stays as it is', async () => {
    const none: Sighting = { kind: 'unknown', because: 'rain' }
    const source = {
      name: 'x',
      operator: 'x',
      vantage: 'outside',
      families: ['v4'],
      cooldown: NO_COOLDOWN,
    } as const
    const untouched = async () => Promise.reject(new Error('not asked'))
    const ports = {
      outboundRoute: untouched,
      packetRoute: untouched,
      interfaces: untouched,
      isTunnel: untouched,
      lineOfVotes: untouched,
      published: () => [],
    }
    const made = onOwnRoute({ ...source, look: async () => Promise.resolve(none) }, ports)
    expect(await made.look('v4', never)).toEqual(none)
  })
})

describe('an answer for a hostname that is bound to an interface', () => {
  const bound = async (
    ways: Readonly<Record<string, string>>,
    { local = '10.1.1.20', gateway }: { local?: string; gateway?: string } = {},
  ) => {
    let isAsked = false
    const source: AddressSource = {
      name: 'x',
      operator: 'x',
      vantage: 'outside',
      families: ['v4'],
      cooldown: NO_COOLDOWN,
      look: async () => {
        isAsked = true
        return Promise.resolve({ ...SEEN, sent: { ...SENT, local: address('10.1.1.20') } })
      },
    }
    const ports = {
      from: async () => Promise.resolve(local === undefined ? undefined : address(local)),
      gateway: gateway === undefined ? undefined : address(gateway),
      interfaces: async () => Promise.resolve(INTERFACES),
      packetRoute: async (packet: object) => {
        const name = ways['remote' in packet ? 'packet' : 'any']
        return Promise.resolve(
          name === undefined ? undefined : { interface: name, gateway: address('10.1.1.1') },
        )
      },
    }
    return { sighting: await onBoundRoute(source, ports).look('v4', never), isAsked: () => isAsked }
  }
  const elsewhere = (name: string): Sighting => ({
    kind: 'unknown',
    because: `traffic from eth1 leaves through ${name}`,
    lacksInterface: true,
  })

  it('counts where its question left by it', async () =>
    expect((await bound({ any: 'eth1', packet: 'eth1' })).sighting).toEqual(SEEN))

  it('counts where the way cannot be found out', async () => expect((await bound({})).sighting).toEqual(SEEN))

  it('is not asked for without a rule for its address', async () => {
    const { sighting, isAsked } = await bound({ any: 'eth0', packet: 'eth0' })
    expect([sighting, isAsked()]).toEqual([elsewhere('eth0'), false])
  })

  it('counts by its gateway alone, where it is bound to one', async () => {
    const ways = { any: 'eth1', packet: 'eth1' }
    expect((await bound(ways, { gateway: '10.1.1.1' })).sighting).toEqual(SEEN)
    const { sighting, isAsked } = await bound(ways, { gateway: '10.1.1.2' })
    expect([sighting, isAsked()]).toEqual([elsewhere('10.1.1.1 on eth1'), false])
  })

  it('does not count where a rule for its port took it', async () =>
    expect((await bound({ any: 'eth1', packet: 'tun0' })).sighting).toEqual(elsewhere('tun0')))
})

describe('a source', () => {
  const made = (vantage: Vantage, from: string | undefined, allowVpn: boolean): AddressSource => {
    const look = async () =>
      Promise.resolve({ ...SEEN, sent: { ...SENT, local: address('10.8.0.2') } } satisfies Sighting)
    const source = {
      name: 'x',
      operator: 'x',
      vantage,
      families: ['v4', 'v6'],
      cooldown: NO_COOLDOWN,
      look,
    } as const
    return onRoute(source, {
      outboundRoute: async () => Promise.resolve(ROUTE),
      packetRoute: async () => Promise.resolve({ interface: 'tun0' }),
      interfaces: async () => Promise.resolve(INTERFACES),
      isTunnel,
      lineOfVotes: async () => Promise.resolve(undefined),
      published: () => [],
      gateway: undefined,
      from:
        from === undefined
          ? undefined
          : async (family) => Promise.resolve(family === 'v4' ? address(from) : undefined),
      allowVpn,
    })
  }
  const kindOf = async (source: AddressSource, family: Family = 'v4') =>
    (await source.look(family, never)).kind

  // biome-ignore format: a table
  it.each<[string, Vantage, string | undefined, boolean, Family, Sighting['kind']]>([
    ['outside is judged by the route of the host',                'outside', undefined,   false, 'v4', 'unknown'],
    ['outside is not, where every line may be published',         'outside', undefined,   true,  'v4', 'seen'],
    ['outside is judged by the interface of a bound hostname',    'outside', '10.1.1.20', true,  'v4', 'unknown'],
    ['outside is judged by the route for the family of no bound address', 'outside', '10.1.1.20', false, 'v6', 'unknown'],
    ['near is asked on its own link',                             'router',  undefined,   false, 'v4', 'seen'],
  ])('%s', async (_, vantage, from, allowVpn, family, kind) =>
    expect(await kindOf(made(vantage, from, allowVpn), family)).toBe(kind))
})
