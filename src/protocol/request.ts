import { type Address, type Addresses, byFamily, familyOf, parseAddress } from '../net/address.ts'
import { SecretText } from '../net/secret-text.ts'
import { specialRangeOf } from '../net/special.ts'
import type { FixedParameter, RequestForm } from './request-form.ts'

/** The only path of the update protocol. */
export const UPDATE_PATH = '/nic/update'
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

/** A parsed query. `hostnames` is undefined where the parameter is missing or empty. */
export interface UpdateQuery {
  readonly hostnames: readonly string[] | undefined
  readonly addresses: Addresses
  readonly isOffline: boolean
}

/** Server side: the inverse of `formatQuery`. Ignores unknown parameters and invalid addresses. */
export function readQuery(query: string): UpdateQuery {
  const parameters = parametersOf(query)
  const hostnames = itemsOf(parameters.get('hostname'))
  const myip = itemsOf(parameters.get('myip')).flatMap(usableAddress)
  const [myipv6] = itemsOf(parameters.get('myipv6'))
    .flatMap(usableAddress)
    .filter((a) => familyOf(a) === 'v6')
  return {
    hostnames: hostnames.length === 0 ? undefined : hostnames,
    addresses: { ...byFamily(myip), ...(myipv6 && { v6: myipv6 }) },
    isOffline: (parameters.get('offline') ?? '').toUpperCase() === 'YES',
  }
}

/**
 * The first value of each parameter. Keeps malformed escapes unchanged; "+" is a blank
 * (application/x-www-form-urlencoded).
 */
function parametersOf(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const pair of query.split('&')) {
    const at = pair.includes('=') ? pair.indexOf('=') : pair.length
    const name = unescapeText(pair.slice(0, at))
    if (!parameters.has(name)) parameters.set(name, unescapeText(pair.slice(at + 1)))
  }
  return parameters
}

function unescapeText(text: string): string {
  if (!/[%+]/.test(text)) return text
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

const itemsOf = (list: string | undefined): readonly string[] =>
  (list ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/**
 * Addresses that no host can have are ignored like malformed ones. Private ranges are valid: users publish them for home
 * networks.
 */
export function isUsable(address: Address): boolean {
  const special = specialRangeOf(address)
  const isUnusable =
    special === 'multicast' ||
    special === 'broadcast' ||
    special === 'link-local' ||
    address === '0.0.0.0' ||
    address === '::'
  return !isUnusable
}

function usableAddress(text: string): readonly Address[] {
  const address = parseAddress(text)
  return address !== undefined && isUsable(address) ? [address] : []
}
