import { type Address, addressOfBytes, bytesOf, familyOf } from '../../../shared/base/address.ts'
import { type Duration, milliseconds, seconds } from '../../../shared/base/time.ts'
import type { Gateway } from '../../../shared/ports/network.ts'
import { failureOf } from './datagram.ts'
import {
  gatewaySource,
  ROUTER_PORT,
  ROUTER_RETRANSMISSIONS,
  ROUTER_TIMEOUT,
  type RouterAnswer,
  sightingOf,
} from './nat-pmp.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown } from './validate.ts'

/** RFC 6887 §15: long enough for the answer to arrive; the mapping is deleted after it. */
const LIFETIME = seconds(120)
const DELETE_TIMEOUT = milliseconds(250)

/** RFC 6887 §7.4: NETWORK_FAILURE, NO_RESOURCES; miniupnpd sends the latter for an address that is not public. */
const PCP_NO_ADDRESS: readonly number[] = [7, 8]

/**
 * PCP (RFC 6887) reports the address only with a mapping, so the source creates one for a closed port and deletes it. For
 * routers without NAT-PMP and UPnP.
 */
export const pcpSource = (
  ports: Pick<SourcePorts, 'datagram' | 'gateway' | 'entropy'>,
  { allowed }: QueryOptions,
): AddressSource =>
  gatewaySource('pcp', ports, async (gateway, signal) => {
    const nonce = ports.entropy(NONCE_BYTES)
    const request = { gateway, nonce, datagram: ports.datagram }
    const answer = await requestMap(request, { lifetime: LIFETIME, timeout: ROUTER_TIMEOUT }, signal)
    if (typeof answer === 'string') return unknown(answer)
    // Its own signal: the mapping is deleted although the look may be over.
    if (answer.code === 0)
      void requestMap(
        request,
        { lifetime: milliseconds(0), timeout: DELETE_TIMEOUT },
        new AbortController().signal,
      )
    return sightingOf(answer, { by: 'pcp', allowed, noAddressCodes: PCP_NO_ADDRESS })
  })

interface MapRequest {
  readonly gateway: Gateway
  readonly nonce: Uint8Array
  readonly datagram: SourcePorts['datagram']
}

async function requestMap(
  { gateway, nonce, datagram }: MapRequest,
  { lifetime, timeout }: { readonly lifetime: Duration; readonly timeout: Duration },
  signal: AbortSignal,
): Promise<RouterAnswer | string> {
  const outcome = await datagram(
    {
      to: gateway.address,
      port: ROUTER_PORT,
      from: gateway.local,
      bytes: encodeMap(gateway.local, nonce, lifetime / 1000),
      again: ROUTER_RETRANSMISSIONS,
      timeout,
      isAnswer: (bytes) => decodePcp(bytes, nonce) !== undefined,
    },
    signal,
  )
  if (outcome.kind !== 'answered') return failureOf(outcome)
  return decodePcp(outcome.bytes, nonce) ?? 'sent an unrelated answer'
}

const VERSION = 2
const MAP = 1
const UDP = 17
/** The discard port (RFC 863) is closed on hosts, so the mapping exposes nothing. */
const DISCARD = 9
export const NONCE_BYTES = 12

/** IPv4 is mapped into IPv6. */
const mappedBytes = (address: Address): Uint8Array =>
  familyOf(address) === 'v6'
    ? bytesOf(address)
    : Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytesOf(address)])

/** §11.1: PCP reports the address only with a mapping. `lifetime` in seconds; 0 deletes the mapping. */
export function encodeMap(local: Address, nonce: Uint8Array, lifetime: number): Uint8Array {
  const body = Buffer.alloc(36)
  body.set(nonce, 0)
  body[12] = UDP
  body.writeUInt16BE(DISCARD, 16)
  body.set(familyOf(local) === 'v6' ? new Uint8Array(16) : mappedBytes('0.0.0.0' as Address), 20)
  const header = Buffer.alloc(24)
  header.set([VERSION, MAP])
  header.writeUInt32BE(lifetime, 4)
  // §7.1: the request contains the client's address.
  header.set(mappedBytes(local), 8)
  return Buffer.concat([header, body])
}

/** §7.2 and §11.1: the answer to the mapping request with the nonce, and no other. */
export function decodePcp(bytes: Uint8Array, nonce: Uint8Array): RouterAnswer | undefined {
  const message = Buffer.from(bytes)
  if (message.length < 24 || message[0] !== VERSION || message[1] !== (0x80 | MAP)) return undefined
  const answer = { code: message[3] ?? 0, epoch: message.readUInt32BE(8) }
  if (answer.code !== 0) return answer
  if (message.length < 60 || !message.subarray(24, 36).equals(nonce)) return undefined
  const address = addressOfBytes(message.subarray(44, 60))
  return address === undefined || address === '0.0.0.0' || address === '::' ? answer : { ...answer, address }
}
