import { expect, it } from 'vitest'
import { defaultGateway } from '../../../src/client/detect/default-gateway.ts'
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
const on = (name: string, text: string) => ({ ...interfaceAddress(text), interface: name })
const HOME = route('eth0', '192.168.1.1')
const VPN = route('wg0', '10.9.0.1')
const ADDRESSES = [on('eth0', '192.168.1.7'), on('wg0', '10.9.0.2')]

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

it('without routes there is no gateway', async () => {
  const { ports } = host([])
  expect(await defaultGateway(ports)()).toBeUndefined()
})
