import { describe, expect, it } from 'vitest'
import { localSource } from '../../../../src/client/detect/sources/interface.ts'
import { systemInterfaces } from '../../../../src/shared/platform/network/interfaces.ts'
import { systemOutboundRoute } from '../../../../src/shared/platform/network/outbound-route.ts'
import type { InterfaceAddress } from '../../../../src/shared/ports/interfaces.ts'
import { sourceContract } from '../../../contract/source.ts'
import { address, interfaceAddress } from '../../../fakes/address.ts'
import { never } from './responders.ts'

describe('the interface source', () => {
  const look = async (all: readonly InterfaceAddress[], family: 'v4' | 'v6', only?: string) =>
    localSource({ interfaces: async () => all, outboundRoute: async () => undefined }, only, {
      allowed: [],
    }).look(family, never)

  it('reports a public address', async () =>
    expect(await look([interfaceAddress('10.0.0.1'), interfaceAddress('8.8.8.8')], 'v4')).toMatchObject({
      kind: 'seen',
      address: '8.8.8.8',
    }))
  it('reports none behind a NAT', async () =>
    expect(await look([interfaceAddress('192.168.1.5'), interfaceAddress('fe80::1')], 'v4')).toEqual({
      kind: 'none',
    }))

  it('ignores temporary, deprecated and tentative addresses', async () =>
    expect(
      await look(
        [
          interfaceAddress('2606:4700::1', { isTemporary: true }),
          interfaceAddress('2606:4700::2', { isUnusable: true }),
        ],
        'v6',
      ),
    ).toEqual({ kind: 'none' }))

  it('does not depend on the order of addresses', async () => {
    const all = [interfaceAddress('2606:4700::2'), interfaceAddress('2606:4700::1')]

    expect(await look(all, 'v6')).toEqual(await look(all.toReversed(), 'v6'))
  })

  it('ranks permanent addresses first, then those from DHCPv6, then the previous one, then the lowest', async () => {
    const slaac = interfaceAddress('2a0d:3341::34a6:1')
    const byHand = interfaceAddress('2a0d:3341::f100', { isPermanent: true })
    const leased = interfaceAddress('2a0d:3341::ff21', { prefixLength: 128 })
    const other = interfaceAddress('2600:9::1', { interface: 'tun0', isPermanent: true })

    expect(await look([slaac, other, leased, byHand], 'v6')).toMatchObject({
      address: '2600:9::1',
      others: ['2a0d:3341::f100', '2a0d:3341::ff21', '2a0d:3341::34a6:1'],
    })
  })

  it('ranks equal addresses by number, not by text', async () =>
    expect(
      await look([interfaceAddress('2600:0:0:1:2:34a6:1:1'), interfaceAddress('2600:0:0:1:2::9')], 'v6'),
    ).toMatchObject({
      address: '2600::1:2:0:0:9',
    }))

  it('ranks the network first that the kernel sends from', async () => {
    const all = [interfaceAddress('2001:470::1', { isPermanent: true }), interfaceAddress('2a0d:3341::5')]
    const source = localSource(
      {
        interfaces: async () => all,
        outboundRoute: async () => ({ address: address('2a0d:3341::dead'), interface: 'eth0' }),
      },
      undefined,
      { allowed: [] },
    )

    expect(await source.look('v6', never)).toMatchObject({ address: '2a0d:3341::5', others: ['2001:470::1'] })
  })

  it('marks a substitute for an interface that lost its address', async () => {
    const bridge = interfaceAddress('2001:470::1', { interface: 'docker0' })
    let all = [interfaceAddress('2a0d:3341::5'), bridge]
    let through: string | undefined = 'eth0'
    const source = localSource(
      {
        interfaces: async () => all,
        outboundRoute: async (_, from) =>
          through === undefined
            ? undefined
            : { interface: through, ...(from === undefined && { address: address('2a0d:3341::5') }) },
      },
      undefined,
      { allowed: [] },
    )
    const isSubstitute = async () => {
      const seen = await source.look('v6', never)
      return seen.kind === 'seen' && seen.isSubstitute === true
    }

    expect(await isSubstitute()).toBe(false)
    all = [bridge]
    expect(await isSubstitute()).toBe(true)
    through = undefined
    expect(await isSubstitute()).toBe(true)
    through = 'docker0'
    expect(await isSubstitute()).toBe(false)
  })

  it('reports one interface only, which must exist', async () => {
    const all = [interfaceAddress('8.8.8.8'), interfaceAddress('8.8.4.4', { interface: 'eth1' })]

    expect(await look(all, 'v4', 'eth1')).toMatchObject({
      kind: 'seen',
      address: '8.8.4.4',
      by: 'interface:eth1',
    })
    expect(await look(all, 'v4', 'eth2')).toMatchObject({
      kind: 'unknown',
      because: 'there is no interface eth2',
    })
  })

  it('is unknown when the interfaces cannot be read', async () =>
    expect(
      await localSource(
        { interfaces: async () => Promise.reject(new Error('EPERM')), outboundRoute: async () => undefined },
        undefined,
        { allowed: [] },
      ).look('v4', never),
    ).toMatchObject({ kind: 'unknown' }))
})

sourceContract('an interface', () =>
  localSource({ interfaces: systemInterfaces, outboundRoute: systemOutboundRoute }, 'lo', { allowed: [] }),
)
sourceContract('own interfaces', () =>
  localSource({ interfaces: systemInterfaces, outboundRoute: systemOutboundRoute }, undefined, {
    allowed: [],
  }),
)
