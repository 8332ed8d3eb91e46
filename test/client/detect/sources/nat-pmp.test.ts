import { describe, expect, it } from 'vitest'
import { pmpSource } from '../../../../src/client/detect/sources/nat-pmp.ts'
import { sourceContract } from '../../../contract/source.ts'
import {
  never,
  asking,
  unknown,
  seen,
  hex,
  PUBLIC,
  ports,
  overUdp,
  PMP_PORT,
  PMP_ANSWER,
  pmpReply,
} from './responders.ts'

describe('the NAT-PMP source', () => {
  // biome-ignore format: a table
  it.each<[string, string, string, object]>([
    ['a public address',  '127.0.0.71', '0080 0000 00000e10 08080808', seen(PUBLIC, 'nat-pmp')],
    ['an address after a start', '127.0.0.71', '0080 0000 0000003b 08080808', { ...seen(PUBLIC, 'nat-pmp'), isEarly: true }],
    ['no address after a start', '127.0.0.71', '0080 0000 0000003b 00000000', { kind: 'none', isEarly: true }],
    ['an address a minute after a start', '127.0.0.71', '0080 0000 0000003c 08080808', seen(PUBLIC, 'nat-pmp')],
    ['a private address', '127.0.0.72', '0080 0000 00000e10 c0a80105', { kind: 'none', instead: '192.168.1.5' }],
    ['CGNAT',             '127.0.0.73', '0080 0000 00000e10 64400105', { kind: 'none', instead: '100.64.1.5' }],
    ['no address',        '127.0.0.74', '0080 0000 00000e10 00000000', { kind: 'none' }],
    ['a network failure', '127.0.0.75', '0080 0003 00000e10 00000000', { kind: 'none' }],
    ['a refusal',         '127.0.0.76', '0080 0002 00000e10 00000000', unknown('the router answered with code 2')],
    ['something else',    '127.0.0.78', '0280 0001 00000000 00000e10 000000000000000000000000', unknown('did not answer')],
  ])('handles an answer with %s', async (_, host, answer, expected) => {
    await overUdp(pmpReply(hex(answer)), PMP_PORT, host)

    expect(await pmpSource(ports(host), asking).look('v4', never)).toEqual(expected)
  })
  it('repeats the request after 250 ms', async () => {
    const { received } = await overUdp(
      (_, nth) => (nth === 1 ? undefined : PMP_ANSWER),
      PMP_PORT,
      '127.0.0.79',
    )

    expect(await pmpSource(ports('127.0.0.79'), asking).look('v4', never)).toEqual(seen(PUBLIC, 'nat-pmp'))
    expect((received[1]?.at ?? 0) - (received[0]?.at ?? 0)).toBeGreaterThan(230)
  })
  it('reports a router without NAT-PMP', async () =>
    expect(await pmpSource(ports('127.0.0.80'), asking).look('v4', never)).toEqual(
      unknown('the port is closed'),
    ))
  it('reports a missing default route', async () =>
    expect(await pmpSource({ ...ports(), gateway: async () => undefined }, asking).look('v4', never)).toEqual(
      unknown('there is no default route'),
    ))

  sourceContract('NAT-PMP', async () => {
    await overUdp(pmpReply(PMP_ANSWER), PMP_PORT, '127.0.0.81')
    return pmpSource(ports('127.0.0.81'), asking)
  })
})
