import { expect, it } from 'vitest'
import { defaultGateway, homeGateway } from '../../../src/client/detect/home-gateway.ts'
import type { KernelRoute } from '../../../src/shared/ports/network.ts'
import { address, interfaceAddress } from '../../fakes/address.ts'

const route = (name: string, via: string, more: Partial<KernelRoute> = {}): KernelRoute => ({
  interface: name,
  destination: address('0.0.0.0'),
  length: 0,
  gateway: address(via),
  metric: 0,
  ...more,
})
const on = (name: string, text: string, isTunnel = false) => ({
  ...interfaceAddress(text),
  interface: name,
  isTunnel,
})
const HOME = route('eth0', '192.168.1.1')
const VPN = route('wg0', '10.9.0.1')
const ADDRESSES = [on('eth0', '192.168.1.7'), on('wg0', '10.9.0.2', true)]

/** A host whose routes and addresses change. */
function host(routes: readonly KernelRoute[], addresses = ADDRESSES) {
  const state = { routes, addresses }
  const ports = {
    routes: async () => Promise.resolve(state.routes),
    interfaces: async () => Promise.resolve(state.addresses),
  }
  return { state, ports }
}

it('the default gateway has the lowest metric, of any interface or of one', async () => {
  const { ports } = host([
    { ...VPN, metric: 50 },
    { ...HOME, metric: 100 },
  ])
  const find = defaultGateway(ports)

  expect(await find()).toEqual({ address: '10.9.0.1', interface: 'wg0', local: '10.9.0.2' })
  expect(await find('eth0')).toEqual({ address: '192.168.1.1', interface: 'eth0', local: '192.168.1.7' })
  expect(await find('eth1')).toBeUndefined()
})

it('the gateway of a part of the internet is not the default one', async () => {
  const part = route('eth0', '192.168.1.254', { destination: address('10.0.0.0'), length: 8 })
  expect(await defaultGateway(host([part, { ...HOME, metric: 100 }]).ports)()).toMatchObject({
    address: '192.168.1.1',
  })
})

it('behind a VPN, the home router stays the one that was seen before', async () => {
  const { state, ports } = host([HOME])
  const find = homeGateway(ports)
  expect((await find())?.address).toBe('192.168.1.1')

  state.routes = [VPN]
  expect((await find())?.address).toBe('192.168.1.1')

  state.addresses = [on('wg0', '10.9.0.2', true)]
  expect((await find())?.address).toBe('10.9.0.1')
})

it('after a start behind a VPN, it is the next default gateway', async () => {
  const { ports } = host([
    { ...VPN, metric: 50 },
    { ...HOME, metric: 100 },
  ])
  expect(await homeGateway(ports)()).toMatchObject({ address: '192.168.1.1', interface: 'eth0' })
  expect(await homeGateway(ports)('wg0')).toMatchObject({ address: '10.9.0.1' })
})

it('after a start behind a VPN, it is the gateway of a route to one host', async () => {
  const server = route('eth0', '192.168.1.1', { destination: address('198.51.100.9'), length: 32 })
  const { ports } = host([VPN, { ...server, interface: 'wg0' }, server])

  expect(await homeGateway(ports)()).toEqual({
    address: '192.168.1.1',
    interface: 'eth0',
    local: '192.168.1.7',
  })
})

it('without routes there is no gateway', async () => {
  const { ports } = host([])
  expect(await homeGateway(ports)()).toBeUndefined()
  expect(await defaultGateway(ports)()).toBeUndefined()
})
