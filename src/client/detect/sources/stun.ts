import { type Duration, longest, milliseconds, seconds } from '../../../shared/base/time.ts'
import { formatSource, type SourceSpecOf } from './spec.ts'
import { FAMILIES, type Family, familyOf, parseAddress } from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import { addressOfHost, packetOf, failureOf, noAddress } from './datagram.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { type AddressSource, NO_COOLDOWN } from './source.ts'
import { decodeBinding, encodeBinding, isBindingAnswer, TRANSACTION_BYTES } from './stun-codec.ts'
import { noSourceAddress, unknown, validated } from './validate.ts'

/** RFC 8489 §6.2.1: the retransmission timeout doubles each time. Later requests start from the measured round trip. */
const FIRST_RTO = milliseconds(500)
const MIN_RTO = milliseconds(100)
const MAX_RETRANSMISSIONS = 6
const STUN_TIMEOUT = seconds(8)

/** Sends a STUN Binding request (RFC 8489): 20 bytes, the cheapest outside source. */
export function stunSource(
  { host, port }: Omit<SourceSpecOf<'stun'>, 'kind'>,
  { datagram, resolve, forget, entropy }: Pick<SourcePorts, 'datagram' | 'resolve' | 'forget' | 'entropy'>,
  options: QueryOptions,
): AddressSource {
  const name = formatSource({ kind: 'stun', host, port })
  const literal = parseAddress(host)
  const rto: Record<Family, Duration> = { v4: FIRST_RTO, v6: FIRST_RTO }
  return {
    name,
    operator: options.operator ?? host,
    vantage: 'outside',
    families: literal === undefined ? FAMILIES : [familyOf(literal)],
    cooldown: NO_COOLDOWN,
    async look(family, signal): Promise<Sighting> {
      const to = await addressOfHost(host, family, resolve)
      if (to === undefined) return noAddress(family)
      const from = await options.from?.(family)
      if (from === 'none') return noSourceAddress(family)
      const transaction = entropy(TRANSACTION_BYTES)
      const answer = await datagram(
        {
          to,
          port,
          bytes: encodeBinding(transaction),
          again: retransmissionsFrom(rto[family]),
          timeout: STUN_TIMEOUT,
          isAnswer: (bytes) => isBindingAnswer(bytes, transaction),
          ...(from !== undefined && { from }),
        },
        signal,
      )
      if (answer.kind !== 'answered') {
        forget(host, family)
        return unknown(failureOf(answer))
      }
      // Only an answer to the first transmission measures the round trip (Karn, RFC 6298 §3).
      if (answer.sent === 1) rto[family] = longest(MIN_RTO, milliseconds(2 * answer.took))
      return validated(decodeBinding(answer.bytes), {
        family,
        by: name,
        allowed: options.allowed,
        sent: packetOf(answer, { to, port }),
      })
    },
  }
}

/** 500, 1500, 3500 ms and so on. */
const retransmissionsFrom = (rto: Duration): readonly Duration[] =>
  Array.from({ length: MAX_RETRANSMISSIONS }, (_, at) => milliseconds(rto * (2 ** (at + 1) - 1)))
