import { parseAddress } from '../net/address.ts'
import { isGlobal } from '../net/special.ts'
import type { AccountSettings } from './client-settings.ts'
import { isPreset } from './providers/preset.ts'
import { providerCalled } from './providers/providers.ts'
import { fileKeyOf, type ValuePlaces } from './setting.ts'
import { type Place, placesOf, SECRET_PLACES } from './template.ts'

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
const OTHER_KEYS = ['zone', 'apiKey', 'apiKeyFile', 'ttl', 'create'] as const
/** Settings of the update protocol. */
export const NIC_UPDATE_KEYS = [
  'path',
  'absentFamily',
  'ipv6Server',
  'ipv6Parameter',
  'addressParameter',
  'hostnameParameter',
  'parameters',
  'httpFallback',
] as const

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
  const written = (keys: readonly string[]): string | undefined =>
    keys.find((key) => places[key] !== undefined && !isPreset(places[key]))
  const unused = (keys: readonly string[], why: string): Rule => {
    const key = written(keys)
    return [key !== undefined, `${fileKeyOf(key ?? '')} ${why}; remove it`, key ?? '']
  }
  // biome-ignore format: a table
  const both: readonly Rule[] = [
    [values.apiKey !== undefined && values.apiKeyFile !== undefined, 'api_key and api_key_file are both set; keep one', 'apiKeyFile'],
    unused(NIC_UPDATE_KEYS, 'is for services that speak /nic/update, and this one has another protocol'),
  ]
  // biome-ignore format: a table
  if (hasRecords(provider)) return [
    ...both,
    unused(['url', ...URL_KEYS], `is for services with url, and ${provider} has a protocol of its own`),
    [myip === 'connection', `myip = "connection" is for services that look at the connection, and ${provider} does not; remove it`, 'myip'],
    [isInClear(server), 'server is http, so the secret would go in clear text; write https', 'server'],
  ]
  // biome-ignore format: a table
  if (url !== undefined) return [
    ...both,
    [places['server'] !== places['url'], 'url and server are both set; keep one', 'server'],
    [success.length === 0, 'success is missing: an answer without a known text may come from a router or a hotspot; write what the service answers, such as success = ["^OK"]', 'url'],
    [isInClear(url.origin) && SECRET_PLACES.some((place) => placesIn(values).has(place)), 'url is http, so the secret would go in clear text; write https', 'url'],
  ]
  return [
    unused(URL_KEYS, 'is for services with url'),
    unused(OTHER_KEYS, 'is for services with another protocol than /nic/update'),
  ]
}

/** Whether requests have the password; those of a user's own `url` may have none. */
export const sendsPassword = (values: AccountSettings): boolean =>
  values.url === undefined || placesIn(values).has('password') || placesIn(values).has('basic')

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
