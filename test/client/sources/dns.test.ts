import { createSocket, type RemoteInfo } from 'node:dgram'
import { type AddressInfo, type Socket as Connection, createServer as createStreamServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dnsSource } from '../../../src/client/sources/dns.ts'
import { askByDatagram } from '../../../src/platform/datagram.ts'
import { askByStream } from '../../../src/platform/stream.ts'
import { sourceContract } from '../../contract/source.ts'
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

describe('a name server', () => {
  const WHOAMI = { name: 'whoami.example', class: 'IN', server: '127.0.0.1' } as const
  /** As a server writes it: the question as it came, and one record. */
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
  const honest = answering(octets(PUBLIC))
  const truncated = answering(Buffer.alloc(0), { flags: 0x8780 })
  /** Nobody listens at tcpmux (RFC 7805). */
  const NOBODYS = 1
  const source = (port: number, whoami: DnsSpec = WHOAMI, streamPort = port) =>
    dnsSource(
      whoami,
      {
        ...ports(),
        // The port of names needs a privilege, so the same questions go to others; one that is free by UDP may not be by TCP.
        datagram: async (question, signal) => askByDatagram({ ...question, port }, signal),
        stream: async (question, signal) => askByStream({ ...question, port: streamPort }, signal),
      },
      asking,
    )
  const text = (said: string): Buffer => Buffer.from([said.length, ...Buffer.from(said)])

  /** A port of TCP, where `speak` says the answer, which has its length before it. */
  const overTcp = async (
    reply: Reply,
    speak: (connection: Connection, answer: Buffer) => void = (connection, answer) =>
      connection.write(answer),
  ): Promise<number> => {
    const server = createStreamServer((connection) => {
      let heard = Buffer.alloc(0)
      connection.on('error', () => undefined)
      connection.on('data', (chunk: Buffer) => {
        heard = Buffer.concat([heard, chunk])
        if (heard.length < 2 || heard.length < 2 + heard.readUInt16BE(0)) return
        const answer = reply(heard.subarray(2), 1) ?? Buffer.alloc(0)
        speak(connection, Buffer.concat([u16(answer.length), answer]))
      })
    })
    await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    return (server.address() as AddressInfo).port
  }

  it('tells the address', async () => {
    const { port } = await overUdp(honest)

    expect(await source(port).look('v4', never)).toEqual(seen(PUBLIC, 'dns:whoami.example@127.0.0.1'))
  })
  it('tells it as text of the Chaos class', async () => {
    const { port, heard } = await overUdp(answering(text(PUBLIC), { type: 16, klass: 3 }))
    const whoami = { ...WHOAMI, name: 'whoami.cloudflare', type: 'TXT', class: 'CH' } as const

    expect(await source(port, whoami).look('v4', never)).toEqual(
      seen(PUBLIC, 'dns:whoami.cloudflare/TXT/CH@127.0.0.1'),
    )
    expect(heard[0]?.bytes.subarray(-4)).toEqual(hex('00100003'))
  })
  it('is asked again, with the same question, when nothing came', async () => {
    const { port, heard } = await overUdp((query, nth) => (nth === 1 ? undefined : honest(query, nth)))

    expect(await source(port).look('v4', never)).toMatchObject({ kind: 'seen' })
    expect(heard.map(({ bytes }) => bytes)).toEqual([heard[0]?.bytes, heard[0]?.bytes])
  })

  // biome-ignore format: a table
  it.each<[string, Reply, string]>([
    ['NXDOMAIN',        answering(Buffer.alloc(0), { flags: 0x8583 }), 'the name does not exist (NXDOMAIN)'],
    ['REFUSED',         answering(Buffer.alloc(0), { flags: 0x8585 }), 'refused the query (REFUSED)'],
    ['no record',       answering(Buffer.alloc(0)),                    'did not answer with an address'],
    ['another id',      (query) => { const answer = honest(query, 1); answer?.writeUInt16BE(query.readUInt16BE(0) ^ 1, 0); return answer }, 'did not answer'],
    ['another name',    (query) => { const answer = honest(query, 1); answer?.write('x', 13); return answer }, 'did not answer'],
    ['its question',    (query) => query,                              'did not answer'],
    ['two addresses',   (query) => { const one = honest(query, 1) ?? query; one.writeUInt16BE(2, 6); return Buffer.concat([one, one.subarray(-16)]) }, 'answered with more than one address'],
  ])('that answers %s', async (_, reply, because) => {
    const { port } = await overUdp(reply)

    expect(await source(port).look('v4', AbortSignal.timeout(500))).toEqual(unknown(because))
  })
  it('is not believed by way of another port', async () => {
    const other = createSocket('udp4')
    await bound(other, 0, '127.0.0.1')
    const { port, socket } = await overUdp(() => undefined)
    socket.on('message', (query: Buffer, from: RemoteInfo) => {
      other.send(answering(octets('9.9.9.9'))(query, 1) ?? query, from.port, from.address)
      setTimeout(() => socket.send(honest(query, 1) ?? query, from.port, from.address), 100)
    })

    expect(await source(port).look('v4', never)).toMatchObject({ kind: 'seen', address: PUBLIC })
  })

  // biome-ignore format: a table
  it.each<[string, Reply, ((connection: Connection, answer: Buffer) => void) | undefined, object]>([
    ['in one piece',         honest, undefined, { kind: 'seen', address: PUBLIC }],
    ['byte by byte',         honest, (connection, answer) => void pieces(connection, answer, 1),  { kind: 'seen', address: PUBLIC }],
    ['length first',         honest, (connection, answer) => void pieces(connection, answer, 2),  { kind: 'seen', address: PUBLIC }],
    ['with more behind it',  honest, (connection, answer) => void connection.write(Buffer.concat([answer, answer])), { kind: 'seen', address: PUBLIC }],
    ['cut off',              honest, (connection, answer) => void connection.end(answer.subarray(0, -1)), unknown('did not answer by TCP (the connection ended before the answer did)')],
    ['reset',                honest, (connection) => void connection.resetAndDestroy(), unknown('did not answer by TCP (ECONNRESET)')],
    ['never',                honest, () => undefined, { kind: 'unknown' }],
    ['with another id',      (query) => { const answer = honest(query, 1); answer?.writeUInt16BE(query.readUInt16BE(0) ^ 1, 0); return answer }, undefined, unknown('sent an unrelated answer by TCP')],
    ['with no bytes',        () => Buffer.alloc(0), undefined, unknown('sent an unrelated answer by TCP')],
  ])('that truncates is asked by TCP, and answers %s', async (_, reply, speak, expected) => {
    const { port } = await overUdp(truncated)
    const streamPort = await overTcp(reply, speak)
    const patience = AbortSignal.timeout(2000)

    expect(await source(port, WHOAMI, streamPort).look('v4', patience)).toMatchObject(expected)
  })
  it('that truncates and does not listen by TCP', async () => {
    const { port } = await overUdp(truncated)

    expect(await source(port, WHOAMI, NOBODYS).look('v4', never)).toEqual(
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

  sourceContract('a name server', async () => source((await overUdp(honest)).port))
})
