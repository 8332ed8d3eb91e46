import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, type Socket as Connection, createServer as createStreamServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { milliseconds } from '../../../src/base/time.ts'
import { commandSource } from '../../../src/client/sources/command.ts'
import { dnsSource } from '../../../src/client/sources/dns.ts'
import { webSource } from '../../../src/client/sources/http.ts'
import { igdSource } from '../../../src/client/sources/igd.ts'
import { localSource } from '../../../src/client/sources/local.ts'
import type { SourcePorts } from '../../../src/client/sources/ports.ts'
import { pcpSource } from '../../../src/client/sources/pcp.ts'
import { pmpSource } from '../../../src/client/sources/pmp.ts'
import { routerSource } from '../../../src/client/sources/router.ts'
import { stunSource } from '../../../src/client/sources/stun.ts'
import { parseAddress } from '../../../src/net/address.ts'
import type { Sighting } from '../../../src/net/sighting.ts'
import { askByDatagram } from '../../../src/platform/datagram.ts'
import { undiciHttp } from '../../../src/platform/http.ts'
import { systemInterfaces } from '../../../src/platform/interfaces.ts'
import { runProgram } from '../../../src/platform/network.ts'
import { systemOutboundRoute } from '../../../src/platform/outbound-route.ts'
import { askByStream } from '../../../src/platform/stream.ts'
import type { RunProgram } from '../../../src/ports/network.ts'
import { sourceContract } from '../../contract/source.ts'

const never = new AbortController().signal
const address = (text: string) => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}
const asking = { userAgent: 'Holdfast test/1-1', allowed: [] }
const unknown = (because: string) => ({ kind: 'unknown', because })
const seen = (text: string, by: string) => ({ kind: 'seen', address: text, by })
const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')
const u16 = (n: number): Buffer => Buffer.from([n >> 8, n & 0xff])
const octets = (text: string): Buffer => Buffer.from(text.split('.').map(Number))
const PUBLIC = '8.8.8.8'
type DnsSpec = Parameters<typeof dnsSource>[0]

const ports = (gateway = '127.0.0.1'): SourcePorts => ({
  http: undiciHttp,
  interfaces: systemInterfaces,
  datagram: askByDatagram,
  stream: askByStream,
  resolve: async () => [],
  forget: () => undefined,
  outboundRoute: async () => undefined,
  gateway: async () => ({ address: address(gateway), interface: 'lo', local: address('127.0.0.1') }),
  program: runProgram,
})

interface Heard {
  readonly bytes: Buffer
  readonly at: number
}
type Reply = (query: Buffer, nth: number) => Buffer | undefined

/** Answers each datagram as it is told to, and remembers what it heard. */
async function overUdp(reply: Reply, port = 0, host = '127.0.0.1') {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const heard: Heard[] = []
  socket.on('message', (bytes, from) => {
    heard.push({ bytes, at: performance.now() })
    const answer = reply(bytes, heard.length)
    if (answer !== undefined) socket.send(answer, from.port, from.address)
  })
  await bound(socket, port, host)
  return { port: socket.address().port, heard, socket }
}

async function bound(socket: Socket, port: number, host: string): Promise<void> {
  await new Promise<void>((done, fail) => socket.once('error', fail).bind(port, host, done))
  onTestFinished(async () => new Promise<void>((done) => socket.close(() => done())))
}

async function overHttp(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  host = '127.0.0.1',
): Promise<string> {
  const server: Server = createServer((request, response) => {
    let body = ''
    response.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => answer(request, response, body))
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

describe('a STUN server', () => {
  const tells =
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
  const honest = tells(octets(PUBLIC))
  const source = (port: number, host = '127.0.0.1') => stunSource({ host, port }, ports(), asking)
  const otherId: Reply = (query) => {
    const answer = honest(query, 1)
    answer?.writeUInt8(answer.readUInt8(8) ^ 1, 8)
    return answer
  }

  it('tells where the question came from', async () => {
    const { port, heard } = await overUdp(honest)

    expect(await source(port).look('v4', never)).toEqual(seen(PUBLIC, `stun:127.0.0.1:${port}`))
    expect(heard).toHaveLength(1)
  })
  it('tells by IPv6 too', async () => {
    const { port } = await overUdp(tells(hex('26064700000000000000000000000001')), 0, '::1')

    expect(await source(port, '::1').look('v6', never)).toEqual(seen('2606:4700::1', `stun:[::1]:${port}`))
    expect(await source(port, '::1').look('v4', never)).toMatchObject({ kind: 'unknown' })
  })
  it('is asked again after 500 ms, and sooner once it has answered at once', async () => {
    const { port, heard } = await overUdp((query, nth) =>
      nth === 1 || nth === 4 ? undefined : honest(query, nth),
    )
    const one = source(port)
    const gap = (first: number): number => (heard[first + 1]?.at ?? 0) - (heard[first]?.at ?? 0)

    expect(await one.look('v4', never)).toMatchObject({ kind: 'seen' })
    expect(gap(0)).toBeGreaterThan(480)
    expect(gap(0)).toBeLessThan(900)
    expect(await one.look('v4', never)).toMatchObject({ kind: 'seen' })
    expect(await one.look('v4', never)).toMatchObject({ kind: 'seen' })
    expect(heard).toHaveLength(5)
    expect(gap(3)).toBeLessThan(450)
    expect(heard[3]?.bytes).toEqual(heard[4]?.bytes)
  })
  it('is not believed when it answers another transaction first', async () => {
    const { port, socket } = await overUdp(honest)
    socket.prependListener('message', (query: Buffer, from: RemoteInfo) => {
      const forged = otherId(query, 1)
      if (forged !== undefined) socket.send(forged, from.port, from.address)
    })

    expect(await source(port).look('v4', never)).toMatchObject({ kind: 'seen', address: PUBLIC })
  })
  it('that is not there is told of at once', async () => {
    const { port, socket } = await overUdp(honest)
    const gone = createSocket('udp4')
    await new Promise<void>((done) => gone.bind(0, '127.0.0.1', done))
    const free = gone.address().port
    await new Promise<void>((done) => gone.close(() => done()))

    expect(free).not.toBe(port)
    expect(socket.address().port).toBe(port)
    expect(await source(free).look('v4', never)).toEqual(unknown('the port is closed'))
  })
  it('that is silent is given up with the signal', async () => {
    const { port } = await overUdp(() => undefined)
    const start = performance.now()

    expect(await source(port).look('v4', AbortSignal.timeout(100))).toEqual(unknown('did not answer'))
    expect(performance.now() - start).toBeLessThan(1000)
  })

  // biome-ignore format: a table
  it.each<[string, Reply, Partial<Sighting> | object]>([
    ['a private address', tells(octets('192.168.1.5')), { kind: 'unknown', because: expect.stringMatching(/192\.168\.1\.5, which is not a public/) as string }],
    ['the other family',  tells(hex('26064700000000000000000000000001')), unknown('answered in the other family')],
    ['no address',        (query) => Buffer.concat([hex('01010000'), query.subarray(4, 20)]), unknown('did not answer with an address')],
    ['HTML',              () => Buffer.from('<html>8.8.8.8</html>'), unknown('did not answer')],
    ['an error',          (query) => Buffer.concat([hex('01110000'), query.subarray(4, 20)]), unknown('did not answer')],
    ['another id',        otherId,                     unknown('did not answer')],
    ['its question',      (query) => query,            unknown('did not answer')],
    ['nothing',           () => undefined,             unknown('did not answer')],
  ])('that lies with %s', async (_, reply, expected) => {
    const { port } = await overUdp(reply)

    expect(await source(port).look('v4', AbortSignal.timeout(400))).toMatchObject(expected)
  })

  sourceContract('STUN', async () => source((await overUdp(honest)).port))
})

describe('a question by datagram', () => {
  it('to where nothing can be sent has failed', async () =>
    expect(
      await askByDatagram(
        {
          to: address('255.255.255.255'),
          port: 9,
          bytes: Buffer.from('?'),
          again: [],
          timeout: milliseconds(300),
          isAnswer: () => true,
        },
        never,
      ),
    ).toMatchObject({ kind: 'failed' }))
})

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

const PMP_PORT = 5351
const PMP_ANSWER = Buffer.concat([hex('00800000 00000e10'), octets(PUBLIC)])
const pmpReply =
  (answer: Buffer): Reply =>
  (query) =>
    query.equals(hex('0000')) ? answer : undefined

describe('NAT-PMP', () => {
  // biome-ignore format: a table
  it.each<[string, string, string, object]>([
    ['a public address',  '127.0.0.71', '0080 0000 00000e10 08080808', seen(PUBLIC, 'nat-pmp')],
    ['a private address', '127.0.0.72', '0080 0000 00000e10 c0a80105', { kind: 'none', instead: '192.168.1.5' }],
    ['CGNAT',             '127.0.0.73', '0080 0000 00000e10 64400105', { kind: 'none', instead: '100.64.1.5' }],
    ['no address',        '127.0.0.74', '0080 0000 00000e10 00000000', { kind: 'none' }],
    ['a network failure', '127.0.0.75', '0080 0003 00000e10 00000000', { kind: 'none' }],
    ['a refusal',         '127.0.0.76', '0080 0002 00000e10 00000000', unknown('the router answered with code 2')],
    ['something else',    '127.0.0.78', '0280 0001 00000000 00000e10 000000000000000000000000', unknown('did not answer')],
  ])('of a router that tells %s', async (_, host, answer, expected) => {
    await overUdp(pmpReply(hex(answer)), PMP_PORT, host)

    expect(await pmpSource(ports(host), asking).look('v4', never)).toEqual(expected)
  })
  it('asks again after 250 ms', async () => {
    const { heard } = await overUdp((_, nth) => (nth === 1 ? undefined : PMP_ANSWER), PMP_PORT, '127.0.0.79')

    expect(await pmpSource(ports('127.0.0.79'), asking).look('v4', never)).toEqual(seen(PUBLIC, 'nat-pmp'))
    expect((heard[1]?.at ?? 0) - (heard[0]?.at ?? 0)).toBeGreaterThan(230)
  })
  it('of a router that does not speak it', async () =>
    expect(await pmpSource(ports('127.0.0.80'), asking).look('v4', never)).toEqual(
      unknown('the port is closed'),
    ))
  it('without a router', async () =>
    expect(await pmpSource({ ...ports(), gateway: async () => undefined }, asking).look('v4', never)).toEqual(
      unknown('there is no default route'),
    ))

  sourceContract('NAT-PMP', async () => {
    await overUdp(pmpReply(PMP_ANSWER), PMP_PORT, '127.0.0.81')
    return pmpSource(ports('127.0.0.81'), asking)
  })
})

describe('PCP', () => {
  /** RFC 6887 §11.1: the mapping is given back with the address, or with an error. */
  const mapping =
    (told: Buffer, code = 0): Reply =>
    (query) => {
      if (query.length !== 60 || query[0] !== 2 || query[1] !== 1) return undefined
      const answer = Buffer.from(query)
      answer.fill(0, 2, 24).set([0x81], 1)
      query.copy(answer, 4, 4, 8)
      answer.set([code], 3)
      answer.writeUInt16BE(4444, 42)
      answer.set(Buffer.concat([hex('00000000000000000000ffff'), told]), 44)
      return answer
    }
  const lifetimes = (heard: readonly Heard[]): readonly number[] =>
    heard.map(({ bytes }) => bytes.readUInt32BE(4))

  // biome-ignore format: a table
  it.each<[string, string, Reply, object]>([
    ['a public address',            '127.0.0.82', mapping(octets(PUBLIC)),            seen(PUBLIC, 'pcp')],
    ['a private address',           '127.0.0.83', mapping(octets('10.1.2.3')),        { kind: 'none', instead: '10.1.2.3' }],
    ['a network failure',           '127.0.0.84', mapping(octets('0.0.0.0'), 7),      { kind: 'none' }],
    ['NOT_AUTHORIZED',              '127.0.0.85', mapping(octets('0.0.0.0'), 2),      unknown('the router answered with code 2')],
    ['MALFORMED_REQUEST',           '127.0.0.86', mapping(octets('0.0.0.0'), 3),      unknown('the router answered with code 3')],
    ["somebody else's mapping",     '127.0.0.87', (query) => { const answer = mapping(octets(PUBLIC))(query, 1); answer?.writeUInt8(answer.readUInt8(24) ^ 1, 24); return answer }, unknown('did not answer')],
  ])('of a router that tells %s', async (_, host, reply, expected) => {
    await overUdp(reply, PMP_PORT, host)

    expect(await pcpSource(ports(host), asking).look('v4', never)).toEqual(expected)
  })
  it('takes its mapping away again', async () => {
    const { heard } = await overUdp(mapping(octets(PUBLIC)), PMP_PORT, '127.0.0.88')

    await pcpSource(ports('127.0.0.88'), asking).look('v4', never)

    await expect.poll(() => lifetimes(heard)).toEqual([120, 0])
    expect(heard[1]?.bytes.subarray(24, 40)).toEqual(heard[0]?.bytes.subarray(24, 40))
  })
  it('takes its mapping away although nobody waits any more', async () => {
    const { heard } = await overUdp(mapping(octets(PUBLIC)), PMP_PORT, '127.0.0.89')
    const enough = new AbortController()

    await pcpSource(ports('127.0.0.89'), asking).look('v4', enough.signal)
    enough.abort()

    await expect.poll(() => lifetimes(heard)).toEqual([120, 0])
  })

  sourceContract('PCP', async () => {
    await overUdp(mapping(octets(PUBLIC)), PMP_PORT, '127.0.0.90')
    return pcpSource(ports('127.0.0.90'), asking)
  })
})

interface Router {
  readonly location?: string
  readonly control?: string
  readonly status?: number
  readonly address?: string
}

/** A router that speaks UPnP: the search by UDP, the description and the action by HTTP. */
async function upnpRouter(host: string, over: Router = {}) {
  const asked: string[] = []
  const type = 'urn:schemas-upnp-org:service:WANIPConnection:1'
  const base = await overHttp((request, response, body) => {
    asked.push(`${request.method} ${request.url}`)
    if (request.url === '/desc.xml')
      return response.end(`<root><device><serviceList><service><serviceType>${type}</serviceType>
        <controlURL>${over.control ?? '/ctl'}</controlURL><eventSubURL>/evt</eventSubURL></service></serviceList></device></root>`)
    const isRight =
      body.includes('GetExternalIPAddress') &&
      request.headers['soapaction'] === `"${type}#GetExternalIPAddress"`
    return response
      .writeHead(isRight ? (over.status ?? 200) : 400)
      .end(`<NewExternalIPAddress>${over.address ?? PUBLIC}</NewExternalIPAddress>`)
  }, host)
  const location = over.location ?? `${base}/desc.xml`
  const search = await overUdp(
    (query) =>
      query.toString().startsWith('M-SEARCH * HTTP/1.1\r\n')
        ? Buffer.from(`HTTP/1.1 200 OK\r\nEXT:\r\nLOCATION: ${location}\r\n\r\n`)
        : undefined,
    1900,
    host,
  )
  return { asked, search }
}

describe('UPnP', () => {
  // biome-ignore format: a table
  it.each<[string, string, Router, object]>([
    ['tells a public address',    '127.0.0.91', {},                                          seen(PUBLIC, 'upnp')],
    ['tells a private address',   '127.0.0.92', { address: '10.0.0.5' },                     { kind: 'none', instead: '10.0.0.5' }],
    ['has no address',            '127.0.0.93', { address: '0.0.0.0' },                      { kind: 'none' }],
    ['fails',                     '127.0.0.94', { status: 500 },                             unknown('answered HTTP 500')],
    ['points to another host',    '127.0.0.95', { location: 'http://127.0.0.1:1/desc.xml' }, unknown('its description is on another host (http://127.0.0.1:1/desc.xml)')],
    ['points to a file',          '127.0.0.96', { location: 'file:///etc/passwd' },          unknown('its description is on another host (file:///etc/passwd)')],
    ['points to a name',          '127.0.0.97', { location: 'http://127.0.0.97.example/' },  unknown('its description is on another host (http://127.0.0.97.example/)')],
    ['points behind a user name', '127.0.0.98', { location: 'http://127.0.0.98@127.0.0.1/' }, unknown('its description is on another host (http://127.0.0.98@127.0.0.1/)')],
    ['has its service elsewhere', '127.0.0.99', { control: 'http://127.0.0.1:1/ctl' },       unknown('its services are on another host')],
  ])('of a router that %s', async (_, host, router, expected) => {
    await upnpRouter(host, router)

    expect(await igdSource(ports(host), asking).look('v4', never)).toEqual(expected)
  })
  it('searches once, and asks with one request from then on', async () => {
    const { asked, search } = await upnpRouter('127.0.0.77')
    const source = igdSource(ports('127.0.0.77'), asking)

    await source.look('v4', never)
    await source.look('v4', never)

    expect(asked).toEqual(['GET /desc.xml', 'POST /ctl', 'POST /ctl'])
    expect(search.heard).toHaveLength(1)
  })

  sourceContract('UPnP', async () => {
    await upnpRouter('127.0.0.100')
    return igdSource(ports('127.0.0.100'), asking)
  })
})

describe('the router', () => {
  it('is asked by the way that answered, and by both when that does no more', async () => {
    const host = '127.0.0.101'
    const { asked } = await upnpRouter(host)
    const source = routerSource(ports(host), asking)

    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'upnp'))
    const pmp = await overUdp(pmpReply(PMP_ANSWER), PMP_PORT, host)
    expect(await source.look('v4', never)).toEqual(seen(PUBLIC, 'upnp'))
    expect(pmp.heard).toHaveLength(0)
    expect(asked.filter((one) => one.startsWith('POST'))).toHaveLength(2)
  })
  it('by NAT-PMP is not asked by UPnP again', async () => {
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
  })
  it('that speaks nothing is unknown, and says so for both', async () =>
    expect(await routerSource(ports('127.0.0.103'), asking).look('v4', never)).toEqual(
      unknown('nat-pmp: the port is closed; upnp: did not answer'),
    ))
  it('by NAT-PMP answers at once although it does not speak UPnP', async () => {
    const host = '127.0.0.104'
    await overUdp(pmpReply(PMP_ANSWER), PMP_PORT, host)
    const start = performance.now()

    expect(await routerSource(ports(host), asking).look('v4', never)).toEqual(seen(PUBLIC, 'nat-pmp'))
    expect(performance.now() - start).toBeLessThan(500)
  })

  sourceContract('the router', async () => {
    await overUdp(pmpReply(PMP_ANSWER), PMP_PORT, '127.0.0.105')
    return routerSource(ports('127.0.0.105'), asking)
  })
})

describe('a command', () => {
  const sh = (script: string) => commandSource(['sh', '-c', script], ports(), asking)
  const hasty: RunProgram = async (argv, _, signal) => runProgram(argv, milliseconds(300), signal)

  // biome-ignore format: a table
  it.each<[string, string, object, object]>([
    ['one address',             'echo 8.8.8.8',                        seen(PUBLIC, 'command'), { kind: 'none' }],
    ['one of each family',      'echo 8.8.8.8; echo 2606:4700::1',     seen(PUBLIC, 'command'), seen('2606:4700::1', 'command')],
    ['white space',             'printf "\\n  8.8.8.8\\r\\n\\n"',      seen(PUBLIC, 'command'), { kind: 'none' }],
    ['nothing',                 'true',                                { kind: 'none' }, { kind: 'none' }],
    ['two of one family',       'echo 8.8.8.8; echo 8.8.4.4',          unknown('printed two addresses of one family'), { kind: 'none' }],
    ['two on a line',           'echo 8.8.8.8 8.8.4.4',                unknown('printed "8.8.8.8 8.8.4.4", which is not an address'), unknown('printed "8.8.8.8 8.8.4.4", which is not an address')],
    ['garbage',                 'echo "<html>"',                       unknown('printed "<html>", which is not an address'), unknown('printed "<html>", which is not an address')],
    ['an address and garbage',  'echo 8.8.8.8; echo oops',             unknown('printed "oops", which is not an address'), unknown('printed "oops", which is not an address')],
    ['an address, and fails',   'echo 8.8.8.8; exit 3',                unknown('exited with code 3'), unknown('exited with code 3')],
    ['to its error output',     'echo oops >&2; echo 8.8.8.8',         seen(PUBLIC, 'command'), { kind: 'none' }],
    ['a private address',       'echo 10.0.0.1',                       { kind: 'unknown' }, { kind: 'none' }],
    ['without end',             'while :; do echo 8.8.8.8; done',      unknown('sh took too long or printed too much'), unknown('sh took too long or printed too much')],
  ])('that prints %s', async (_, script, v4, v6) => {
    expect(await sh(script).look('v4', never)).toMatchObject(v4)
    expect(await sh(script).look('v6', never)).toMatchObject(v6)
  })
  it('gets its arguments as they are, without a shell', async () =>
    expect(
      await commandSource(['printf', '%s', '$(echo 8.8.8.8); *'], ports(), asking).look('v4', never),
    ).toEqual(unknown('printed "$(echo 8.8.8.8); *", which is not an address')))
  it('that is not there', async () =>
    expect(await commandSource(['/nonexistent/program'], ports(), asking).look('v4', never)).toEqual(
      unknown('/nonexistent/program cannot be run (ENOENT)'),
    ))

  // biome-ignore format: a table
  it.each([
    ['by itself',         ['sleep', '4']],
    ['in a script',       ['sh', '-c', 'sleep 4; echo 8.8.8.8']],
  ])('that sleeps %s is ended in time', async (_, argv) => {
    const start = performance.now()

    expect(await commandSource(argv, { program: hasty }, asking).look('v4', never)).toEqual(
      unknown(`${argv[0]} took too long or printed too much`),
    )
    expect(performance.now() - start).toBeLessThan(2000)
  })
  it('is given ten seconds', async () => {
    const given: number[] = []
    const program: RunProgram = async (_, within) => {
      given.push(within)
      return { kind: 'failed', because: 'sh took too long' }
    }

    expect(await commandSource(['sh'], { program }, asking).look('v4', never)).toEqual(
      unknown('sh took too long'),
    )
    expect(given).toEqual([10_000])
  })

  sourceContract('a command', () => sh('echo 8.8.8.8'))
})

describe('an echo service that lies', () => {
  const plain =
    (status: number, body: string, headers: Record<string, string> = {}) =>
    (_: IncomingMessage, response: ServerResponse): void =>
      void response.writeHead(status, headers).end(body)

  // biome-ignore format: a table
  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void, object]>([
    ['HTML',                 plain(200, '<html><body>8.8.8.8</body></html>'),          unknown('did not answer with an address')],
    ['a redirect',           plain(302, '8.8.8.8', { location: 'http://127.0.0.1:1/' }), unknown('answered HTTP 302')],
    ['the wrong family',     plain(200, '2606:4700::1'),                               unknown('answered in the other family')],
    ['a private address',    plain(200, '192.168.1.5'),                                { kind: 'unknown', because: expect.stringMatching(/not a public address/) as string }],
    ['too many requests',    plain(429, '8.8.8.8'),                                    { ...unknown('answered HTTP 429'), isRefusal: true }],
    ['forbidden',            plain(403, '8.8.8.8'),                                    { ...unknown('answered HTTP 403'), isRefusal: true }],
    ['unavailable',          plain(503, '8.8.8.8'),                                    unknown('answered HTTP 503')],
    ['ten megabytes',        plain(200, '8'.repeat(10_000_000)),                       unknown('answered with more than 4 KiB')],
    ['an address, then ten megabytes', plain(200, `8.8.8.8${' '.repeat(10_000_000)}`), unknown('answered with more than 4 KiB')],
    ['a stall',              () => undefined,                                          { kind: 'unknown', because: expect.stringMatching(/^not reached \(time-out/) as string }],
    ['a stall in the middle', (_, response) => void response.writeHead(200, { 'content-length': 7 }).write('8.8'), { kind: 'unknown', because: expect.stringMatching(/^not reached \(time-out/) as string }],
    ['a cut connection',     (_, response) => void response.socket?.destroy(),         { kind: 'unknown', because: expect.stringMatching(/^not reached \(exchange/) as string }],
  ])('with %s', async (_, answer, expected) => {
    const url = `${await overHttp(answer)}/`

    expect(await webSource({ url }, { http: undiciHttp }, asking).look('v4', AbortSignal.timeout(1000))).toEqual(expected)
  })

  sourceContract('an echo service', async () =>
    webSource({ url: `${await overHttp(plain(200, PUBLIC))}/` }, { http: undiciHttp }, asking),
  )
})

sourceContract('an interface', () =>
  localSource({ interfaces: systemInterfaces, outboundRoute: systemOutboundRoute }, 'lo', { allowed: [] }),
)
