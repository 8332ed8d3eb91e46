import { parseAddress } from '../../shared/base/address.ts'
import { isGlobal } from '../../shared/base/special.ts'
import { ACCOUNT_SETTINGS, type AccountSettings } from './client-settings.ts'
import { insteadOfServer, parseProvider, providerCalled } from '../services/providers/providers.ts'
import {
  type Complaint,
  fileKeyOf,
  type SettingLayer,
  type ValuePlaces,
} from '../../shared/settings/setting.ts'
import { type Place, placesOf, SECRET_PLACES } from '../services/template.ts'
import { isOutside } from './name-checks.ts'

const PLACE = 'the preset '
/** Whether a value comes from a preset, by its place. */
export const isPreset = (place: string): boolean => place.startsWith(PLACE)

/** The form of a request of the update protocol at one service. */
const FORM_KEYS = [
  'path',
  'families',
  'absentFamily',
  'ipv6Server',
  'ipv6Parameter',
  'addressParameter',
  'hostnameParameter',
  'parameters',
] as const
/** Settings that mean something at one service only. */
const SERVICE_KEYS = ['server', ...FORM_KEYS] as const

/**
 * A provider and settings of another service, from places of which one is nearer to the account: a password would go to the
 * wrong service. `layers`: the nearest first; flags and environment may replace the server of a file on purpose.
 */
export function mixedServices(layers: readonly SettingLayer[], overrides: number): readonly Complaint[] {
  const chosen = layers.findIndex((layer) => Object.hasOwn(layer, 'provider'))
  const provider = layers[chosen]?.['provider']
  if (provider === undefined) return []
  const farther = layers.slice(chosen + 1).flatMap((layer) => SERVICE_KEYS.flatMap((key) => layer[key] ?? []))
  const nearer = layers.slice(overrides, chosen).flatMap((layer) => layer['server'] ?? [])
  return [...nearer, ...farther].slice(0, 1).map(({ where }) => ({
    where,
    problem:
      `this and provider ${String(provider.value)} (${provider.where}) are for different services; ` +
      'write both in the same place',
  }))
}

/** The settings of the provider that the layers name, as the last layer: what is written wins. Empty without a provider. */
export function presetLayer(written: readonly SettingLayer[]): SettingLayer {
  const given = written.find((layer) => Object.hasOwn(layer, 'provider'))?.['provider']?.value
  const name = typeof given === 'string' ? parseProvider(given) : undefined
  if (name?.ok !== true) return {}
  const provider = providerCalled(name.value)
  const settings: Readonly<Record<string, unknown>> = {
    ...provider?.settings,
    ...provider?.replies,
    ...(provider?.headers !== undefined && { headers: provider.headers }),
  }
  return Object.fromEntries(
    Object.keys(ACCOUNT_SETTINGS).flatMap((key) => {
      const value = settings[fileKeyOf(key)]
      return value === undefined ? [] : [[key, { value, where: `${PLACE}${name.value}` }]]
    }),
  )
}

/** A rule, and the settings whose place is that of the complaint. */
type Rule = readonly [isBroken: boolean, problem: string, ...keys: string[]]

/** Settings that have an effect only together with `url`. */
const URL_KEYS = [
  'ipv6Url',
  'method',
  'body',
  'headers',
  'success',
  'unchanged',
  'wait',
  'stop',
  'record',
] as const
/** Settings of services with another protocol. */
const OTHER_KEYS = ['zone', 'apiKey', 'apiKeyFile', 'ttl', 'create', 'tsigAlgorithm'] as const
/** Settings of the update protocol. */
export const NIC_UPDATE_KEYS = [...FORM_KEYS, 'httpFallback', 'batch'] as const

/** Whether a service by this name does not speak `/nic/update`. */
export const hasOtherProtocol = (provider: string): boolean => {
  const row = providerCalled(provider)
  return (row?.protocol ?? row?.replies) !== undefined
}

const hasRecords = (provider = ''): boolean => providerCalled(provider)?.protocol !== undefined

/** The settings that the protocol of an account does not have. */
export const foreignKeys = ({
  provider,
  url,
}: Pick<AccountSettings, 'provider' | 'url'>): readonly string[] => {
  if (hasRecords(provider)) return [...NIC_UPDATE_KEYS, 'url', ...URL_KEYS]
  return url === undefined ? [...URL_KEYS, ...OTHER_KEYS] : NIC_UPDATE_KEYS
}

/** Settings of an account that its protocol does not have, or that contradict it. */
export function protocolRules(values: AccountSettings, places: ValuePlaces): readonly Rule[] {
  const { provider = '', url, success, server, myip } = values
  if (places['url'] !== undefined && url === undefined) return []
  const sent = placesIn(values)
  const has = (...some: readonly Place[]): boolean => some.some((place) => sent.has(place))
  const [hasV4, hasV6] = [has('ipv4', 'ip'), has('ipv6', 'ip')]
  const isOwn = (key: string): boolean =>
    places[key] !== undefined && !isPreset(places[key]) && (key === 'url' || places[key] !== places['url'])
  const unused = (keys: readonly string[], why: string): Rule => {
    const key = keys.find(isOwn)
    return [key !== undefined, `${fileKeyOf(key ?? '')} ${why}; remove it`, key ?? '']
  }
  // biome-ignore format: a table
  const both: readonly Rule[] = [
    [values.apiKey !== undefined && values.apiKeyFile !== undefined, 'api_key and api_key_file are both set; keep one', 'apiKeyFile'],
    unused(NIC_UPDATE_KEYS, 'is for services that speak /nic/update, and this one has another protocol'),
  ]
  const { zone } = values
  const outside = outsideOf(zone, values.hostnames)
  const { apiKey: keyIs, isApiKeyOptional = false } = providerCalled(provider) ?? {}
  const hasApiKey = keyIs !== undefined
  // biome-ignore format: a table
  if (hasRecords(provider)) return [
    ...both,
    unused(['url', ...URL_KEYS], `is for services with url, and ${provider} has its own protocol`),
    [places['apiKey'] !== undefined && !hasApiKey, `api_key is set, and ${provider} has only a password; remove it`, 'apiKey'],
    [places['apiKeyFile'] !== undefined && !hasApiKey, `api_key_file is set, and ${provider} has only a password; remove it`, 'apiKeyFile'],
    [places['apiKey'] === undefined && places['apiKeyFile'] === undefined && hasApiKey && !isApiKeyOptional, `api_key is missing: ${provider} needs ${keyIs}; set api_key_file`, 'provider'],
    [myip === 'connection' && isOwn('myip'), `myip = "connection" is for services that take the address of the connection, and ${provider} does not; remove it`, 'myip'],
    ...nameServerRules(values, unused),
    [outside !== undefined, `hostname ${outside} is not in the zone ${zone}; write the whole name, such as home.${zone}, or an account for each zone`, 'hostnames', 'zone'],
    [isInClear(server), 'server is http, so the secret would go in clear text; write https', 'server'],
  ]
  // biome-ignore format: a table
  if (url !== undefined) return [
    ...both,
    [places['server'] !== places['url'], isPreset(places['url'] ?? '') ? `${provider} already sets the address; remove server` : 'url and server are both set; keep one', 'server'],
    [success.length === 0, 'success is missing: an unknown answer may come from a router or a hotspot; set it to what the service answers, such as success = ["^OK"]', 'url'],
    [isInClear(url.origin) && has(...SECRET_PLACES), 'url is http, so the secret would go in clear text; write https', 'url'],
    [isInClear(values.ipv6Url?.origin) && has(...SECRET_PLACES), 'ipv6_url is http, so the secret would go in clear text; write https', 'ipv6Url'],
    [myip === 'connection' && (hasV4 || hasV6), 'myip = "connection" sends no address, and url has a placeholder for one; remove one of them', 'myip'],
    [myip !== 'connection' && values.ipv4 && hasV6 && !hasV4, 'ipv4 is true, and url has no placeholder for it; write {ipv4} or {ip}, or remove ipv4', 'ipv4'],
    [myip !== 'connection' && values.ipv6 && hasV4 && !hasV6, 'ipv6 is true, and url has no placeholder for it; write {ipv6} or {ip}, or remove ipv6', 'ipv6'],
    [typeof myip === 'object' && !hasV4 && !hasV6, 'myip has an address, and url has no placeholder for it; write {ipv4}, {ipv6} or {ip}', 'myip'],
    [values.body !== undefined && values.method === 'GET', 'body needs another method; write method = "POST"', 'body'],
  ]
  const instead =
    server === undefined || provider !== '' || isNameServer(server) ? undefined : insteadOfServer(server)
  return [
    [instead !== undefined, `server does not speak /nic/update: ${instead}`, 'server'],
    [
      isNameServer(server),
      'server is a name server, which only provider rfc2136 updates; write https',
      'server',
    ],
    unused(URL_KEYS, 'is for services with url'),
    unused(OTHER_KEYS, 'is for services with a protocol other than /nic/update'),
  ]
}

const outsideOf = (zone: string | undefined, hostnames: readonly string[] | undefined): string | undefined =>
  zone === undefined ? undefined : hostnames?.find((name) => isOutside(name, zone))

const isNameServer = (server = ''): boolean => server.startsWith('dns:')

/** A name server takes messages of DNS, and nothing else does. */
const nameServerRules = (
  { provider = '', server }: AccountSettings,
  unused: (keys: readonly string[], why: string) => Rule,
): readonly Rule[] => {
  const isOne = providerCalled(provider)?.protocol === 'rfc2136'
  const isDns = isNameServer(server)
  // One that is no address at all has a complaint of its own.
  const isWritten = ![undefined, ''].includes(server)
  // biome-ignore format: a table
  return [
    [isOne && isWritten && !isDns, 'server is not a name server; write dns://HOST or dns://HOST:PORT', 'server'],
    [!isOne && isDns, 'server is a name server, which only provider rfc2136 updates; write https', 'server'],
    ...(isOne ? [] : [unused(['tsigAlgorithm'], 'is for provider rfc2136')]),
  ]
}

/** Whether requests have the password; those of a user's own `url` may have none. */
export const sendsPassword = (values: AccountSettings): boolean =>
  values.url === undefined || ['password', 'basic'].some((place) => placesIn(values).has(place as Place))

const placesIn = ({ url, ...values }: AccountSettings): ReadonlySet<Place> =>
  url === undefined ? new Set() : placesOf({ ...values, url })

/** http to a host that is not this one, or of this network. */
function isInClear(origin = ''): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  const address = parseAddress(hostname.replaceAll(/[[\]]/g, ''))
  const isNear = hostname === 'localhost' || (address !== undefined && !isGlobal(address, []))
  return protocol === 'http:' && !isNear
}
