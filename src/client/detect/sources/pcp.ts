import { type Duration, milliseconds, seconds } from '../../../shared/base/time.ts'
import type { Gateway } from '../../../shared/ports/network.ts'
import { failureOf } from './datagram.ts'
import { gatewaySource, ROUTER_RETRANSMISSIONS, ROUTER_TIMEOUT, sightingOf } from './pmp.ts'
import { decodePcp, encodeMap, NONCE_BYTES, ROUTER_PORT, type RouterAnswer } from './pmp-codec.ts'
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
