import { describe, expect, it } from 'vitest'
import { routerSource } from '../../../../src/client/detect/sources/router.ts'
import type { AskByDatagram } from '../../../../src/shared/ports/datagram.ts'
import { sourceContract } from '../../../contract/source.ts'
import {
  never,
  asking,
  unknown,
  seen,
  PUBLIC,
  ports,
  overUdp,
  PMP_PORT,
  PMP_ANSWER,
  pmpReply,
  upnpRouter,
} from './responders.ts'

describe('the router source', () => {
  it('uses the protocol that answered, and both after it fails', async () => {
    const host = '127.0.0.101'
    const { asked } = await upnpRouter(host)
    const source = routerSource(ports(host), asking)

    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'upnp'))
    const pmp = await overUdp(pmpReply(PMP_ANSWER), PMP_PORT, host)
    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'upnp'))
    expect(pmp.received).toHaveLength(0)
    // The address, and the age of the connection.
    expect(asked.filter((one) => one.startsWith('POST'))).toHaveLength(4)
  })
  it('does not use UPnP after NAT-PMP answered', async () => {
    const host = '127.0.0.102'
    const { asked } = await upnpRouter(host)
    let isDeaf = false
    await overUdp(() => (isDeaf ? undefined : PMP_ANSWER), PMP_PORT, host)
    const source = routerSource(ports(host), asking)

    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'nat-pmp'))
    const before = asked.length
    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'nat-pmp'))
    expect(asked).toHaveLength(before)
    isDeaf = true
    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'upnp'))
    // It has started again: only NAT-PMP says so.
    isDeaf = false
    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'nat-pmp'))
    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'nat-pmp'))
  })
  it('reports the failures of both protocols', async () =>
    expect(await routerSource(ports('127.0.0.103'), asking).look('v4', never)).toEqual(
      unknown('nat-pmp: the port is closed; upnp: did not answer'),
    ))
  it('does not wait for UPnP when NAT-PMP answers', async () => {
    const host = '127.0.0.104'
    await overUdp(pmpReply(PMP_ANSWER), PMP_PORT, host)
    const system = ports(host)
    let searches = 0
    const datagram: AskByDatagram = async (request, signal) => {
      if (request.port === PMP_PORT) return system.datagram(request, signal)
      searches++
      return new Promise(() => undefined)
    }

    expect(await routerSource({ ...system, datagram }, asking).look('v4', never)).toEqual(
      seen(PUBLIC, 'nat-pmp'),
    )
    expect(searches).toBeGreaterThan(0)
  })

  sourceContract('the router', async () => {
    await overUdp(pmpReply(PMP_ANSWER), PMP_PORT, '127.0.0.105')
    return routerSource(ports('127.0.0.105'), asking)
  })
})
