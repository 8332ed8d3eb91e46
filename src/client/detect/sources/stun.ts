import { type Duration, longest, milliseconds, seconds } from '../../../shared/base/time.ts'
import { formatSource, type SourceSpecOf } from './spec.ts'
import {
  type Address,
  addressOfBytes,
  FAMILIES,
  type Family,
  familyOf,
  parseAddress,
} from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import { addressOfHost, failureOf, noAddress, packetOf } from './datagram.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { type AddressSource, NO_COOLDOWN } from './source.ts'
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

/** RFC 8489 §5: a Binding request is a header without attributes. */
const [REQUEST, SUCCESS] = [0x0001, 0x0101]
const MAGIC_COOKIE = 0x2112a442
const HEADER = 20
/** §14.1 and §14.2. Servers of RFC 3489 send the plain attribute, and some middleboxes rewrite it. */
const [MAPPED_ADDRESS, XOR_MAPPED_ADDRESS] = [0x0001, 0x0020]

const TRANSACTION_BYTES = 12

/** `transaction` is 12 random bytes (§5), so that an off-path attacker cannot forge an answer. */
export function encodeBinding(transaction: Uint8Array): Uint8Array {
  const message = Buffer.alloc(HEADER)
  message.writeUInt16BE(REQUEST, 0)
  message.writeUInt32BE(MAGIC_COOKIE, 4)
  message.set(transaction, 8)
  return message
}

/** Whether this is a success response to the transaction (§6.3.1, §6.3.3). */
export function isBindingAnswer(bytes: Uint8Array, transaction: Uint8Array): boolean {
  const message = Buffer.from(bytes)
  return (
    message.length >= HEADER &&
    message.readUInt16BE(0) === SUCCESS &&
    message.readUInt16BE(2) === message.length - HEADER &&
    message.readUInt32BE(4) === MAGIC_COOKIE &&
    message.subarray(8, HEADER).equals(transaction)
  )
}

/** The address that the server saw, from XOR-MAPPED-ADDRESS, else from MAPPED-ADDRESS; undefined without either. */
export function decodeBinding(bytes: Uint8Array): Address | undefined {
  const message = Buffer.from(bytes)
  let plain: Address | undefined
  for (let at = HEADER; at + 4 <= message.length; ) {
    const [type, length] = [message.readUInt16BE(at), message.readUInt16BE(at + 2)]
    const value = message.subarray(at + 4, at + 4 + length)
    if (value.length < length) break
    if (type === XOR_MAPPED_ADDRESS) return addressIn(value, message.subarray(4, HEADER))
    if (type === MAPPED_ADDRESS) plain ??= addressIn(value, Buffer.alloc(16))
    at += 4 + length + ((4 - (length % 4)) % 4) // §14: padded to four bytes
  }
  return plain
}

/** §14.2: an unused byte, family 1 or 2, port, address; the key is the magic cookie and the transaction. */
function addressIn(value: Uint8Array, key: Uint8Array): Address | undefined {
  const length = value[1] === 1 ? 4 : value[1] === 2 ? 16 : 0
  const address = value.slice(4)
  return length === 0 || address.length !== length
    ? undefined
    : addressOfBytes(address.map((byte, at) => byte ^ (key[at] ?? 0)))
}
