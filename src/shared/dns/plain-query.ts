import { newQueryId } from './question.ts'
import { type DnsResponse, parseResponse, questionWire } from './response.ts'
import { FLAGS, HEADER_LENGTH } from './types.ts'

/** A question to one name server, without recursion and without EDNS: each server knows that form. */
export interface PlainQuery {
  readonly id: number
  readonly name: string
  readonly type: number
  readonly bytes: Uint8Array
}

export function plainQuery(name: string, type: number, entropy: (octets: number) => Uint8Array): PlainQuery {
  const id = newQueryId(entropy)
  const header = Buffer.alloc(HEADER_LENGTH)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(1, 4)
  return { id, name, type, bytes: Buffer.concat([header, questionWire(name, type)]) }
}

/** The response to this query: the same id and question (RFC 5452 §9.1). */
export function responseToPlain({ id, name, type }: PlainQuery, bytes: Uint8Array): DnsResponse | undefined {
  const response = parseResponse(bytes)
  const isMatching = response?.id === id && response.name === name && response.type === type
  return isMatching ? response : undefined
}

export const isResponseTruncated = ({ flags }: DnsResponse): boolean => (flags & FLAGS.TC) !== 0

/** RFC 1035 §4.2.2: over TCP, two octets with its length precede a message. */
export const streamQuery = ({ bytes: message }: PlainQuery) => ({
  bytes: Uint8Array.from([message.length >> 8, message.length & 0xff, ...message]),
  lengthOf: (start: Uint8Array): number | undefined =>
    start.length < 2 ? undefined : 2 + ((start[0] ?? 0) << 8) + (start[1] ?? 0),
})

/** The whole response of a stream to this query. */
export function responseOfStream(query: PlainQuery, answer: Uint8Array | string): DnsResponse | undefined {
  const response = typeof answer === 'string' ? undefined : responseToPlain(query, answer.subarray(2))
  return response === undefined || isResponseTruncated(response) ? undefined : response
}
