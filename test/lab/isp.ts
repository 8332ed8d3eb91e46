/** The outside world of the lab: services that tell an asker its address, honestly or as they are told to. */
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
import { direct, startResolver } from './resolver.ts'

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

/** What a responder says to an asker about its address; undefined is silence. */
function toldTo({ kind, responder, from }: Query): string | undefined {
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
    const told = toldTo({ kind, responder: number, from })
    const reply =
      told === undefined ? undefined : readable(() => answer(query, { address: told, port: fromPort }))
    // An asker that cannot be reached just now is not our trouble.
    if (reply !== undefined) later(() => socket.send(reply, fromPort, from, () => undefined))
  })
  socket.bind(port, address)
  await once(socket, 'listening')
}

/** Nothing is answered to what cannot be read. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Over TCP each message has its length before it (RFC 1035 §4.2.2). */
function converse(socket: Socket, { kind, number, answer }: Responder): void {
  const [from, port] = [socket.remoteAddress ?? '', socket.remotePort ?? 0]
  let heard = Buffer.alloc(0)
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    heard = Buffer.concat([heard, chunk])
    while (heard.length >= 2 && heard.length >= 2 + heard.readUInt16BE(0)) {
      const query = heard.subarray(2, 2 + heard.readUInt16BE(0))
      heard = heard.subarray(2 + query.length)
      const told = toldTo({ kind, responder: number, from })
      const reply = told === undefined ? undefined : readable(() => answer(query, { address: told, port }))
      if (reply === undefined) continue
      const size = Buffer.from([reply.length >> 8, reply.length & 255])
      later(() => socket.write(Buffer.concat([size, reply])))
    }
  })
}

async function overTcp(responder: Responder): Promise<void> {
  const server = createServer((socket) => converse(socket, responder))
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
    const told = toldTo({ kind: 'http', responder, from: request.socket.remoteAddress ?? '' })
    if (told === undefined) return
    const [type, body] = page(request.url ?? '/', told, request.headers.host ?? '')
    later(() => response.writeHead(200, { 'content-type': type }).end(body))
  }

async function overHttp(responder: number, address: string): Promise<void> {
  const server = createWebServer(pagesOf(responder))
  server.listen(80, address)
  await once(server, 'listening')
}

/** With the key and the certificate of the folder. */
function overHttps(folder: string): void {
  const [key, cert] = [KEY_FILE, CERTIFICATE_FILE].map((name) => readFileSync(join(folder, name)))
  for (const number of HTTP_RESPONDERS)
    createTlsServer({ key, cert }, pagesOf(number)).listen(443, serviceV4(number))
}

/** Does what a line says, and gives the one line to answer with. */
function obey(line: string): string {
  const [verb, number = '', address = ''] = line.trim().split(/\s+/)
  if (verb === 'count') return JSON.stringify(counts)
  if (verb === 'lie') lies.set(Number(number), address)
  else if (verb === 'honest') lies.clear()
  else if (verb === 'mute') muted.add(Number(number))
  else if (verb === 'speak') muted.clear()
  else if (verb === 'names') direct(number)
  else if (verb === 'tls') overHttps(number)
  else return `error: "${line}" is not understood`
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
// Whoever started us has ended when nobody can tell us anything any more.
createInterface({ input: process.stdin })
  .on('line', (line) => console.log(obey(line)))
  .on('close', () => process.exit())
