import type { Addresses } from '../base/address.ts'
import { SecretText } from '../base/secret-text.ts'
import type { FixedParameter, RequestForm } from './request-form.ts'

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
