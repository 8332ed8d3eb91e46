import { err, ok, type Result } from '../../base/result.ts'
import { milliseconds, seconds } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'
import type { Gateway } from '../../ports/network.ts'
import {
  decodeAction,
  decodeDescription,
  decodeLocation,
  encodeAction,
  encodeSearch,
  MAX_DOCUMENT_BYTES,
  SSDP_GROUP,
  SSDP_PORT,
  type WanService,
} from './igd-codec.ts'
import { gatewaySource } from './pmp.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown, validatedOfRouter } from './validate.ts'

type IgdPorts = Pick<SourcePorts, 'datagram' | 'gateway' | 'http'>
type IgdHttp = Pick<SourcePorts, 'http'> & Pick<QueryOptions, 'userAgent'>

/** UPnP IGD. The service is searched once; each look is one request. A failed request drops the service. */
export function igdSource(ports: IgdPorts, { allowed, userAgent }: QueryOptions): AddressSource {
  let cached: { readonly gateway: Address; readonly service: WanService } | undefined
  return gatewaySource('upnp', ports, async (gateway, signal) => {
    if (cached?.gateway !== gateway.address) cached = undefined
    const service = cached?.service ?? (await findService(gateway, { ...ports, userAgent }, signal))
    if (typeof service === 'string') return unknown(service)
    const answer = await requestAddress(service, { http: ports.http, userAgent }, signal)
    cached = answer.ok ? { gateway: gateway.address, service } : undefined
    return answer.ok ? validatedOfRouter(answer.value, { by: 'upnp', allowed }) : unknown(answer.error)
  })
}

const requestTo = (url: string, userAgent: string) => ({
  url,
  headers: { 'user-agent': userAgent },
  family: 'v4' as const,
  maxBodyBytes: MAX_DOCUMENT_BYTES,
  connectTimeout: seconds(1),
  responseTimeout: seconds(2),
})

/** The WAN connection service of the gateway; as text, the reason for the failure. */
export async function findService(
  gateway: Gateway,
  { datagram, http, userAgent }: IgdHttp & Pick<SourcePorts, 'datagram'>,
  signal: AbortSignal,
): Promise<WanService | string> {
  const location = await search(gateway, datagram, signal)
  if (location === undefined) return 'did not answer'
  const isOfGateway = URL.canParse(location) && isOn(gateway, location)
  if (!isOfGateway) return `its description is on another host (${location.slice(0, 100)})`
  const description = await http(requestTo(location, userAgent), signal)
  if (description.kind === 'unreached') return `its description was not reached (${description.because})`
  const service = description.status === 200 ? decodeDescription(description.body, location) : undefined
  if (service === undefined) return 'its description has no WAN connection service'
  return isOn(gateway, service.control) && isOn(gateway, service.events)
    ? service
    : 'its services are on another host'
}

/** Any host can answer a search with any URL; requests go to the gateway only. */
const isOn = ({ address }: Gateway, url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && hostname === address
}

/** Unicast first: stateful firewalls drop the answer to a multicast search. Returns the URL of the description. */
async function search(
  { address, local }: Gateway,
  datagram: SourcePorts['datagram'],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const [to, bytes, timeout] of [
    [address, encodeSearch(address), seconds(1)],
    [SSDP_GROUP, encodeSearch(SSDP_GROUP, 1), seconds(2)],
  ] as const) {
    const outcome = await datagram(
      {
        to,
        port: SSDP_PORT,
        from: local,
        bytes,
        again: [milliseconds(300)],
        timeout,
        isAnswer: (answer) => decodeLocation(answer) !== undefined,
        ...(to === SSDP_GROUP && { answeredBy: address }),
      },
      signal,
    )
    if (outcome.kind === 'answered') return decodeLocation(outcome.bytes)
  }
  return undefined
}

async function requestAddress(
  { control, type }: WanService,
  { http, userAgent }: IgdHttp,
  signal: AbortSignal,
): Promise<Result<Address | undefined, string>> {
  const { body, headers } = encodeAction(type)
  const base = requestTo(control, userAgent)
  const answer = await http(
    { ...base, method: 'POST', body, headers: { ...base.headers, ...headers } },
    signal,
  )
  if (answer.kind === 'unreached') return err(`not reached (${answer.because})`)
  return answer.status === 200 ? ok(decodeAction(answer.body)) : err(`answered HTTP ${answer.status}`)
}
