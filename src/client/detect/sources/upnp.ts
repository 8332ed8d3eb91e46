import { err, ok, type Result } from '../../../shared/base/result.ts'
import { milliseconds, seconds } from '../../../shared/base/time.ts'
import { type Address, parseAddress } from '../../../shared/base/address.ts'
import type { Gateway } from '../../../shared/ports/network.ts'
import { EARLY, gatewaySource } from './nat-pmp.ts'
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

/** UPnP Device Architecture 2.0 §1.3. */
export const SSDP_PORT = 1900
const SSDP_GROUP = '239.255.255.250' as Address

/** Internet Gateway Device: a search for version 1 finds version 2 as well, because versions are backward compatible. */
const DEVICE = 'urn:schemas-upnp-org:device:InternetGatewayDevice:1'
const SERVICES = /^urn:schemas-upnp-org:service:(WANIPConnection:[12]|WANPPPConnection:1)$/

/** Well above the size of router descriptions; limits memory. */
const MAX_DOCUMENT_BYTES = 64 * 1024

/** §1.3.2: a multicast search with `maxWait` (MX, in seconds), or a unicast search without. */
export const encodeSearch = (host: string, maxWait?: number): Uint8Array =>
  Buffer.from(
    [
      'M-SEARCH * HTTP/1.1',
      `HOST: ${host}:${SSDP_PORT}`,
      'MAN: "ssdp:discover"',
      ...(maxWait === undefined ? [] : [`MX: ${maxWait}`]),
      `ST: ${DEVICE}`,
      '',
      '',
    ].join('\r\n'),
  )

/** The URL of the description, from a search response (§1.3.3) or an announcement (§1.2.2). */
export function decodeLocation(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('latin1')
  if (!/^(HTTP\/1\.[01] 200|NOTIFY \* HTTP\/1\.[01])/i.test(text)) return undefined
  return /^location:[ \t]*(\S+)[ \t]*$/im.exec(text)?.[1]
}

/** A service of the router that reports the external address; URLs are absolute. */
export interface WanService {
  readonly type: string
  readonly control: string
  readonly events: string
}

/** Router descriptions declare no entities and no DTD; refusing them excludes entity expansion and external files. */
const isPlainXml = (text: string): boolean =>
  text.length <= MAX_DOCUMENT_BYTES && !/<!(DOCTYPE|ENTITY)/i.test(text)

/** The text of the first element with this name, with any namespace prefix. */
function elementOf(text: string, name: string): string | undefined {
  const [, inner] = new RegExp(`<(?:\\w+:)?${name}(?:\\s[^<>]*)?>([^<]*)<`).exec(text) ?? []
  return inner === undefined ? undefined : unescaped(inner.trim())
}

/** XML 1.0 §4.6 predefines five entities; declared ones are refused by `isPlainXml`. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')

/** UPnP Device Architecture 2.0 §2.3: the best WAN connection service among those of all nested devices. */
export function decodeDescription(text: string, location: string): WanService | undefined {
  if (!isPlainXml(text)) return undefined
  const base = elementOf(text, 'URLBase') || location
  const services = text.split(/<(?:\w+:)?service>/i).slice(1)
  const matching = services.flatMap((service) => {
    const type = elementOf(service, 'serviceType') ?? ''
    const [control, events] = ['controlURL', 'eventSubURL'].map((name) =>
      absolute(elementOf(service, name), base),
    )
    return SERVICES.test(type) && control !== undefined && events !== undefined
      ? [{ type, control, events }]
      : []
  })
  return matching.toSorted((a, b) => rankOf(a) - rankOf(b))[0]
}

/** IP connections before PPP, version 2 before 1. */
const ORDER = ['WANIPConnection:2', 'WANIPConnection:1', 'WANPPPConnection:1']
const rankOf = ({ type }: WanService): number => ORDER.findIndex((one) => type.endsWith(one))

const absolute = (url: string | undefined, base: string): string | undefined =>
  url !== undefined && url !== '' && URL.canParse(url, base) ? new URL(url, base).href : undefined

/** WANIPConnection:1 §2.4.18 and §2.4.9: the actions have no arguments. */
type IgdAction = 'GetExternalIPAddress' | 'GetStatusInfo'

export const encodeAction = (
  type: string,
  action: IgdAction,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } => ({
  body:
    '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
    's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">' +
    `<s:Body><u:${action} xmlns:u="${type}"/></s:Body></s:Envelope>`,
  headers: {
    'content-type': 'text/xml; charset="utf-8"',
    soapaction: `"${type}#${action}"`,
  },
})

/** The address in the response; undefined where the router has none or omits it. */
export function decodeAddress(text: string): Address | undefined {
  const address = isPlainXml(text) ? parseAddress(elementOf(text, 'NewExternalIPAddress') ?? '') : undefined
  return address === '0.0.0.0' ? undefined : address
}

/** §2.4.9: for how many seconds the connection is up; undefined where the router does not tell. */
export function decodeUptime(text: string): number | undefined {
  const [seconds] = /^\d{1,10}$/.exec(isPlainXml(text) ? (elementOf(text, 'NewUptime') ?? '') : '') ?? []
  return seconds === undefined ? undefined : Number(seconds)
}
