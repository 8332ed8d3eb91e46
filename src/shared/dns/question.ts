import { type Address, addressOfBytes, parseAddress } from '../base/address.ts'
import { CLASSES } from './types.ts'

/** RFC 1035 §3.2.2, §3.2.4; RFC 3596. */
const TYPES = { A: 1, TXT: 16, AAAA: 28 } as const
export type RecordType = keyof typeof TYPES
type RecordClass = 'IN' | 'CH'

/** An id that cannot be guessed (RFC 5452 §9.2), from random octets. */
export function newQueryId(entropy: (octets: number) => Uint8Array): number {
  const [high = 0, low = 0] = entropy(2)
  return (high << 8) | low
}

export interface Query {
  readonly id: number
  /** Without trailing dot. */
  readonly name: string
  readonly type: RecordType
  readonly class: RecordClass
}

const HEADER = 12
const [RESPONSE, TRUNCATED] = [0x8000, 0x0200]
const RECURSION_DESIRED = 0x0100

/** RFC 1035 §4.1: a header and one question. */
export function encodeQuery({ id, name, type, class: recordClass }: Query): Uint8Array {
  const labels = name.split('.').map((label) => Buffer.from(label, 'latin1'))
  const header = Buffer.alloc(HEADER)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(RECURSION_DESIRED, 2)
  header.writeUInt16BE(1, 4)
  const tail = Buffer.from([0, 0, TYPES[type], 0, CLASSES[recordClass]])
  return Buffer.concat([header, ...labels.map((label) => Buffer.from([label.length, ...label])), tail])
}

/** Whether this is a response to the query: the same id and, ignoring case, the same question (RFC 5452 §9.1). */
export function isAnswerTo(query: Query, bytes: Uint8Array): boolean {
  const message = Buffer.from(bytes)
  const question = Buffer.from(encodeQuery(query)).subarray(HEADER)
  const lower = (part: Buffer): string => part.toString('latin1').toLowerCase()
  return (
    message.length >= HEADER + question.length &&
    message.readUInt16BE(0) === query.id &&
    (message.readUInt16BE(2) & RESPONSE) !== 0 &&
    message.readUInt16BE(4) === 1 &&
    lower(message.subarray(HEADER, HEADER + question.length)) === lower(question)
  )
}

/** §4.1.1: the answer did not fit into a datagram; the query is repeated by TCP. */
export const isTruncated = (bytes: Uint8Array): boolean =>
  bytes.length >= HEADER && (Buffer.from(bytes).readUInt16BE(2) & TRUNCATED) !== 0

/** The addresses of an answer, in A, AAAA or TXT records; else the reason for the failure. Requires `isAnswerTo`. */
export function decodeAnswer(query: Query, bytes: Uint8Array): readonly Address[] | string {
  const message = Buffer.from(bytes)
  const code = message.readUInt16BE(2) & 0x0f
  if (code !== 0) return CODES[code] ?? `answered with RCODE ${code}`
  const addresses: Address[] = []
  let at = encodeQuery(query).length
  for (let left = message.readUInt16BE(6); left > 0; left--) {
    const start = afterName(message, at)
    if (start === undefined || start + 10 > message.length) return 'sent a malformed answer'
    const [type, end] = [message.readUInt16BE(start), start + 10 + message.readUInt16BE(start + 8)]
    if (end > message.length) return 'sent a malformed answer'
    const isWanted = type === TYPES[query.type] && message.readUInt16BE(start + 2) === CLASSES[query.class]
    const address = isWanted ? addressOfRecord(query.type, message.subarray(start + 10, end)) : undefined
    if (address !== undefined) addresses.push(address)
    at = end
  }
  return addresses
}

/** RFC 1035 §4.1.1. */
const CODES: Readonly<Record<number, string>> = {
  1: 'rejected the query as malformed (FORMERR)',
  2: 'failed (SERVFAIL)',
  3: 'the name does not exist (NXDOMAIN)',
  4: 'does not support such queries (NOTIMP)',
  5: 'refused the query (REFUSED)',
}

/**
 * §4.1.4: the offset after a name, which is labels up to an empty one or a
 * pointer. undefined where the message ends first.
 */
function afterName(message: Buffer, from: number): number | undefined {
  let at = from
  for (;;) {
    const length = message[at]
    if (length === undefined) return undefined
    if (length === 0) return at + 1
    if (length >= 0xc0) return at + 2
    at += length + 1
  }
}

/** A text record is one or more strings with a length byte (§3.3.14). */
function addressOfRecord(type: RecordType, data: Buffer): Address | undefined {
  return type === 'TXT' ? parseAddress(textIn(data)) : addressOfBytes(data)
}

function textIn(data: Buffer): string {
  let [text, at] = ['', 0]
  while (at < data.length) {
    const end = at + 1 + (data[at] ?? 0)
    text += data.toString('latin1', at + 1, end)
    at = end
  }
  return text
}
