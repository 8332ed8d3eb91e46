import { randomBytes } from 'node:crypto'
import { type Duration, milliseconds, seconds } from '../../base/time.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Gateway } from '../../ports/network.ts'
import {
  decodeAddressAnswer,
  decodePcp,
  encodeAddressRequest,
  encodeMap,
  NONCE_BYTES,
  ROUTER_PORT,
  type RouterAnswer,
} from './pmp-codec.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { failureOf } from './stun.ts'
import { unknown, validatedOfRouter } from './validate.ts'

const NEVER: Duration = milliseconds(0)
const OPERATOR = 'your router'

/** RFC 6886 §3.1: 250 ms, doubling. A router is a hop away; it answers at once or not at all. */
const AGAIN = [milliseconds(250), milliseconds(750)]
const PATIENCE = milliseconds(1750)

type Wire = Pick<SourcePorts, 'datagram' | 'gateway'>

const source = (name: string, look: AddressSource['look']): AddressSource => ({
  name,
  operator: OPERATOR,
  vantage: 'router',
  families: ['v4'],
  cooldown: NEVER,
  look: async (family, signal) => (family === 'v4' ? look(family, signal) : { kind: 'none' }),
})

/** NAT-PMP (RFC 6886): the router's own word on its outside address. Two bytes, and nothing is made. */
export const pmpSource = (wire: Wire, { allowed }: QueryOptions): AddressSource =>
  source('nat-pmp', async (_, signal) => {
    const gateway = await wire.gateway()
    if (gateway === undefined) return unknown('there is no default route')
    const answer = await askPmp(gateway, wire, signal)
    return typeof answer === 'string'
      ? unknown(answer)
      : sightingOf(answer, 'nat-pmp', allowed, PMP_NO_ADDRESS)
  })

/** The router's answer, with its epoch; or why there is none. */
export async function askPmp(
  { address }: Gateway,
  { datagram }: Pick<Wire, 'datagram'>,
  signal: AbortSignal,
): Promise<RouterAnswer | string> {
  const outcome = await datagram(
    {
      to: address,
      port: ROUTER_PORT,
      bytes: encodeAddressRequest(),
      again: AGAIN,
      timeout: PATIENCE,
      isAnswer: (bytes) => decodeAddressAnswer(bytes) !== undefined,
    },
    signal,
  )
  if (outcome.kind !== 'answered') return failureOf(outcome)
  return decodeAddressAnswer(outcome.bytes) ?? 'answered something else'
}

/** RFC 6886 §3.5: 3 is a network failure, such as no lease or no address. */
const PMP_NO_ADDRESS: readonly number[] = [3]

function sightingOf(
  answer: RouterAnswer,
  by: string,
  allowed: QueryOptions['allowed'],
  noAddress: readonly number[],
): Sighting {
  if (answer.code !== 0 && !noAddress.includes(answer.code))
    return unknown(`the router answered with code ${answer.code}`)
  return validatedOfRouter(answer.address, by, allowed)
}

/** Long enough for the answer to be read. */
const LIFETIME = seconds(120)

/**
 * PCP (RFC 6887): only a mapping tells the address, so one is made for a port that nobody listens on, and taken away at
 * once. For who has a router that speaks nothing else.
 */
export const pcpSource = (wire: Wire, { allowed }: QueryOptions): AddressSource =>
  source('pcp', async (_, signal) => {
    const gateway = await wire.gateway()
    if (gateway === undefined) return unknown('there is no default route')
    const nonce = randomBytes(NONCE_BYTES)
    const ask = async (
      lifetime: Duration,
      timeout: Duration,
      until: AbortSignal,
    ): Promise<RouterAnswer | string> => {
      const outcome = await wire.datagram(
        {
          to: gateway.address,
          port: ROUTER_PORT,
          from: gateway.local,
          bytes: encodeMap(gateway.local, nonce, lifetime / 1000),
          again: AGAIN,
          timeout,
          isAnswer: (bytes) => decodePcp(bytes, nonce) !== undefined,
        },
        until,
      )
      if (outcome.kind !== 'answered') return failureOf(outcome)
      return decodePcp(outcome.bytes, nonce) ?? 'answered something else'
    }
    const answer = await ask(LIFETIME, PATIENCE, signal)
    if (typeof answer === 'string') return unknown(answer)
    // Whoever does not want the answer any more still owes the router this.
    if (answer.code === 0) void ask(milliseconds(0), milliseconds(250), new AbortController().signal)
    return sightingOf(answer, 'pcp', allowed, PCP_NO_ADDRESS)
  })

/** RFC 6887 §7.4: NETWORK_FAILURE, NO_RESOURCES and miniupnpd's word for an address that is not public. */
const PCP_NO_ADDRESS: readonly number[] = [7, 8]
