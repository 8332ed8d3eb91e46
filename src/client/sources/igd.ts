import { milliseconds, seconds } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
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
import type { QueryOptions, SourcePorts } from './ports.ts'
import type { AddressSource } from './source.ts'
import { unknown, validatedOfRouter } from './validate.ts'

type Wire = Pick<SourcePorts, 'datagram' | 'gateway' | 'http'>

/** UPnP IGD: found once, then asked with one request. What was found is forgotten when it does not answer any more. */
export function igdSource(wire: Wire, { allowed, userAgent }: QueryOptions): AddressSource {
  let known: { readonly gateway: Address; readonly service: WanService } | undefined
  return {
    name: 'upnp',
    operator: 'your router',
    vantage: 'router',
    families: ['v4'],
    cooldown: milliseconds(0),
    async look(family, signal): Promise<Sighting> {
      if (family !== 'v4') return { kind: 'none' }
      const gateway = await wire.gateway()
      if (gateway === undefined) return unknown('there is no default route')
      if (known?.gateway !== gateway.address) known = undefined
      const found = known?.service ?? (await findService(gateway, wire, userAgent, signal))
      if (typeof found === 'string') return unknown(found)
      const answer = await callAction(found, wire, userAgent, signal)
      known = answer.ok ? { gateway: gateway.address, service: found } : undefined
      return answer.ok ? validatedOfRouter(answer.address, 'upnp', allowed) : unknown(answer.because)
    },
  }
}

const request = (url: string, agent: string) => ({
  url,
  headers: { 'user-agent': agent },
  family: 'v4' as const,
  maxBodyBytes: MAX_DOCUMENT_BYTES,
  connectTimeout: seconds(1),
  responseTimeout: seconds(2),
})

/** Unicast first: the answer to a multicast search does not pass a firewall that knows only replies. */
export async function findService(
  gateway: Gateway,
  { datagram, http }: Pick<Wire, 'datagram' | 'http'>,
  agent: string,
  signal: AbortSignal,
): Promise<WanService | string> {
  const location = await search(gateway, datagram, signal)
  if (location === undefined) return 'did not answer'
  const isTheirs = URL.canParse(location) && isOf(location, gateway)
  if (!isTheirs) return `points elsewhere (${location.slice(0, 100)})`
  const description = await http(request(location, agent), signal)
  if (description.kind === 'unreached') return `its description was not reached (${description.because})`
  const service = description.status === 200 ? decodeDescription(description.body, location) : undefined
  if (service === undefined) return 'describes no internet connection'
  return isOf(service.control, gateway) && isOf(service.events, gateway)
    ? service
    : 'points elsewhere for its services'
}

/** Whoever answers a search may name any address; only the router's own is asked. */
const isOf = (url: string, { address }: Gateway): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && hostname === address
}

async function search(
  { address, local }: Gateway,
  datagram: Wire['datagram'],
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

type Answer =
  | { readonly ok: true; readonly address: Address | undefined }
  | { readonly ok: false; readonly because: string }

async function callAction(
  { control, type }: WanService,
  { http }: Pick<Wire, 'http'>,
  agent: string,
  signal: AbortSignal,
): Promise<Answer> {
  const { body, headers } = encodeAction(type)
  const base = request(control, agent)
  const answer = await http(
    { ...base, method: 'POST', body, headers: { ...base.headers, ...headers } },
    signal,
  )
  if (answer.kind === 'unreached') return { ok: false, because: `not reached (${answer.because})` }
  return answer.status === 200
    ? { ok: true, address: decodeAction(answer.body) }
    : { ok: false, because: `answered HTTP ${answer.status}` }
}
