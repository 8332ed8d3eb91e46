import { systemEntropy } from '../../../../src/shared/platform/clock/clock.ts'
import { address } from '../../../fakes/address.ts'
import { createSocket, type Socket } from 'node:dgram'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { SourcePorts } from '../../../../src/client/detect/sources/ports.ts'
import { askByDatagram } from '../../../../src/shared/platform/sockets/datagram.ts'
import { undiciHttp } from '../../../../src/shared/platform/http/http.ts'
import { systemInterfaces } from '../../../../src/shared/platform/network/interfaces.ts'
import { runProgram } from '../../../../src/shared/platform/network/network.ts'
import { askByStream } from '../../../../src/shared/platform/sockets/stream.ts'

export const never = new AbortController().signal
export const asking = { userAgent: 'Holdfast test/1-1', allowed: [] }
export const unknown = (because: string) => ({ kind: 'unknown', because })
export const seen = (text: string, by: string) => ({ kind: 'seen', address: text, by })
export const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')
export const u16 = (n: number): Buffer => Buffer.from([n >> 8, n & 0xff])
export const octets = (text: string): Buffer => Buffer.from(text.split('.').map(Number))
export const PUBLIC = '8.8.8.8'

export const ports = (gateway = '127.0.0.1'): SourcePorts => ({
  http: undiciHttp,
  interfaces: systemInterfaces,
  datagram: askByDatagram,
  stream: askByStream,
  resolve: async () => [],
  entropy: systemEntropy,
  forget: () => undefined,
  outboundRoute: async () => undefined,
  gateway: async () => ({ address: address(gateway), interface: 'lo', local: address('127.0.0.1') }),
  program: runProgram,
})

export interface Received {
  readonly bytes: Buffer
  readonly at: number
}
export type Reply = (query: Buffer, nth: number) => Buffer | undefined

/** A UDP server that answers with `reply`, and records the datagrams. */
export async function overUdp(reply: Reply, port = 0, host = '127.0.0.1') {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const received: Received[] = []
  socket.on('message', (bytes, from) => {
    received.push({ bytes, at: performance.now() })
    const answer = reply(bytes, received.length)
    if (answer !== undefined) socket.send(answer, from.port, from.address)
  })
  await bound(socket, port, host)
  return { port: socket.address().port, received, socket }
}

export async function bound(socket: Socket, port: number, host: string): Promise<void> {
  await new Promise<void>((done, fail) => socket.once('error', fail).bind(port, host, done))
  onTestFinished(async () => new Promise<void>((done) => socket.close(() => done())))
}

export async function overHttp(
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

export const PMP_PORT = 5351
export const PMP_ANSWER = Buffer.concat([hex('00800000 00000e10'), octets(PUBLIC)])
export const pmpReply =
  (answer: Buffer): Reply =>
  (query) =>
    query.equals(hex('0000')) ? answer : undefined

export interface Router {
  readonly location?: string
  readonly control?: string
  readonly status?: number
  readonly address?: string
  /** What it answers to GetStatusInfo; without it, an error. */
  readonly uptime?: string
}

/** A router with UPnP: the search by UDP, the description and the action by HTTP. */
export async function upnpRouter(host: string, over: Router = {}) {
  const asked: string[] = []
  const type = 'urn:schemas-upnp-org:service:WANIPConnection:1'
  const base = await overHttp((request, response, body) => {
    asked.push(`${request.method} ${request.url}`)
    if (request.url === '/desc.xml')
      return response.end(`<root><device><serviceList><service><serviceType>${type}</serviceType>
        <controlURL>${over.control ?? '/ctl'}</controlURL><eventSubURL>/evt</eventSubURL></service></serviceList></device></root>`)
    if (over.uptime !== undefined && request.headers['soapaction'] === `"${type}#GetStatusInfo"`)
      return response.end(
        `<NewConnectionStatus>Connected</NewConnectionStatus><NewUptime>${over.uptime}</NewUptime>`,
      )
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
