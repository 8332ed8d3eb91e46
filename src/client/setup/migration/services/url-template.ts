import { percentDecoded } from '../../../../shared/base/percent.ts'
import { err, ok, type Result } from '../../../../shared/base/result.ts'
import type { DraftSettings } from '../../draft.ts'
import {
  HOSTNAME_PARAMETERS,
  ADDRESS_PARAMETERS,
  IPV6_PARAMETERS,
} from '../../../../shared/protocol/request.ts'
import { parseParameter } from '../../../settings/parameter.ts'
import { isSecretName } from '../../../../shared/settings/secret-names.ts'
import { type Address, parseAddress } from '../../../../shared/base/address.ts'
import type { ServiceAddress } from '../imported.ts'
import { providerOfServer, splitServer } from './service-names.ts'

type PlaceholderKind = 'hostname' | 'address' | 'ipv6' | 'username' | 'password'

/** What stands for a value in the update URLs of routers and other clients. */
const PLACEHOLDERS: readonly (readonly [RegExp, PlaceholderKind])[] = [
  // ddns-scripts, Synology, FRITZ!Box, inadyn, in this order for each part.
  [/^(?:\[DOMAIN\]|__HOSTNAME__|<domain>|%h|\{hostname\}|\$\{?hostname\}?)$/i, 'hostname'],
  [/^(?:\[IP\]|__MYIP__|<ipaddr>|%i|%a|\{ip\}|\$\{?ip\}?)$/i, 'address'],
  [/^(?:\[IPV6\]|\[IP6\]|__MYIPV6__|<ip6addr>|<ip6lanprefix>)$/i, 'ipv6'],
  [/^(?:\[USERNAME\]|__USERNAME__|<username>|<user>|%u)$/i, 'username'],
  [/^(?:\[PASSWORD\]|__PASSWORD__|<passwd>|<pass>|<password>|%p)$/i, 'password'],
]

const partOf = (text: string): PlaceholderKind | undefined =>
  PLACEHOLDERS.find(([pattern]) => pattern.test(text))?.[1]

interface UrlTemplate {
  readonly service: ServiceAddress
  /** The URL says http. */
  readonly isPlain: boolean
  readonly settings: DraftSettings
  /** Values that stand in the URL itself; undefined where there is a placeholder or nothing. */
  readonly hostnames: readonly string[]
  readonly username: string | undefined
  readonly password: string | undefined
  /** Addresses that stand in the URL itself. */
  readonly addresses: readonly Address[]
  /** Whether the URL has a place for an address of the family; without any, the service takes that of the connection. */
  readonly hasIpv6: boolean
  readonly hasAddress: boolean
}

/** Placeholders with characters that no URL may have, as ones that it may have. */
const parsable = (text: string): string =>
  text
    .replaceAll(/<([a-z0-9]+)>/gi, (_, name: string) => `__LT_${name}__`)
    .replaceAll(/\[([A-Z0-9]+)\]/g, (_, name: string) => `__SQ_${name}__`)
    .replaceAll(/%([hiapu])(?![0-9a-f])/gi, (_, name: string) => `__PC_${name}__`)
const restored = (text: string): string =>
  text
    .replaceAll(/__LT_([a-z0-9]+)__/gi, (_, name: string) => `<${name}>`)
    .replaceAll(/__SQ_([A-Z0-9]+)__/g, (_, name: string) => `[${name}]`)
    .replaceAll(/__PC_([hiapu])__/gi, (_, name: string) => `%${name}`)

/** Reads the update URL of a router or of another client. The error says why it is none of this protocol. */
export function readUrlTemplate(text: string): Result<UrlTemplate, string> {
  const full = parsable(/^https?:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`)
  if (!URL.canParse(full)) return err('is not a URL')
  const url = new URL(full)
  const split = splitServer(`${url.protocol}//${url.host}`)
  if (split === undefined) return err('is not the address of a service')
  const query = readQuery(url)
  if (!query.ok) return query
  const username = percentDecoded(restored(url.username))
  const password = percentDecoded(restored(url.password))
  // The gateways of UniFi write a path with two slashes.
  const path = restored(url.pathname).replaceAll(/\/{2,}/g, '/')
  if (PLACEHOLDERS.some(([pattern]) => path.split('/').some((part) => pattern.test(part))))
    return err('has the hostname, the address or the credentials in its path, which is not this protocol')
  return ok({
    service: {
      provider: providerOfServer(split.origin),
      server: split.origin,
      path: path === '/' ? '/' : path,
    },
    isPlain: split.isPlain,
    username: username === '' || partOf(username) !== undefined ? undefined : username,
    password: password === '' || partOf(password) !== undefined ? undefined : password,
    ...query.value,
  })
}

type Query = Pick<UrlTemplate, 'settings' | 'hostnames' | 'addresses' | 'hasIpv6' | 'hasAddress'>

/** What one parameter of the query is for, with its setting where its name is not the usual one. */
interface ReadParameter {
  readonly part: PlaceholderKind | 'both' | 'fixed'
  readonly settings: DraftSettings
  readonly hostnames?: readonly string[]
  readonly addresses?: readonly Address[]
  readonly fixed?: string
}

/** As in `[PARAMOPT]`, `<dualstack>` and `__TTL__`. */
const ANY_PLACEHOLDER = /\[[A-Z0-9]+\]|<[a-z0-9]+>|__[A-Z0-9]+__/i

function readParameter(name: string, value: string): Result<ReadParameter, string> {
  const parts = value.split(',').map(partOf)
  const is = (part: PlaceholderKind): boolean => parts.includes(part)
  const isOneOf = (names: readonly string[]): boolean => names.includes(name)
  const foreign = (what: string): Result<never, string> =>
    err(`has ${what} (${name}), which is not this protocol`)
  if (is('password') || is('username') || isSecretName(name)) return foreign('the credentials in its query')
  if (is('hostname') || name === 'hostname') {
    const literal = parts.every((part) => part === undefined)
      ? value.split(',').filter((one) => one !== '')
      : []
    return isOneOf(HOSTNAME_PARAMETERS)
      ? ok({
          part: 'hostname',
          settings: name === 'hostname' ? {} : { hostname_parameter: name },
          hostnames: literal,
        })
      : foreign('the hostname in another parameter')
  }
  if (is('ipv6'))
    return isOneOf(IPV6_PARAMETERS)
      ? ok({
          part: is('address') ? 'both' : 'ipv6',
          settings: name === 'myip' ? {} : { ipv6_parameter: name },
        })
      : foreign('the IPv6 address in another parameter')
  if (is('address') || name === 'myip')
    return isOneOf(ADDRESS_PARAMETERS)
      ? ok({
          part: 'address',
          settings: name === 'myip' ? {} : { address_parameter: name },
          addresses: value.split(',').flatMap((one) => parseAddress(one.trim()) ?? []),
        })
      : foreign('the address in another parameter')
  if ([name, value].some((one) => ANY_PLACEHOLDER.test(one)))
    return foreign('a placeholder that has no counterpart here')
  const pair = parseParameter(`${name}=${value}`)
  return pair.ok
    ? ok({ part: 'fixed', settings: {}, fixed: `${name}=${value}` })
    : foreign('a parameter that cannot be set')
}

const isDesec = ({ origin }: URL): boolean => providerOfServer(origin) === 'desec'

function readQuery(url: URL): Result<Query, string> {
  const all: ReadParameter[] = []
  for (const [name, encoded] of url.searchParams) {
    // deSEC has two names for this parameter.
    const plain = restored(name) === 'myipv4' && isDesec(url) ? 'myip' : restored(name)
    const read = readParameter(plain, restored(encoded))
    if (!read.ok) return read
    all.push(read.value)
  }
  const has = (...parts: readonly ReadParameter['part'][]): boolean =>
    all.some(({ part }) => parts.includes(part))
  const [hasIpv6, hasAddress] = [has('ipv6', 'both'), has('address', 'both')]
  if (!has('hostname') && !hasAddress && !hasIpv6)
    return err('has neither a hostname nor an address, so it is not this protocol')
  const parameters = all.flatMap(({ fixed }) => fixed ?? [])
  const settings: DraftSettings = Object.assign({}, ...all.map((one) => one.settings))
  return ok({
    settings: {
      ...settings,
      ...(!has('hostname') && { hostname_parameter: 'none' }),
      ...(parameters.length > 0 && { parameters }),
    },
    hostnames: all.flatMap(({ hostnames = [] }) => hostnames),
    addresses: all.flatMap(({ addresses = [] }) => addresses),
    hasIpv6,
    hasAddress,
  })
}
