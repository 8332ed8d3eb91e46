import { err, ok, type Result } from '../../../shared/base/result.ts'
import { milliseconds, seconds } from '../../../shared/base/time.ts'
import type { Address } from '../../../shared/base/address.ts'
import type { Gateway } from '../../../shared/ports/network.ts'
import {
  decodeAddress,
  decodeDescription,
  decodeLocation,
  decodeUptime,
  encodeAction,
  encodeSearch,
  type IgdAction,
  MAX_DOCUMENT_BYTES,
  SSDP_GROUP,
  SSDP_PORT,
  type WanService,
} from './igd-codec.ts'
import { EARLY, gatewaySource } from './pmp.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown, validatedOfRouter } from './validate.ts'

type IgdPorts = Pick<SourcePorts, 'datagram' | 'gateway' | 'http'>
type IgdHttp = Pick<SourcePorts, 'http'> & Pick<QueryOptions, 'userAgent'>

interface IgdOptions extends Pick<QueryOptions, 'userAgent' | 'allowed'> {
  /** Asks for the age of the connection too: an address of a new one may be the previous address. */
  readonly asksAge: boolean
}

/** UPnP IGD. The service is searched once; each look is one request or two. A failed request drops the service. */
export function igdSource(ports: IgdPorts, { allowed, userAgent, asksAge }: IgdOptions): AddressSource {
  let cached: { readonly gateway: Address; readonly service: WanService } | undefined
  return gatewaySource('upnp', ports, async (gateway, signal) => {
    if (cached?.gateway !== gateway.address) cached = undefined
    const service = cached?.service ?? (await findService(gateway, { ...ports, userAgent }, signal))
    if (typeof service === 'string') return unknown(service)
    const http = { http: ports.http, userAgent }
    const [answer, isEarly] = await Promise.all([
      requestAddress(service, http, signal),
      asksAge && isNewConnection(service, http, signal),
    ])
    cached = answer.ok ? { gateway: gateway.address, service } : undefined
    if (!answer.ok) return unknown(answer.error)
    const sighting = validatedOfRouter(answer.value, { by: 'upnp', allowed })
    return sighting.kind !== 'unknown' && isEarly ? { ...sighting, isEarly } : sighting
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
  service: WanService,
  ports: IgdHttp,
  signal: AbortSignal,
): Promise<Result<Address | undefined, string>> {
  const answer = await act(service, ports, { action: 'GetExternalIPAddress', signal })
  if (answer.kind === 'unreached') return err(`not reached (${answer.because})`)
  return answer.status === 200 ? ok(decodeAddress(answer.body)) : err(`answered HTTP ${answer.status}`)
}

/** False where the router does not tell. */
async function isNewConnection(service: WanService, ports: IgdHttp, signal: AbortSignal): Promise<boolean> {
  const answer = await act(service, ports, { action: 'GetStatusInfo', signal })
  if (answer.kind === 'unreached' || answer.status !== 200) return false
  return (decodeUptime(answer.body) ?? EARLY) < EARLY
}

async function act(
  { control, type }: WanService,
  { http, userAgent }: IgdHttp,
  { action, signal }: { readonly action: IgdAction; readonly signal: AbortSignal },
): ReturnType<IgdHttp['http']> {
  const { body, headers } = encodeAction(type, action)
  const base = requestTo(control, userAgent)
  return http({ ...base, method: 'POST', body, headers: { ...base.headers, ...headers } }, signal)
}
