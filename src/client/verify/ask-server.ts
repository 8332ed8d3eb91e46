import { milliseconds, seconds } from '../../base/time.ts'
import { newQueryId } from '../../dns/question.ts'
import { parseResponse, questionWire, type DnsResponse } from '../../dns/response.ts'
import { CLASSES, FLAGS, HEADER_LENGTH, RCODES, RR_TYPES } from '../../dns/types.ts'
import { addressOfBytes, type Family } from '../../net/address.ts'
import type { VerifyContext, VerifyPorts } from './ports.ts'
import type { ServerAnswer } from './publication.ts'
import type { ZoneServer } from './zone-servers.ts'

const QUESTION_TIMEOUT = seconds(2)
const RETRANSMISSIONS = [milliseconds(700)]
const TYPE_OF = { v4: RR_TYPES.A, v6: RR_TYPES.AAAA } as const satisfies Record<Family, number>

/**
 * Asks a server for the address of a hostname, without recursion. By UDP without EDNS, because an address of one name fits
 * into 512 octets (RFC 1035 §2.3.4) and each server knows that form; by TCP where the answer was truncated.
 */
export async function askServer(
  server: ZoneServer,
  question: { readonly hostname: string; readonly family: Family },
  context: VerifyContext,
): Promise<ServerAnswer> {
  const { ports, signal } = context
  for (const to of server.addresses) {
    const endpoint = { to, port: server.port, timeout: QUESTION_TIMEOUT }
    const query = queryOf(question.hostname, TYPE_OF[question.family], ports.entropy)
    const isAnswer = (bytes: Uint8Array): boolean => responseTo(query, bytes) !== undefined
    const again = RETRANSMISSIONS
    const outcome = await ports.datagram({ ...endpoint, bytes: query.bytes, again, isAnswer }, signal)
    if (outcome.kind !== 'answered') continue
    const response = responseTo(query, outcome.bytes)
    const isTruncated = response !== undefined && (response.flags & FLAGS.TC) !== 0
    const whole = isTruncated ? await byStream(query, endpoint, context) : response
    if (whole !== undefined) return answerIn(whole, query.type)
  }
  return { kind: 'silent' }
}

interface Query {
  readonly id: number
  readonly name: string
  readonly type: number
  readonly bytes: Uint8Array
}

function queryOf(hostname: string, type: number, entropy: VerifyPorts['entropy']): Query {
  const id = newQueryId(entropy)
  const header = Buffer.alloc(HEADER_LENGTH)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(1, 4)
  return { id, name: hostname, type, bytes: Buffer.concat([header, questionWire(hostname, type)]) }
}

/** The response to this query: the same id and question (RFC 5452 §9.1). */
function responseTo({ id, name, type }: Query, bytes: Uint8Array): DnsResponse | undefined {
  const response = parseResponse(bytes)
  const isMatching = response?.id === id && response.name === name && response.type === type
  return isMatching ? response : undefined
}

/** RFC 1035 §4.2.2: over TCP, two octets with its length precede a message. */
async function byStream(
  query: Query,
  endpoint: Omit<Parameters<VerifyPorts['stream']>[0], 'bytes' | 'lengthOf'>,
  { ports, signal }: VerifyContext,
): Promise<DnsResponse | undefined> {
  const { bytes: message } = query
  const bytes = Uint8Array.from([message.length >> 8, message.length & 0xff, ...message])
  const lengthOf = (start: Uint8Array): number | undefined =>
    start.length < 2 ? undefined : 2 + ((start[0] ?? 0) << 8) + (start[1] ?? 0)
  const answer = await ports.stream({ ...endpoint, bytes, lengthOf }, signal)
  const response = typeof answer === 'string' ? undefined : responseTo(query, answer.subarray(2))
  return response !== undefined && (response.flags & FLAGS.TC) === 0 ? response : undefined
}

/**
 * Only an authoritative answer counts (AA): a resolver that answers in the place of the server gives its copy. After a CNAME
 * the address is that of the last name.
 */
function answerIn({ flags, rcode, message, answers }: DnsResponse, type: number): ServerAnswer {
  const isDenied = rcode === RCODES.NXDOMAIN
  if ((flags & FLAGS.AA) === 0 || (rcode !== RCODES.NOERROR && !isDenied)) return { kind: 'lame' }
  const records = answers.filter((record) => record.class === CLASSES.IN)
  const addresses = records
    .filter((record) => record.type === type)
    .flatMap(({ rdataAt, end }) => addressOfBytes(message.subarray(rdataAt, end)) ?? [])
  if (addresses.length > 0) return { kind: 'addresses', addresses }
  return { kind: records.some((record) => record.type === RR_TYPES.CNAME) ? 'alias' : 'missing' }
}
