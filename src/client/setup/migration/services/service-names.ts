import { CLIENT_SERVICES, type ServiceRow } from './client-services.ts'
import { parseServer } from '../../../settings/client-settings.ts'
import { PROVIDERS, unservedServiceCalled, unservedText } from '../../../services/providers/providers.ts'

/** The names that other clients have for a service. */
interface ServiceNames {
  /** `protocol=` of ddclient, where the service has one of its own. */
  readonly ddclient?: string
  /** What follows the @ in the names of inadyn. */
  readonly inadyn?: readonly string[]
  readonly openwrt?: readonly string[]
  readonly qdm12?: string
  /** Further hosts of the service. */
  readonly hosts?: readonly string[]
}

/** By provider. Hosts that a preset names are known from there. */
// biome-ignore format: a table
const NAMES_ELSEWHERE: Readonly<Record<string, ServiceNames>> = {
  'no-ip':       { ddclient: 'noip', inadyn: ['no-ip.com', 'noip.com'], openwrt: ['no-ip.com'], qdm12: 'noip', hosts: ['dynupdate6.no-ip.com', 'dynupdate.noip.com'] },
  'dyn':         { inadyn: ['dyndns.org'], openwrt: ['dyndns.org', 'dyn.com'], qdm12: 'dyn', hosts: ['members.dyndns.com'] },
  'dynu':        { ddclient: 'dynu', inadyn: ['dynu.com'], openwrt: ['dynu.com'], qdm12: 'dynu' },
  'he':          { ddclient: 'he.net', inadyn: ['he.net'], openwrt: ['he.net'], qdm12: 'he' },
  'he-tunnel':   { inadyn: ['tunnelbroker.net'] },
  'opendns':     { inadyn: ['opendns.com'], openwrt: ['opendns.com'], qdm12: 'opendns' },
  'desec':       { inadyn: ['desec.io'], openwrt: ['desec.io'], qdm12: 'desec', hosts: ['update6.dedyn.io'] },
  'nsupdate':    { inadyn: ['nsupdate.info'], openwrt: ['nsupdate.info'], hosts: ['nsupdate.info'] },
  'ovh':         { ddclient: 'ovh', inadyn: ['ovh.com'], openwrt: ['ovh.com'], qdm12: 'ovh', hosts: ['www.ovh.com'] },
  'strato':      { inadyn: ['strato.com'], openwrt: ['strato.com'], qdm12: 'strato' },
  'spdyn':       { inadyn: ['spdyn.de'], openwrt: ['spdyn.de'], qdm12: 'spdyn' },
  'variomedia':  { inadyn: ['variomedia.de'], openwrt: ['variomedia.de'], qdm12: 'variomedia' },
  'all-inkl':    { openwrt: ['all-inkl.com'], qdm12: 'allinkl' },
  'inwx':        { ddclient: 'inwx', inadyn: ['inwx.com'], openwrt: ['inwx.de'], qdm12: 'inwx' },
  'joker':       { inadyn: ['joker.com'], openwrt: ['joker.com'] },
  'infomaniak':  { ddclient: 'infomaniak', inadyn: ['infomaniak.com'], openwrt: ['infomaniak.com'], qdm12: 'infomaniak' },
  'simply':      { ddclient: 'simply.com', inadyn: ['simply.com'], openwrt: ['simply.com'] },
  'loopia':      { inadyn: ['loopia.com'], openwrt: ['loopia.se'], qdm12: 'loopia', hosts: ['dns.loopia.se'] },
  'do':          { inadyn: ['do.de'], openwrt: ['do.de'] },
  'selfhost':    { inadyn: ['selfhost.de'], openwrt: ['selfhost.de'], qdm12: 'selfhost.de' },
  'udmedia':     { inadyn: ['udmedia.de'], openwrt: ['udmedia.de'] },
  'schokokeks':  { inadyn: ['schokokeks.org'], openwrt: ['schokokeks.org'] },
  'hosting-de':  { openwrt: ['hosting.de'] },
  'eurodns':     { openwrt: ['eurodns.com'] },
  'now-dns':     { openwrt: ['now-dns.com'], qdm12: 'nowdns' },
  'dynv6':       { openwrt: ['dynv6.com'] },
  'dyfi':        { inadyn: ['dy.fi'], openwrt: ['dy.fi'] },
  'ipv64':       { inadyn: ['ipv64.net'], openwrt: ['ipv64.net'], qdm12: 'ipv64' },
  'apertodns':   { openwrt: ['apertodns.com', 'apertodns.com-token'] },
  'core-networks': { inadyn: ['core-networks.de'], openwrt: ['core-networks.de'] },
  'gigahost':    { qdm12: 'gigahostno' },
  'dnshome':     { inadyn: ['dnshome.de'] },
  'xlhost':      { openwrt: ['xlhost.de'] },
  'dyndns-it':   { inadyn: ['dyndns.it'], openwrt: ['dyndns.it'] },
  'pubyun':      { inadyn: ['3322.org'], openwrt: ['3322.org'] },
  'oray':        { inadyn: ['oray.com'], openwrt: ['oray.com'] },
  'freedns':     { openwrt: ['afraid.org-basicauth'] },
  'easydns':     { ddclient: 'easydns', inadyn: ['easydns.com'], openwrt: ['easydns.com'], qdm12: 'easydns' },
  'ydns':        { openwrt: ['ydns.io'] },
  'myonlineportal': { inadyn: ['myonlineportal.net'], openwrt: ['myonlineportal.net'] },
  'changeip':    { ddclient: 'changeip', inadyn: ['changeip.com'], openwrt: ['changeip.com'], qdm12: 'changeip' },
  'domeneshop':  { ddclient: 'domeneshop', inadyn: ['domene.shop'], qdm12: 'domeneshop' },
}

const keyWhere = (matches: (names: ServiceNames) => boolean): string | undefined =>
  Object.entries(NAMES_ELSEWHERE).find(([, names]) => matches(names))?.[0]

/** The provider for a `protocol` of ddclient that is for one service only. */
export const providerOfDdclient = (protocol: string): string | undefined =>
  keyWhere(({ ddclient }) => ddclient === protocol)
export const providerOfOpenwrt = (name: string): string | undefined =>
  keyWhere(({ openwrt }) => openwrt?.includes(name) === true)
export const providerOfQdm12 = (name: string): string | undefined => keyWhere(({ qdm12 }) => qdm12 === name)

/**
 * The provider, or the row, for a name of inadyn, which is any part of "default@no-ip.com" that is in one name
 * only. Families have names of their own there, such as ipv6@no-ip.com.
 */
export function inadynServiceName(name: string): ServiceRow | string | undefined {
  const service = name.slice(name.indexOf('@') + 1)
  const all: readonly (readonly [name: string, service: ServiceRow | string])[] = [
    ...Object.entries(NAMES_ELSEWHERE).flatMap(([key, { inadyn = [] }]) =>
      inadyn.map((one) => [one, key] as const),
    ),
    ...Object.entries(CLIENT_SERVICES.inadyn),
  ]
  const found = all.filter(([one]) => one.includes(service))
  const exact = found.find(([one]) => one === service)
  return exact?.[1] ?? (new Set(found.map(([, one]) => one)).size === 1 ? found[0]?.[1] : undefined)
}

/** Why nothing is updated at a service that has ended; `name` is its host, or its name in another client. */
export function endedAt(name: string): string | undefined {
  const ended = unservedServiceCalled(name.toLowerCase())
  return ended === undefined ? undefined : unservedText(ended)
}

/** Why a service that no table has is not taken. */
export const noService = (client: string, name: string): string =>
  endedAt(name) ??
  'Holdfast does not know this service (holdfast providers lists those that it knows); ' +
    `leave ${client} in use for it, or write url if it needs only one request`

const originHost = (origin: string): string => new URL(origin).host

/** The provider whose servers include this origin. */
export function providerOfServer(origin: string): string | undefined {
  const host = originHost(origin)
  for (const [key, { settings }] of Object.entries(PROVIDERS)) {
    const servers = [settings['server'], settings['ipv6_server']].flatMap((one) => one ?? [])
    if (servers.some((one) => originHost(one) === host)) return key
  }
  return keyWhere(({ hosts }) => hosts?.includes(host) === true)
}

/** "http://dyn.example:8245/x" as an origin with https and a path; undefined where it is no address of a service. */
export function splitServer(text: string): SplitServer | undefined {
  const withScheme = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(withScheme)) return undefined
  const url = new URL(withScheme)
  const isPlain = url.protocol === 'http:'
  const origin = parseServer(`https://${url.host}`)
  if (!origin.ok) return undefined
  return {
    origin: origin.value,
    isPlain,
    hasLogin: url.username + url.password !== '',
    path: url.pathname === '/' ? undefined : url.pathname,
  }
}

interface SplitServer {
  readonly origin: string
  /** The text says http. */
  readonly isPlain: boolean
  /** Before the host stand a username or a password. */
  readonly hasLogin: boolean
  readonly path: string | undefined
}
