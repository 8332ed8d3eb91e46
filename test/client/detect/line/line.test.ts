import { describe, expect, it } from 'vitest'
import { isSameLine, type LineInUse } from '../../../../src/client/detect/line/line.ts'
import { address } from '../../../fakes/address.ts'

const [ROUTER, OTHER] = [address('192.168.1.1'), address('192.168.9.1')]
const MAC = '02:00:00:00:00:01'
const home = { interface: 'eth0', gateway: ROUTER, mac: MAC }

describe('a line with the MAC address of the home router', () => {
  const use = (name: string, gateway: typeof ROUTER, mac = MAC): LineInUse => ({
    interface: name,
    gateway,
    mac,
    source: address('192.168.1.20'),
    isGlobal: false,
    isForeign: false,
    isTunnel: false,
  })

  it.each([
    ['is the home line by another interface', use('wlan0', ROUTER), true],
    ['is the home line when the router has a new address', use('eth0', OTHER), true],
    ['is none in another network of the router, which may leave by a VPN', use('eth0.9', OTHER), false],
    ['is none with the MAC address of another router', use('wlan0', ROUTER, '02:00:00:00:00:02'), false],
  ])('%s', (_, line, isSame) => expect(isSameLine(line, home)).toBe(isSame))
})
