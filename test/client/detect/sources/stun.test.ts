import { createSocket, type RemoteInfo } from 'node:dgram'
import { describe, expect, it } from 'vitest'
import { milliseconds, minutes } from '../../../../src/shared/base/time.ts'
import { stunSource } from '../../../../src/client/detect/sources/stun.ts'
import type { Sighting } from '../../../../src/shared/base/sighting.ts'
import { askByDatagram } from '../../../../src/shared/platform/sockets/datagram.ts'
import type { AskByDatagram } from '../../../../src/shared/ports/datagram.ts'
import { sourceContract } from '../../../contract/source.ts'
import {
  never,
  asking,
  unknown,
  seen,
  hex,
  u16,
  octets,
  PUBLIC,
  ports,
  type Reply,
  overUdp,
} from './responders.ts'

describe('the STUN source', () => {
  const answerWith =
    (bytes: Buffer): Reply =>
    (query) =>
      Buffer.concat([
        hex('0101'),
        u16(8 + bytes.length),
        query.subarray(4, 20),
        hex('0020'),
        u16(4 + bytes.length),
        Buffer.from([0, bytes.length === 4 ? 1 : 2]),
        u16(4000 ^ 0x2112),
        bytes.map((byte, at) => byte ^ (query[4 + at] ?? 0)),
      ])
  const correct = answerWith(octets(PUBLIC))
  const source = (port: number, host = '127.0.0.1') => stunSource({ host, port }, ports(), asking)
  const otherId: Reply = (query) => {
    const answer = correct(query, 1)
    answer?.writeUInt8(answer.readUInt8(8) ^ 1, 8)
    return answer
  }

  it('reports the address that the server saw', async () => {
    const { port, received } = await overUdp(correct)

    expect(await source(port).look('v4', never)).toMatchObject(seen(PUBLIC, `stun:127.0.0.1:${port}`))
    expect(received).toHaveLength(1)
  })
  it('reports an IPv6 address', async () => {
    const { port } = await overUdp(answerWith(hex('26064700000000000000000000000001')), 0, '::1')

    expect(await source(port, '::1').look('v6', never)).toMatchObject(
      seen('2606:4700::1', `stun:[::1]:${port}`),
    )
    expect(await source(port, '::1').look('v4', never)).toMatchObject({ kind: 'unknown' })
  })
  it('sends nothing where the bound interface has no address', async () => {
    const { port, received } = await overUdp(correct)
    const bound = stunSource({ host: '127.0.0.1', port }, ports(), { ...asking, from: async () => 'none' })

    expect(await bound.look('v4', never)).toEqual({
      kind: 'unknown',
      because: 'the interface of this hostname has no IPv4 address',
      lacksInterface: true,
    })
    expect(received).toEqual([])
  })
  it('repeats a request after 500 ms', async () => {
    let pause = 0
    // A busy machine receives the first one late at times, and not three times.
    for (let attempt = 1; attempt <= 3 && pause <= 480; attempt++) {
      const { port, received } = await overUdp((query, nth) => (nth === 1 ? undefined : correct(query, nth)))
      expect(await source(port).look('v4', never)).toMatchObject({ kind: 'seen' })
      expect(received[0]?.bytes).toEqual(received[1]?.bytes)
      pause = (received[1]?.at ?? 0) - (received[0]?.at ?? 0)
    }
    expect(pause).toBeGreaterThan(480)
  })
  it('repeats a request sooner after a fast answer to its first datagram', async () => {
    // How long each answer takes, and after how many datagrams it comes.
    const answers = [
      [900, 2],
      [80, 1],
      [20, 1],
      [10, 3],
      [300, 1],
      [0, 1],
    ] as const
    const given: (number | undefined)[] = []
    const datagram: AskByDatagram = async ({ bytes, again }) => {
      const [took, sent] = answers[given.length] ?? [0, 1]
      given.push(again[0])
      return {
        kind: 'answered',
        bytes: correct(Buffer.from(bytes), 1) ?? Buffer.alloc(0),
        took: milliseconds(took),
        sent,
      }
    }
    const one = stunSource({ host: '127.0.0.1', port: 3478 }, { ...ports(), datagram }, asking)
    for (const _ of answers) expect(await one.look('v4', never)).toMatchObject({ kind: 'seen' })

    expect(given).toEqual([500, 500, 160, 100, 100, 600])
  })
  it('ignores an answer to another transaction', async () => {
    const { port, socket } = await overUdp(correct)
    socket.prependListener('message', (query: Buffer, from: RemoteInfo) => {
      const forged = otherId(query, 1)
      if (forged !== undefined) socket.send(forged, from.port, from.address)
    })

    expect(await source(port).look('v4', never)).toMatchObject({ kind: 'seen', address: PUBLIC })
  })
  it('reports a closed port immediately', async () => {
    const { port, socket } = await overUdp(correct)
    const gone = createSocket('udp4')
    await new Promise<void>((done) => gone.bind(0, '127.0.0.1', done))
    const free = gone.address().port
    await new Promise<void>((done) => gone.close(() => done()))

    expect(free).not.toBe(port)
    expect(socket.address().port).toBe(port)
    expect(await source(free).look('v4', never)).toEqual(unknown('the port is closed'))
  })
  it('stops waiting at the signal', async () => {
    const { port } = await overUdp(() => undefined)
    const datagram: AskByDatagram = async (request, signal) =>
      askByDatagram({ ...request, timeout: minutes(10) }, signal)
    const one = stunSource({ host: '127.0.0.1', port }, { ...ports(), datagram }, asking)

    expect(await one.look('v4', AbortSignal.timeout(100))).toEqual(unknown('did not answer'))
  })

  // biome-ignore format: a table
  it.each<[string, Reply, Partial<Sighting> | object]>([
    ['a private address', answerWith(octets('192.168.1.5')), { kind: 'unknown', because: expect.stringMatching(/192\.168\.1\.5, which is not a public/) as string }],
    ['the other family',  answerWith(hex('26064700000000000000000000000001')), unknown('answered with an address of the other family')],
    ['no address',        (query) => Buffer.concat([hex('01010000'), query.subarray(4, 20)]), unknown('did not answer with an address')],
    ['HTML',              () => Buffer.from('<html>8.8.8.8</html>'), unknown('did not answer')],
    ['an error',          (query) => Buffer.concat([hex('01110000'), query.subarray(4, 20)]), unknown('did not answer')],
    ['another id',        otherId,                     unknown('did not answer')],
    ['its question',      (query) => query,            unknown('did not answer')],
    ['nothing',           () => undefined,             unknown('did not answer')],
  ])('handles an answer with %s', async (_, reply, expected) => {
    const { port } = await overUdp(reply)

    const isSilent = 'because' in expected && expected.because === 'did not answer'

    expect(await source(port).look('v4', isSilent ? AbortSignal.timeout(400) : never)).toMatchObject(expected)
  })

  sourceContract('STUN', async () => source((await overUdp(correct)).port))
})
