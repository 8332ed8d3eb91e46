import { describe, expect, it } from 'vitest'
import { onOwnRoute } from '../../../src/client/detect/own-route.ts'
import { type AddressSource, NO_COOLDOWN } from '../../../src/client/sources/source.ts'
import type { Sighting } from '../../../src/net/sighting.ts'
import type { InterfaceAddress } from '../../../src/ports/interfaces.ts'
import type { OutboundRoute } from '../../../src/ports/network.ts'
import { address } from '../../fakes/address.ts'
import { never } from '../../fakes/request.ts'

const of = (name: string, text: string, isTunnel = false): InterfaceAddress => ({
  interface: name,
  address: address(text),
  isTemporary: false,
  isUnusable: false,
  isPermanent: false,
  prefixLength: 24,
  isTunnel,
})
const INTERFACES = [
  of('eth0', '192.168.1.20'),
  of('eth0', '192.168.1.21'),
  of('eth1', '10.1.1.20'),
  of('tun0', '10.8.0.2', true),
]
const ROUTE: OutboundRoute = { interface: 'eth0', address: address('192.168.1.20') }
const SEEN = { kind: 'seen', address: address('8.8.8.8'), by: 'x' } as const

const asked = async (sighting: Sighting, route: OutboundRoute | undefined): Promise<Sighting> => {
  const source: AddressSource = {
    name: 'x',
    operator: 'x',
    vantage: 'outside',
    families: ['v4'],
    cooldown: NO_COOLDOWN,
    look: async () => Promise.resolve(sighting),
  }
  const ports = {
    outboundRoute: async () => Promise.resolve(route),
    interfaces: async () => Promise.resolve(INTERFACES),
  }
  return onOwnRoute(source, ports).look('v4', never)
}

describe('an answer', () => {
  // biome-ignore format: a table
  it.each<[string, string | undefined, OutboundRoute | undefined, Sighting]>([
    ['that left by the route counts',                          '192.168.1.20', ROUTE,     SEEN],
    ['from another address of its interface counts',           '192.168.1.21', ROUTE,     SEEN],
    ['whose way is not known counts',                          undefined,      ROUTE,     SEEN],
    ['of a host without a route counts',                       '192.168.1.20', undefined, SEEN],
    ['that left by a tunnel does not count, and names it',     '10.8.0.2',     ROUTE,     { kind: 'unknown', because: 'was asked through tun0, and the route of this host is eth0', through: 'tun0' }],
    ['that left by another line does not count',               '10.1.1.20',    ROUTE,     { kind: 'unknown', because: 'was asked through eth1, and the route of this host is eth0' }],
    ['that left by the line before a tunnel does not count',   '192.168.1.20', { interface: 'tun0', address: address('10.8.0.2') }, { kind: 'unknown', because: 'was asked through eth0, and the route of this host is tun0' }],
    ['from an address that is gone does not count',            '10.9.9.9',     ROUTE,     { kind: 'unknown', because: 'was asked from 10.9.9.9, which this host lost' }],
  ])('%s', async (_, local, route, result) =>
    expect(await asked({ ...SEEN, ...(local !== undefined && { local: address(local) }) }, route)).toEqual(result))

  it('that is none stays as it is', async () =>
    expect(await asked({ kind: 'unknown', because: 'rain' }, ROUTE)).toEqual({
      kind: 'unknown',
      because: 'rain',
    }))
})
