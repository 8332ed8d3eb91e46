import { DNS_PORT } from '../../../shared/settings/dns-endpoint.ts'
import { milliseconds, seconds } from '../../../shared/base/time.ts'
import { formatSource, type SourceSpecOf } from './spec.ts'
import { FAMILIES, type Family, familyOf, parseAddress } from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import { addressOfHost, packetOf, failureOf, noAddress } from './datagram.ts'
import {
  decodeAnswer,
  encodeQuery,
  isAnswerTo,
  isTruncated,
  newQueryId,
  type Query,
} from '../../../shared/dns/question.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { type AddressSource, NO_COOLDOWN } from './source.ts'
import { noSourceAddress, unknown, validated } from './validate.ts'

const DNS_TIMEOUT = seconds(5)
const RETRANSMISSIONS = [milliseconds(400), milliseconds(1200), milliseconds(2800)]

/**
 * Queries a name server that answers with the client's address (RFC 1035);
 * truncated answers are repeated by TCP (RFC 7766).
 */
export function dnsSource(
  spec: Omit<SourceSpecOf<'dns'>, 'kind'>,
  ports: Pick<SourcePorts, 'datagram' | 'stream' | 'resolve' | 'forget' | 'entropy'>,
  options: QueryOptions,
): AddressSource {
  const name = formatSource({ kind: 'dns', ...spec })
  const literal = parseAddress(spec.server)
  return {
    name,
    operator: options.operator ?? spec.server,
    vantage: 'outside',
    path: 'DNS',
    families: literal === undefined ? FAMILIES : [familyOf(literal)],
    cooldown: NO_COOLDOWN,
    async look(family, signal): Promise<Sighting> {
      const to = await addressOfHost(spec.server, family, ports.resolve)
      if (to === undefined) return noAddress(family)
      const from = await options.from?.(family)
      if (from === 'none') return noSourceAddress(family)
      const query = queryOf(spec, family, ports.entropy)
      const endpoint = { to, port: DNS_PORT, timeout: DNS_TIMEOUT, ...(from !== undefined && { from }) }
      const outcome = await ports.datagram(
        {
          ...endpoint,
          bytes: encodeQuery(query),
          again: RETRANSMISSIONS,
          isAnswer: (bytes) => isAnswerTo(query, bytes),
        },
        signal,
      )
      if (outcome.kind !== 'answered') {
        ports.forget(spec.server, family)
        return unknown(failureOf(outcome))
      }
      const answer = isTruncated(outcome.bytes)
        ? await byStream({ query, endpoint }, ports.stream, signal)
        : outcome.bytes
      const addresses = typeof answer === 'string' ? answer : decodeAnswer(query, answer)
      if (typeof addresses === 'string') return unknown(addresses)
      if (addresses.length > 1) return unknown('answered with more than one address')
      return validated(addresses[0], {
        family,
        by: name,
        allowed: options.allowed,
        sent: packetOf(outcome, endpoint),
      })
    },
  }
}

const queryOf = (
  { name, type, class: recordClass }: Omit<SourceSpecOf<'dns'>, 'kind'>,
  family: Family,
  entropy: SourcePorts['entropy'],
): Query => ({
  id: newQueryId(entropy),
  name,
  type: type ?? (family === 'v4' ? 'A' : 'AAAA'),
  class: recordClass,
})

interface StreamQuery {
  readonly query: Query
  readonly endpoint: Omit<Parameters<SourcePorts['stream']>[0], 'bytes' | 'lengthOf'>
}

/**
 * RFC 1035 §4.2.2: over TCP, two bytes with its length precede a message.
 * Returns the answer, or the reason for the failure.
 */
async function byStream(
  { query, endpoint }: StreamQuery,
  stream: SourcePorts['stream'],
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  const message = encodeQuery(query)
  const bytes = Uint8Array.from([message.length >> 8, message.length & 0xff, ...message])
  const lengthOf = (start: Uint8Array): number | undefined =>
    start.length < 2 ? undefined : 2 + ((start[0] ?? 0) << 8) + (start[1] ?? 0)
  const answer = await stream({ ...endpoint, bytes, lengthOf }, signal)
  if (typeof answer === 'string') return `did not answer by TCP (${answer})`
  return isAnswerTo(query, answer.subarray(2)) ? answer.subarray(2) : 'sent an unrelated answer by TCP'
}
