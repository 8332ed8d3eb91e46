import { describe, expect, it } from 'vitest'
import { pcpSource } from '../../../../src/client/detect/sources/pcp.ts'
import { sourceContract } from '../../../contract/source.ts'
import { eventually } from '../../../eventually.ts'
import {
  never,
  asking,
  unknown,
  seen,
  hex,
  octets,
  PUBLIC,
  ports,
  type Received,
  type Reply,
  overUdp,
  PMP_PORT,
} from './responders.ts'

describe('the PCP source', () => {
  /** RFC 6887 §11.1: the mapping is given back with the address, or with an error. */
  const mapping =
    (told: Buffer, code = 0): Reply =>
    (query) => {
      if (query.length !== 60 || query[0] !== 2 || query[1] !== 1) return undefined
      const answer = Buffer.from(query)
      answer.fill(0, 2, 24).set([0x81], 1)
      answer.writeUInt32BE(3600, 8)
      query.copy(answer, 4, 4, 8)
      answer.set([code], 3)
      answer.writeUInt16BE(4444, 42)
      answer.set(Buffer.concat([hex('00000000000000000000ffff'), told]), 44)
      return answer
    }
  const lifetimes = (received: readonly Received[]): readonly number[] =>
    received.map(({ bytes }) => bytes.readUInt32BE(4))

  // biome-ignore format: a table
  it.each<[string, string, Reply, object]>([
    ['a public address',            '127.0.0.82', mapping(octets(PUBLIC)),            seen(PUBLIC, 'pcp')],
    ['a private address',           '127.0.0.83', mapping(octets('10.1.2.3')),        { kind: 'none', instead: '10.1.2.3' }],
    ['a network failure',           '127.0.0.84', mapping(octets('0.0.0.0'), 7),      { kind: 'none' }],
    ['NOT_AUTHORIZED',              '127.0.0.85', mapping(octets('0.0.0.0'), 2),      unknown('the router answered with code 2')],
    ['MALFORMED_REQUEST',           '127.0.0.86', mapping(octets('0.0.0.0'), 3),      unknown('the router answered with code 3')],
    ["the mapping of another client",     '127.0.0.87', (query) => { const answer = mapping(octets(PUBLIC))(query, 1); answer?.writeUInt8(answer.readUInt8(24) ^ 1, 24); return answer }, unknown('did not answer')],
  ])('handles an answer with %s', async (_, host, reply, expected) => {
    await overUdp(reply, PMP_PORT, host)

    expect(await pcpSource(ports(host), asking).look('v4', never)).toEqual(expected)
  })
  it('deletes its mapping', async () => {
    const { received } = await overUdp(mapping(octets(PUBLIC)), PMP_PORT, '127.0.0.88')

    await pcpSource(ports('127.0.0.88'), asking).look('v4', never)

    await eventually(() => lifetimes(received)).toEqual([120, 0])
    expect(received[1]?.bytes.subarray(24, 40)).toEqual(received[0]?.bytes.subarray(24, 40))
  })
  it('deletes its mapping although the look has ended', async () => {
    const { received } = await overUdp(mapping(octets(PUBLIC)), PMP_PORT, '127.0.0.89')
    const enough = new AbortController()

    await pcpSource(ports('127.0.0.89'), asking).look('v4', enough.signal)
    enough.abort()

    await eventually(() => lifetimes(received)).toEqual([120, 0])
  })

  sourceContract('PCP', async () => {
    await overUdp(mapping(octets(PUBLIC)), PMP_PORT, '127.0.0.90')
    return pcpSource(ports('127.0.0.90'), asking)
  })
})
