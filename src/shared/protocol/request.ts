import type { Addresses } from '../base/address.ts'
import { type Secret, SecretText } from '../base/secret.ts'
import { type Duration, milliseconds } from '../base/time.ts'

/** Names of the parameter that services take an IPv6 address in. */
export const IPV6_PARAMETERS = ['myip', 'myipv6', 'ipv6', 'myip6', 'ip6', 'myip2'] as const
type Ipv6Parameter = (typeof IPV6_PARAMETERS)[number]

/** Names of the parameter for hostnames; `none`: the credentials stand for the hostname. */
export const HOSTNAME_PARAMETERS = ['hostname', 'host', 'none'] as const
type HostnameParameter = (typeof HOSTNAME_PARAMETERS)[number]

export const ADDRESS_PARAMETERS = ['myip', 'ip'] as const
type AddressParameter = (typeof ADDRESS_PARAMETERS)[number]

/**
 * What a request says about a family that it has no address of. Some services delete the record of a family that is not
 * named. `omit`: nothing. `repeat`: the address that was confirmed last. `hold`: the same, and without one no request
 * is sent while the family is unknown. `hold-ipv4`: the same, and no request without an IPv4 address at all.
 * `preserve`, `no`: that word in the place of the address. `keep`: keepipv4=1 or keepipv6=1.
 */
export const ABSENT_FAMILY = ['omit', 'repeat', 'hold', 'hold-ipv4', 'preserve', 'no', 'keep'] as const
export type AbsentFamily = (typeof ABSENT_FAMILY)[number]
export const isHolding = (one: AbsentFamily): boolean => one === 'hold' || one === 'hold-ipv4'

export type FixedParameter = readonly [name: string, value: string | Secret]

/** How the requests of one service look, as far as services of this protocol differ. */
export interface RequestForm {
  readonly hostnameParameter: HostnameParameter
  readonly addressParameter: AddressParameter
  /** `myip`: both addresses in one list. */
  readonly ipv6Parameter: Ipv6Parameter
  /** Each family has a request of its own. */
  readonly isApart: boolean
  readonly absentFamily: AbsentFamily
  /** Fixed parameters. A secret is percent-encoded where it is sent, any other value needs no escape. */
  readonly parameters: readonly FixedParameter[]
  /** The least time between two requests; zero: none. */
  readonly minGap: Duration
}

/** The form of the specification. */
export const PLAIN_FORM: RequestForm = {
  hostnameParameter: 'hostname',
  addressParameter: 'myip',
  ipv6Parameter: 'myip',
  isApart: false,
  absentFamily: 'omit',
  parameters: [],
  minGap: milliseconds(0),
}

/** The path of the update protocol. */
export const UPDATE_PATH = '/nic/update'
/** Devices that cannot be corrected ask these. */
const OTHER_PATHS = ['/v2/update', '/v3/update', '/update', '/nic/dyndns']

/** Whether this is the update path as a device may write it: with repeated, trailing or escaped slashes. */
export function isUpdatePath(path: string): boolean {
  if (path === UPDATE_PATH) return true
  const plain = path
    .replace(/^\/(?:\\|%5c)\//i, '/')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '')
  return plain === UPDATE_PATH || OTHER_PATHS.includes(plain)
}
/** With a DDNS key, this item selects every hostname of the key. A service may configure another word. */
export const ALL_HOSTNAMES = 'all-hostnames'

export interface UpdateRequest {
  /** The response lists the results in this order. */
  readonly hostnames: readonly string[]
  /** Empty: the service uses the address of the connection. */
  readonly addresses: Addresses
  /** undefined: no parameter, which means NO. */
  readonly offline?: 'YES' | 'NO'
}

/**
 * Client side: formats the query. Commas and colons are not escaped: all services accept that, and RFC 3986 §3.4 allows
 * it.
 */
export function formatQuery(request: UpdateRequest, form: RequestForm): SecretText {
  const hostnames = request.hostnames.map(escapeItem).join(',')
  const pairs: readonly FixedParameter[] = [
    ...form.parameters,
    ...(form.hostnameParameter === 'none' ? [] : [[form.hostnameParameter, hostnames] as const]),
    ...addressPairs(request.addresses, form),
    ...(request.offline === undefined ? [] : [['offline', request.offline] as const]),
  ]
  return new SecretText(
    ...pairs.flatMap(([key, value], at) => [`${at === 0 ? '' : '&'}${key}=`, escaped(value)]),
  )
}

const escaped = (value: FixedParameter[1]): FixedParameter[1] =>
  typeof value === 'string' ? value : value.derive(encodeURIComponent)

type Pair = readonly [name: string, value: string]

/** The word in the place of an absent address, by `absentFamily`. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { preserve: 'preserve', no: 'no' }

function addressPairs({ v4, v6 }: Addresses, form: RequestForm): readonly Pair[] {
  if (v4 === undefined && v6 === undefined) return []
  const { addressParameter, ipv6Parameter, absentFamily, isApart } = form
  const word = PLACEHOLDERS[absentFamily]
  const kept: readonly Pair[] =
    absentFamily !== 'keep' || (v4 !== undefined && v6 !== undefined)
      ? []
      : [[v4 === undefined ? 'keepipv4' : 'keepipv6', '1']]
  if (ipv6Parameter === 'myip')
    return [[addressParameter, [v4, v6].filter((one) => one !== undefined).join(',')], ...kept]
  // Without myip a service uses the address of the connection, so IPv6 alone is sent as myip too.
  const first = v4 ?? word ?? (isApart ? undefined : v6)
  const second = v6 ?? word
  return [
    ...(first === undefined ? [] : [[addressParameter, first] as const]),
    ...(second === undefined ? [] : [[ipv6Parameter, second] as const]),
    ...kept,
  ]
}

const escapeItem = (item: string): string =>
  encodeURIComponent(item).replaceAll('%40', '@').replaceAll('%3A', ':')
