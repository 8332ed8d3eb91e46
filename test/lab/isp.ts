/** The outside services of the lab: they return the address of the client, or a wrong one on command. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createWebServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer, isIPv6, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Asker, dnsAnswer, stunAnswer } from './answers.ts'
import {
  CERTIFICATE_FILE,
  DNS_RESPONDER,
  HTTP_RESPONDERS,
  KEY_FILE,
  STUN_PORT,
  STUN_RESPONDERS,
  serviceV4,
  serviceV6,
} from './plan.ts'
import { setAnswers, startResolver } from './resolver.ts'

const { values } = parseArgs({ options: { delay: { type: 'string', default: '0' } } })
const delay = Number(values.delay)
const later = (answer: () => void): void => void (delay > 0 ? setTimeout(answer, delay) : answer())

type Kind = 'stun' | 'dns' | 'http'

const counts: Record<string, number> = {}
for (const kind of ['stun', 'dns', 'http']) for (const family of ['v4', 'v6']) counts[`${kind}-${family}`] = 0
const lies = new Map<number, string>()
const muted = new Set<number>()

interface Query {
  readonly kind: Kind
  readonly responder: number
  readonly from: string
}

/** The address that a responder returns to a client; undefined: no answer. */
function addressFor({ kind, responder, from }: Query): string | undefined {
  const key = `${kind}-${isIPv6(from) ? 'v6' : 'v4'}`
  counts[key] = (counts[key] ?? 0) + 1
  if (muted.has(responder)) return undefined
  const lie = lies.get(responder)
  return lie !== undefined && isIPv6(lie) === isIPv6(from) ? lie : from
}

interface Responder {
  readonly kind: Kind
  readonly number: number
  readonly address: string
  readonly port: number
  readonly answer: (query: Buffer, asker: Asker) => Buffer | undefined
}

async function overUdp({ kind, number, address, port, answer }: Responder): Promise<void> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  socket.on('message', (query, { address: from, port: fromPort }) => {
    const reported = addressFor({ kind, responder: number, from })
    const reply =
      reported === undefined
        ? undefined
        : unlessMalformed(() => answer(query, { address: reported, port: fromPort }))
    // Ignores clients that cannot be reached.
    if (reply !== undefined) later(() => socket.send(reply, fromPort, from, () => undefined))
  })
  socket.bind(port, address)
  await once(socket, 'listening')
}

/** Undefined for a malformed request, which gets no answer. */
function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Over TCP, each message follows its length (RFC 1035 §4.2.2). */
function answerConnection(socket: Socket, { kind, number, answer }: Responder): void {
  const [from, port] = [socket.remoteAddress ?? '', socket.remotePort ?? 0]
  let received = Buffer.alloc(0)
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const query = received.subarray(2, 2 + received.readUInt16BE(0))
      received = received.subarray(2 + query.length)
      const reported = addressFor({ kind, responder: number, from })
      const reply =
        reported === undefined ? undefined : unlessMalformed(() => answer(query, { address: reported, port }))
      if (reply === undefined) continue
      const size = Buffer.from([reply.length >> 8, reply.length & 255])
      later(() => socket.write(Buffer.concat([size, reply])))
    }
  })
}

async function overTcp(responder: Responder): Promise<void> {
  const server = createServer((socket) => answerConnection(socket, responder))
  server.listen(responder.port, responder.address)
  await once(server, 'listening')
}

function page(path: string, ip: string, host: string): readonly [type: string, body: string] {
  if (path === '/json') return ['application/json', JSON.stringify({ ip })]
  if (path !== '/cdn-cgi/trace') return ['text/plain', `${ip}\n`]
  const seconds = (Date.now() / 1000).toFixed(3)
  return ['text/plain', `fl=1f1\nh=${host}\nip=${ip}\nts=${seconds}\nvisit_scheme=http\nuag=\ncolo=LAB\n`]
}

const pagesOf =
  (responder: number): RequestListener =>
  (request, response) => {
    const reported = addressFor({ kind: 'http', responder, from: request.socket.remoteAddress ?? '' })
    if (reported === undefined) return
    const [type, body] = page(request.url ?? '/', reported, request.headers.host ?? '')
    later(() => response.writeHead(200, { 'content-type': type }).end(body))
  }

async function overHttp(responder: number, address: string): Promise<void> {
  const server = createWebServer(pagesOf(responder))
  server.listen(80, address)
  await once(server, 'listening')
}

/** With key and certificate from the folder. */
function overHttps(folder: string): void {
  const [key, cert] = [KEY_FILE, CERTIFICATE_FILE].map((name) => readFileSync(join(folder, name)))
  for (const number of HTTP_RESPONDERS)
    createTlsServer({ key, cert }, pagesOf(number)).listen(443, serviceV4(number))
}

/** Executes a command, and returns the line to answer. */
function execute(line: string): string {
  const [verb, number = '', address = ''] = line.trim().split(/\s+/)
  if (verb === 'count') return JSON.stringify(counts)
  if (verb === 'lie') lies.set(Number(number), address)
  else if (verb === 'honest') lies.clear()
  else if (verb === 'mute') muted.add(Number(number))
  else if (verb === 'speak') muted.clear()
  else if (verb === 'names') setAnswers(number)
  else if (verb === 'tls') overHttps(number)
  else return `error: unknown command "${line}"`
  return 'ok'
}

const addressesOf = (number: number): readonly string[] => [serviceV4(number), serviceV6(number)]
const dns = addressesOf(DNS_RESPONDER).map(
  (address): Responder => ({
    kind: 'dns',
    number: DNS_RESPONDER,
    address,
    port: 53,
    answer: (query, asker) => dnsAnswer(query, asker.address),
  }),
)
const stun = STUN_RESPONDERS.flatMap((number) =>
  addressesOf(number).map(
    (address): Responder => ({
      kind: 'stun',
      number,
      address,
      port: STUN_PORT,
      answer: stunAnswer,
    }),
  ),
)

await Promise.all([
  startResolver(),
  ...[...stun, ...dns].map(overUdp),
  ...dns.map(overTcp),
  ...HTTP_RESPONDERS.flatMap((number) => addressesOf(number).map((address) => overHttp(number, address))),
])
console.log('ready')
// The end of standard input means that the parent process has ended.
createInterface({ input: process.stdin })
  .on('line', (line) => console.log(execute(line)))
  .on('close', () => process.exit())
