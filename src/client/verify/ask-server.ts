import { milliseconds, seconds } from '../../shared/base/time.ts'
import {
  isResponseTruncated,
  type PlainQuery,
  plainQuery,
  responseOfStream,
  responseToPlain,
  streamQuery,
} from '../../shared/dns/plain-query.ts'
import type { DnsResponse } from '../../shared/dns/response.ts'
import { CLASSES, FLAGS, RCODES, RR_TYPES } from '../../shared/dns/types.ts'
import { addressOfBytes, type Family } from '../../shared/base/address.ts'
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
    const query = plainQuery(question.hostname, TYPE_OF[question.family], ports.entropy)
    const isAnswer = (bytes: Uint8Array): boolean => responseToPlain(query, bytes) !== undefined
    const again = RETRANSMISSIONS
    const outcome = await ports.datagram({ ...endpoint, bytes: query.bytes, again, isAnswer }, signal)
    if (outcome.kind !== 'answered') continue
    const response = responseToPlain(query, outcome.bytes)
    const isTruncated = response !== undefined && isResponseTruncated(response)
    const whole = isTruncated ? await byStream(query, endpoint, context) : response
    if (whole !== undefined) return answerIn(whole, query.type)
  }
  return { kind: 'silent' }
}

async function byStream(
  query: PlainQuery,
  endpoint: Omit<Parameters<VerifyPorts['stream']>[0], 'bytes' | 'lengthOf'>,
  { ports, signal }: VerifyContext,
): Promise<DnsResponse | undefined> {
  return responseOfStream(query, await ports.stream({ ...endpoint, ...streamQuery(query) }, signal))
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
