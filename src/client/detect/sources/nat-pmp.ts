import { milliseconds } from '../../../shared/base/time.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import type { Gateway } from '../../../shared/ports/network.ts'
import { failureOf } from './datagram.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown, validatedOfRouter } from './validate.ts'
import { type Address, addressOfBytes } from '../../../shared/base/address.ts'

/** RFC 6886 §3.1: 250 ms, doubling. A router is one hop away, so the total is shorter than in the RFC. */
export const ROUTER_RETRANSMISSIONS = [milliseconds(250), milliseconds(750)]
export const ROUTER_TIMEOUT = milliseconds(1750)

/** The common part of sources that ask the default gateway for its external IPv4 address. */
export const gatewaySource = (
  name: string,
  { gateway: findGateway }: Pick<SourcePorts, 'gateway'>,
  look: (gateway: Gateway, signal: AbortSignal) => Promise<Sighting>,
): AddressSource => ({
  name,
  operator: 'your router',
  vantage: 'router',
  families: ['v4'],
  cooldown: milliseconds(0),
  look: async (family, signal) => {
    if (family !== 'v4') return { kind: 'none' }
    const gateway = await findGateway()
    return gateway === undefined ? unknown(NO_DEFAULT_ROUTE) : look(gateway, signal)
  },
})

/** NAT-PMP (RFC 6886): the external address in one request of two bytes, without a mapping. */
export const pmpSource = (
  ports: Pick<SourcePorts, 'datagram' | 'gateway'>,
  { allowed }: QueryOptions,
): AddressSource =>
  gatewaySource('nat-pmp', ports, async (gateway, signal) => {
    const answer = await askPmp(gateway, ports, signal)
    return typeof answer === 'string'
      ? unknown(answer)
      : sightingOf(answer, { by: 'nat-pmp', allowed, noAddressCodes: PMP_NO_ADDRESS })
  })

/** The router's answer; as text, the reason for the failure. */
export async function askPmp(
  { address }: Gateway,
  { datagram }: Pick<SourcePorts, 'datagram'>,
  signal: AbortSignal,
): Promise<RouterAnswer | string> {
  const outcome = await datagram(
    {
      to: address,
      port: ROUTER_PORT,
      bytes: encodeAddressRequest(),
      again: ROUTER_RETRANSMISSIONS,
      timeout: ROUTER_TIMEOUT,
      isAnswer: (bytes) => decodeAddressAnswer(bytes) !== undefined,
    },
    signal,
  )
  if (outcome.kind !== 'answered') return failureOf(outcome)
  return decodeAddressAnswer(outcome.bytes) ?? 'sent an unrelated answer'
}

/** This host is in no network that leads to a router. */
export const NO_DEFAULT_ROUTE = 'there is no default route'

/** RFC 6886 §3.5: 3 is a network failure, such as no lease or no address. */
const PMP_NO_ADDRESS: readonly number[] = [3]

interface RouterOptions extends Pick<QueryOptions, 'allowed'> {
  readonly by: string
  /** Result codes which mean that the router has no external address. */
  readonly noAddressCodes: readonly number[]
}

export function sightingOf(
  { code, address, epoch }: RouterAnswer,
  { by, allowed, noAddressCodes }: RouterOptions,
): Sighting {
  if (code !== 0 && !noAddressCodes.includes(code)) return unknown(`the router answered with code ${code}`)
  const sighting = validatedOfRouter(address, { by, allowed })
  return sighting.kind !== 'unknown' && epoch < EARLY ? { ...sighting, isEarly: true } : sighting
}

/** In seconds since the start of the router, or since its last change of address (RFC 6886 §3.6). */
export const EARLY = 60

/** RFC 6886 §1.1, RFC 6887 §19: the port of requests to a router, and the port of its announcements. */
export const ROUTER_PORT = 5351
export const ANNOUNCEMENT_PORT = 5350

/** A router's external address, where it has one, and the age of its mapping table in seconds (RFC 6886 §3.6). */
export interface RouterAnswer {
  readonly address?: Address
  readonly epoch: number
  /** 0 is success (RFC 6886 §3.5, RFC 6887 §7.4). */
  readonly code: number
}

/** RFC 6886 §3.2: version 0, opcode 0. */
export const encodeAddressRequest = (): Uint8Array => Uint8Array.from([0, 0])

/** RFC 6886 §3.2; announcements (§3.2.1) have the same format. */
export function decodeAddressAnswer(bytes: Uint8Array): RouterAnswer | undefined {
  const message = Buffer.from(bytes)
  if (message.length < 8 || message[0] !== 0 || message[1] !== 128) return undefined
  const code = message.readUInt16BE(2)
  const epoch = message.readUInt32BE(4)
  if (code !== 0 || message.length < 12) return code === 0 ? undefined : { code, epoch }
  const address = addressOfBytes(message.subarray(8, 12))
  return address === undefined || address === '0.0.0.0' ? { code, epoch } : { code, epoch, address }
}

/** RFC 6887 §8.5, with tolerance for coarse clocks: the router lost its mapping table, by a restart or by a new address. */
export function isReset(before: RouterAnswer, after: RouterAnswer, seconds: number): boolean {
  return after.epoch + 2 < before.epoch + (seconds * 7) / 8
}
