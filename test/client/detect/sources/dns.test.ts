import { createSocket, type RemoteInfo } from 'node:dgram'
import { type AddressInfo, type Socket as Connection, createServer as createStreamServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dnsSource } from '../../../../src/client/detect/sources/dns.ts'
import { askByDatagram } from '../../../../src/shared/platform/sockets/datagram.ts'
import { askByStream } from '../../../../src/shared/platform/sockets/stream.ts'
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
  bound,
} from './responders.ts'

type DnsSpec = Parameters<typeof dnsSource>[0]

describe('the DNS source', () => {
  const WHOAMI = { name: 'whoami.example', class: 'IN', server: '127.0.0.1' } as const
  /** The question of the query, and one record. */
  const answering =
    (data: Buffer, { flags = 0x8580, type = 1, klass = 1 } = {}): Reply =>
    (query) =>
      Buffer.concat([
        query.subarray(0, 2),
        u16(flags),
        hex('0001'),
        u16(data.length > 0 ? 1 : 0),
        hex('00000000'),
        query.subarray(12),
        ...(data.length > 0
          ? [hex('c00c'), u16(type), u16(klass), hex('00000000'), u16(data.length), data]
          : []),
      ])
  const correct = answering(octets(PUBLIC))
  const truncated = answering(Buffer.alloc(0), { flags: 0x8780 })
  /** tcpmux (RFC 7805), which is closed on hosts. */
  const CLOSED_PORT = 1
  const source = (port: number, spec: DnsSpec = WHOAMI, streamPort = port) =>
    dnsSource(
      spec,
      {
        ...ports(),
        // Port 53 needs a privilege, so the requests go to other ports; one that is free by UDP may not be free by TCP.
        datagram: async (question, signal) => askByDatagram({ ...question, port }, signal),
        stream: async (question, signal) => askByStream({ ...question, port: streamPort }, signal),
      },
      asking,
    )
  const text = (value: string): Buffer => Buffer.from([value.length, ...Buffer.from(value)])

  /** The port of a TCP server; `send` writes the answer, which starts with its length. */
  const overTcp = async (
    reply: Reply,
    send: (connection: Connection, answer: Buffer) => void = (connection, answer) => connection.write(answer),
  ): Promise<number> => {
    const server = createStreamServer((connection) => {
      let received = Buffer.alloc(0)
      connection.on('error', () => undefined)
      connection.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
        const answer = reply(received.subarray(2), 1) ?? Buffer.alloc(0)
        send(connection, Buffer.concat([u16(answer.length), answer]))
      })
    })
    await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    return (server.address() as AddressInfo).port
  }

  it('reports the address in the answer', async () => {
    const { port } = await overUdp(correct)

    expect(await source(port).look('v4', never)).toMatchObject(seen(PUBLIC, 'dns:whoami.example@127.0.0.1'))
  })
  it('reports the address in a TXT record of class CH', async () => {
    const { port, received } = await overUdp(answering(text(PUBLIC), { type: 16, klass: 3 }))
    const spec = { ...WHOAMI, name: 'whoami.cloudflare', type: 'TXT', class: 'CH' } as const

    expect(await source(port, spec).look('v4', never)).toMatchObject(
      seen(PUBLIC, 'dns:whoami.cloudflare/TXT/CH@127.0.0.1'),
    )
    expect(received[0]?.bytes.subarray(-4)).toEqual(hex('00100003'))
  })
  it('repeats the same query without an answer', async () => {
    const { port, received } = await overUdp((query, nth) => (nth === 1 ? undefined : correct(query, nth)))

    expect(await source(port).look('v4', never)).toMatchObject({ kind: 'seen' })
    expect(received.map(({ bytes }) => bytes)).toEqual([received[0]?.bytes, received[0]?.bytes])
  })

  // biome-ignore format: a table
  it.each<[string, Reply, string]>([
    ['NXDOMAIN',        answering(Buffer.alloc(0), { flags: 0x8583 }), 'the name does not exist (NXDOMAIN)'],
    ['REFUSED',         answering(Buffer.alloc(0), { flags: 0x8585 }), 'refused the query (REFUSED)'],
    ['no record',       answering(Buffer.alloc(0)),                    'did not answer with an address'],
    ['another id',      (query) => { const answer = correct(query, 1); answer?.writeUInt16BE(query.readUInt16BE(0) ^ 1, 0); return answer }, 'did not answer'],
    ['another name',    (query) => { const answer = correct(query, 1); answer?.write('x', 13); return answer }, 'did not answer'],
    ['its question',    (query) => query,                              'did not answer'],
    ['two addresses',   (query) => { const one = correct(query, 1) ?? query; one.writeUInt16BE(2, 6); return Buffer.concat([one, one.subarray(-16)]) }, 'answered with more than one address'],
  ])('handles an answer with %s', async (_, reply, because) => {
    const { port } = await overUdp(reply)

    const signal = because === 'did not answer' ? AbortSignal.timeout(500) : never
    expect(await source(port).look('v4', signal)).toEqual(unknown(because))
  })
  it('ignores an answer from another port', async () => {
    const other = createSocket('udp4')
    await bound(other, 0, '127.0.0.1')
    const { port, socket } = await overUdp(() => undefined)
    socket.on('message', (query: Buffer, from: RemoteInfo) => {
      other.send(answering(octets('9.9.9.9'))(query, 1) ?? query, from.port, from.address)
      setTimeout(() => socket.send(correct(query, 1) ?? query, from.port, from.address), 100)
    })

    expect(await source(port).look('v4', never)).toMatchObject({ kind: 'seen', address: PUBLIC })
  })

  // biome-ignore format: a table
  it.each<[string, Reply, ((connection: Connection, answer: Buffer) => void) | undefined, object]>([
    ['in one piece',         correct, undefined, { kind: 'seen', address: PUBLIC }],
    ['byte by byte',         correct, (connection, answer) => void pieces(connection, answer, 1),  { kind: 'seen', address: PUBLIC }],
    ['length first',         correct, (connection, answer) => void pieces(connection, answer, 2),  { kind: 'seen', address: PUBLIC }],
    ['with more behind it',  correct, (connection, answer) => void connection.write(Buffer.concat([answer, answer])), { kind: 'seen', address: PUBLIC }],
    ['cut off',              correct, (connection, answer) => void connection.end(answer.subarray(0, -1)), unknown('did not answer by TCP (the connection ended before the answer did)')],
    ['reset',                correct, (connection) => void connection.resetAndDestroy(), unknown('did not answer by TCP (ECONNRESET)')],
    ['never',                correct, () => undefined, { kind: 'unknown' }],
    ['with another id',      (query) => { const answer = correct(query, 1); answer?.writeUInt16BE(query.readUInt16BE(0) ^ 1, 0); return answer }, undefined, unknown('sent an unrelated answer by TCP')],
    ['with no bytes',        () => Buffer.alloc(0), undefined, unknown('sent an unrelated answer by TCP')],
  ])('repeats a truncated query by TCP, and handles an answer %s', async (how, reply, send, expected) => {
    const { port } = await overUdp(truncated)
    const streamPort = await overTcp(reply, send)
    const signal = how === 'never' ? AbortSignal.timeout(500) : never

    expect(await source(port, WHOAMI, streamPort).look('v4', signal)).toMatchObject(expected)
  })
  it('handles a closed TCP port after a truncated answer', async () => {
    const { port } = await overUdp(truncated)

    expect(await source(port, WHOAMI, CLOSED_PORT).look('v4', never)).toEqual(
      unknown('did not answer by TCP (ECONNREFUSED)'),
    )
  })

  const pieces = async (connection: Connection, answer: Buffer, size: number): Promise<void> => {
    connection.setNoDelay(true)
    for (let at = 0; at < answer.length; at += size) {
      connection.write(answer.subarray(at, at + size))
      await sleep(2)
    }
  }

  sourceContract('DNS', async () => source((await overUdp(correct)).port))
})
