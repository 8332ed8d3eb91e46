import { type Address, parseAddress } from '../../net/address.ts'

/** UPnP Device Architecture 2.0 §1.3. */
export const SSDP_PORT = 1900
export const SSDP_GROUP = '239.255.255.250' as Address

/** Internet Gateway Device 1 and 2: the search finds 2 by the name of 1, because versions are compatible upwards. */
const DEVICE = 'urn:schemas-upnp-org:device:InternetGatewayDevice:1'
const SERVICES = /^urn:schemas-upnp-org:service:(WANIPConnection:[12]|WANPPPConnection:1)$/

/** More than any router's description needs, and no more than we want to read. */
export const MAX_DOCUMENT_BYTES = 64 * 1024

/** §1.3.2, and §1.3.2 for unicast, which has no MX. `wait` in seconds. */
export const encodeSearch = (host: string, wait?: number): Uint8Array =>
  Buffer.from(
    [
      'M-SEARCH * HTTP/1.1',
      `HOST: ${host}:${SSDP_PORT}`,
      'MAN: "ssdp:discover"',
      ...(wait === undefined ? [] : [`MX: ${wait}`]),
      `ST: ${DEVICE}`,
      '',
      '',
    ].join('\r\n'),
  )

/** Where the description is, of an answer to a search (§1.3.3) or an announcement (§1.2.2). */
export function decodeLocation(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('latin1')
  if (!/^(HTTP\/1\.[01] 200|NOTIFY \* HTTP\/1\.[01])/i.test(text)) return undefined
  return /^location:[ \t]*(\S+)[ \t]*$/im.exec(text)?.[1]
}

/** The service that knows the external address. */
export interface WanService {
  readonly type: string
  readonly control: string
  readonly events: string
}

/** XML of routers is flat and plain; what declares entities or types of its own is not theirs (no XML bombs, no files). */
const isPlainXml = (text: string): boolean =>
  text.length <= MAX_DOCUMENT_BYTES && !/<!(DOCTYPE|ENTITY)/i.test(text)

/** The text of the first element of this name, whatever its prefix. */
function elementOf(text: string, name: string): string | undefined {
  const [, inner] = new RegExp(`<(?:\\w+:)?${name}(?:\\s[^<>]*)?>([^<]*)<`).exec(text) ?? []
  return inner === undefined ? undefined : unescaped(inner.trim())
}

/** XML 1.0 §4.6 has five entities; others would have to be declared, and that is refused. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')

/** UPnP Device Architecture 2.0 §2.3: the services of all devices, wherever they are nested. URLs are made absolute. */
export function decodeDescription(text: string, location: string): WanService | undefined {
  if (!isPlainXml(text)) return undefined
  const base = elementOf(text, 'URLBase') || location
  const services = text.split(/<(?:\w+:)?service>/i).slice(1)
  const found = services.flatMap((service) => {
    const type = elementOf(service, 'serviceType') ?? ''
    const [control, events] = ['controlURL', 'eventSubURL'].map((name) =>
      absolute(elementOf(service, name), base),
    )
    return SERVICES.test(type) && control !== undefined && events !== undefined
      ? [{ type, control, events }]
      : []
  })
  return found.toSorted((a, b) => rankOf(a) - rankOf(b))[0]
}

/** IP connections before PPP, version 2 before 1. */
const ORDER = ['WANIPConnection:2', 'WANIPConnection:1', 'WANPPPConnection:1']
const rankOf = ({ type }: WanService): number => ORDER.findIndex((one) => type.endsWith(one))

const absolute = (url: string | undefined, base: string): string | undefined =>
  url !== undefined && url !== '' && URL.canParse(url, base) ? new URL(url, base).href : undefined

/** WANIPConnection:1 §2.4.18: the action has no arguments. */
export const encodeAction = (
  type: string,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } => ({
  body:
    '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ' +
    's:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">' +
    `<s:Body><u:GetExternalIPAddress xmlns:u="${type}"/></s:Body></s:Envelope>`,
  headers: {
    'content-type': 'text/xml; charset="utf-8"',
    soapaction: `"${type}#GetExternalIPAddress"`,
  },
})

/** The address of the answer; undefined where the router has none, or does not tell. */
export function decodeAction(text: string): Address | undefined {
  const address = isPlainXml(text) ? parseAddress(elementOf(text, 'NewExternalIPAddress') ?? '') : undefined
  return address === '0.0.0.0' ? undefined : address
}
