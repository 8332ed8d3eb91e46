import { randomBytes } from 'node:crypto'
import { type Duration, longest, milliseconds, seconds } from '../../base/time.ts'
import { type Address, type Family, familyOf, parseAddress } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { type AddressSource, NO_COOLDOWN } from './source.ts'
import { decodeBinding, encodeBinding, isBindingAnswer, TRANSACTION_BYTES } from './stun-codec.ts'
import { unknown, validated } from './validate.ts'

export interface StunSourceSpec {
  /** A name or an address. */
  readonly host: string
  readonly port: number
}

/** RFC 8489 §6.2.1: the first wait doubles each time. It begins with half a second, and later with what this server needed. */
const FIRST_RTO = milliseconds(500)
const LEAST_RTO = milliseconds(100)
const REPEATS = 6
const PATIENCE = seconds(8)

/** Asks a STUN server (RFC 8489) where our packet came from: 20 bytes there, and the cheapest outside answer there is. */
export function stunSource(
  { host, port }: StunSourceSpec,
  operator: string,
  { datagram, resolve, forget }: Pick<SourcePorts, 'datagram' | 'resolve' | 'forget'>,
  asking: QueryOptions,
): AddressSource {
  const name = `stun:${host.includes(':') ? `[${host}]` : host}${port === STUN_PORT ? '' : `:${port}`}`
  const literal = parseAddress(host)
  const rto: Record<Family, Duration> = { v4: FIRST_RTO, v6: FIRST_RTO }
  return {
    name,
    operator,
    vantage: 'outside',
    families: literal === undefined ? ['v4', 'v6'] : [familyOf(literal)],
    cooldown: NO_COOLDOWN,
    async look(family, signal): Promise<Sighting> {
      const [to] = await addressesOf(host, family, resolve)
      if (to === undefined)
        return unknown(`has no ${family === 'v4' ? 'IPv4' : 'IPv6'} address that we know of`)
      const from = await asking.from?.(family)
      const transaction = randomBytes(TRANSACTION_BYTES)
      const answer = await datagram(
        {
          to,
          port,
          bytes: encodeBinding(transaction),
          again: repeatsFrom(rto[family]),
          timeout: PATIENCE,
          isAnswer: (bytes) => isBindingAnswer(bytes, transaction),
          ...(from !== undefined && { from }),
        },
        signal,
      )
      if (answer.kind !== 'answered') {
        forget(host, family)
        return unknown(failureOf(answer))
      }
      // Only an answer to the first sending says how long the way takes (Karn, RFC 6298 §3).
      if (answer.sent === 1) rto[family] = longest(LEAST_RTO, milliseconds(2 * answer.took))
      return validated(decodeBinding(answer.bytes), family, name, asking.allowed)
    },
  }
}

export const STUN_PORT = 3478

/** 500, 1500, 3500 ms and so on. */
const repeatsFrom = (rto: Duration): readonly Duration[] =>
  Array.from({ length: REPEATS }, (_, at) => milliseconds(rto * (2 ** (at + 1) - 1)))

/** A host that is written as an address needs no look-up. */
export async function addressesOf(
  host: string,
  family: Family,
  resolve: SourcePorts['resolve'],
): Promise<readonly Address[]> {
  const literal = parseAddress(host)
  if (literal !== undefined) return familyOf(literal) === family ? [literal] : []
  return resolve(host, family)
}

/** Why a question by datagram has no answer, in words. */
export function failureOf(
  answer: Exclude<Awaited<ReturnType<SourcePorts['datagram']>>, { kind: 'answered' }>,
): string {
  if (answer.kind === 'refused') return 'nobody listens there'
  return answer.kind === 'silent' ? 'did not answer' : `could not be asked (${answer.because})`
}
