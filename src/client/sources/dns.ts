import { randomInt } from 'node:crypto'
import { milliseconds, seconds } from '../../base/time.ts'
import { type Address, familyOf, parseAddress } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import {
  decodeAnswer,
  encodeQuery,
  isAnswerTo,
  isTruncated,
  type Query,
  type RecordClass,
  type RecordType,
} from './dns-codec.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { type AddressSource, NO_COOLDOWN } from './source.ts'
import { addressesOf, failureOf } from './stun.ts'
import { unknown, validated } from './validate.ts'

export interface DnsSourceSpec {
  /** The name that answers with the address of whoever asks. */
  readonly name: string
  /** Without one, A or AAAA by the family that is asked for. */
  readonly type?: RecordType
  readonly class: RecordClass
  /** The server to ask, by name or address: another one would tell its own address, or its resolver's. */
  readonly server: string
}

const DNS_PORT = 53
const PATIENCE = seconds(5)
const AGAIN = [milliseconds(400), milliseconds(1200), milliseconds(2800)]

/** Asks a name server that answers with the asker's address (RFC 1035); by TCP where the answer does not fit (RFC 7766). */
export function dnsSource(
  whoami: DnsSourceSpec,
  operator: string,
  ports: Pick<SourcePorts, 'datagram' | 'stream' | 'resolve' | 'forget'>,
  asking: QueryOptions,
): AddressSource {
  const title = nameOf(whoami)
  const literal = parseAddress(whoami.server)
  return {
    name: title,
    operator,
    vantage: 'outside',
    families: literal === undefined ? ['v4', 'v6'] : [familyOf(literal)],
    cooldown: NO_COOLDOWN,
    async look(family, signal): Promise<Sighting> {
      const [to] = await addressesOf(whoami.server, family, ports.resolve)
      if (to === undefined)
        return unknown(`has no ${family === 'v4' ? 'IPv4' : 'IPv6'} address that we know of`)
      const type = whoami.type ?? (family === 'v4' ? 'A' : 'AAAA')
      const query: Query = { id: randomInt(0x10000), name: whoami.name, type, class: whoami.class }
      const from = await asking.from?.(family)
      const place = { to, port: DNS_PORT, timeout: PATIENCE, ...(from !== undefined && { from }) }
      const answer = await ports.datagram(
        { ...place, bytes: encodeQuery(query), again: AGAIN, isAnswer: (bytes) => isAnswerTo(query, bytes) },
        signal,
      )
      if (answer.kind !== 'answered') {
        ports.forget(whoami.server, family)
        return unknown(failureOf(answer))
      }
      const bytes = isTruncated(answer.bytes)
        ? await byStream(query, place, ports.stream, signal)
        : answer.bytes
      return typeof bytes === 'string' ? unknown(bytes) : verdict(decodeAnswer(query, bytes), family, title)
    },
  }

  function verdict(found: readonly Address[] | string, family: 'v4' | 'v6', by: string): Sighting {
    if (typeof found === 'string') return unknown(found)
    if (found.length > 1) return unknown('answered with more than one address')
    return validated(found[0], family, by, asking.allowed)
  }
}

/** RFC 1035 §4.2.2: by TCP a message has its length before it. */
async function byStream(
  query: Query,
  place: Omit<Parameters<SourcePorts['stream']>[0], 'bytes' | 'lengthOf'>,
  stream: SourcePorts['stream'],
  signal: AbortSignal,
): Promise<Uint8Array | string> {
  const question = encodeQuery(query)
  const bytes = Uint8Array.from([question.length >> 8, question.length & 0xff, ...question])
  const lengthOf = (start: Uint8Array): number | undefined =>
    start.length < 2 ? undefined : 2 + ((start[0] ?? 0) << 8) + (start[1] ?? 0)
  const answer = await stream({ ...place, bytes, lengthOf }, signal)
  if (typeof answer === 'string') return `did not answer by TCP (${answer})`
  return isAnswerTo(query, answer.subarray(2)) ? answer.subarray(2) : 'answered something else by TCP'
}

/** As the user writes it. */
export const nameOf = ({ name, type, class: classOf, server }: DnsSourceSpec): string =>
  `dns:${name}${type === undefined ? '' : `/${type}`}${classOf === 'CH' ? '/CH' : ''}@${server}`
