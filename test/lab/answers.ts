import { isIPv6 } from 'node:net'
import { tableForm } from './plan.ts'

const COOKIE = 0x2112a442
const [BINDING_REQUEST, BINDING_SUCCESS, XOR_MAPPED_ADDRESS] = [0x0001, 0x0101, 0x0020]
const [A, TXT, AAAA] = [1, 16, 28]
const [IN, CHAOS] = [1, 3]

export interface Asker {
  readonly address: string
  readonly port: number
}

/** The 4 or 16 octets of an address. */
export function octets(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  return Buffer.from(tableForm(address), 'hex')
}

/**
 * A STUN binding response (RFC 8489) with the address of the client; undefined for anything but a binding request.
 */
export function stunAnswer(query: Buffer, { address, port }: Asker): Buffer | undefined {
  if (query.length < 20 || query.readUInt16BE(0) !== BINDING_REQUEST || query.readUInt32BE(4) !== COOKIE)
    return undefined
  const bytes = octets(address)
  const answer = Buffer.alloc(28 + bytes.length)
  answer.writeUInt16BE(BINDING_SUCCESS, 0)
  answer.writeUInt16BE(8 + bytes.length, 2)
  query.copy(answer, 4, 4, 20)
  answer.writeUInt16BE(XOR_MAPPED_ADDRESS, 20)
  answer.writeUInt16BE(4 + bytes.length, 22)
  answer.writeUInt8(bytes.length === 4 ? 1 : 2, 25)
  answer.writeUInt16BE(port ^ (COOKIE >>> 16), 26)
  // XOR with the cookie, then with the transaction id, which follows it.
  for (const [index, byte] of bytes.entries()) answer[28 + index] = byte ^ (query[4 + index] ?? 0)
  return answer
}

export interface Question {
  readonly name: string
  readonly type: number
  readonly class: number
  /** Where the question ends in the query. */
  readonly end: number
}

export function questionOf(query: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length !== 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const name = labels.join('.').toLowerCase()
  return { name, type: query.readUInt16BE(at + 1), class: query.readUInt16BE(at + 3), end: at + 5 }
}

/** The names at which public resolvers return the address of the client, each with its class and type. */
const NAMES: ReadonlyMap<string, { readonly class: number; readonly isText: boolean }> = new Map([
  ['myip.opendns.com', { class: IN, isText: false }],
  ['o-o.myaddr.l.google.com', { class: IN, isText: true }],
  ['whoami.cloudflare', { class: CHAOS, isText: true }],
])

function dataFor({ name, type, class: klass }: Question, address: string): Buffer | undefined {
  const known = NAMES.get(name)
  if (known === undefined || known.class !== klass) return undefined
  if (known.isText)
    return type === TXT ? Buffer.from(`${String.fromCharCode(address.length)}${address}`) : undefined
  return type === (isIPv6(address) ? AAAA : A) ? octets(address) : undefined
}

const [RESPONSE, AUTHORITATIVE, RECURSION_DESIRED] = [0x8000, 0x0400, 0x0100]
const [NO_SUCH_NAME, REFUSED] = [3, 5]

/** The answer of a name server that only returns the address of the client, and refuses other names. */
export function dnsAnswer(query: Buffer, address: string): Buffer | undefined {
  if (query.length < 17) return undefined
  const question = questionOf(query)
  const code = NAMES.has(question.name) ? 0 : REFUSED
  return answerTo(query, question, { code, data: dataFor(question, address) })
}

/** The answer of a name server with IPv4 addresses for names, with a TTL of 0. */
export function nameAnswer(
  query: Buffer,
  addressOf: (name: string) => string | undefined,
): Buffer | undefined {
  if (query.length < 17) return undefined
  const question = questionOf(query)
  const address = addressOf(question.name)
  const data = address === undefined || question.type !== A ? undefined : octets(address)
  return answerTo(query, question, { code: address === undefined ? NO_SUCH_NAME : 0, data })
}

export function answerTo(
  query: Buffer,
  question: Question,
  { code, data }: { readonly code: number; readonly data: Buffer | undefined },
): Buffer {
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  const flags = RESPONSE | AUTHORITATIVE | (query.readUInt16BE(2) & RECURSION_DESIRED)
  head.writeUInt16BE(flags | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data === undefined ? 0 : 1, 6)
  const asked = query.subarray(12, question.end)
  if (data === undefined) return Buffer.concat([head, asked])
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(question.type, 2)
  record.writeUInt16BE(question.class, 4)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, asked, record, data])
}
