import { type Address, type Addresses, byFamily, familyOf, listed, parseAddress } from '../net/address.ts'
import { specialRangeOf } from '../net/special.ts'

/** The only path of the update protocol. */
export const UPDATE_PATH = '/nic/update'
/** With a DDNS key, this item selects every hostname of the key. A service may configure another word. */
export const ALL_HOSTNAMES = 'all-hostnames'

export type Ipv6Parameter = 'myip' | 'myipv6'

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
export function formatQuery(request: UpdateRequest, ipv6Parameter: Ipv6Parameter): string {
  const { v4, v6 } = request.addresses
  const isSeparate = ipv6Parameter === 'myipv6' && v6 !== undefined
  // Without myip a service uses the address of the connection, so IPv6 alone is sent as myip too.
  const myip = isSeparate ? (v4 ?? v6) : listed(request.addresses).join(',')
  const pairs = [
    ['hostname', request.hostnames.map(escapeItem).join(',')],
    ...(myip === '' ? [] : [['myip', myip]]),
    ...(isSeparate ? [['myipv6', v6]] : []),
    ...(request.offline === undefined ? [] : [['offline', request.offline]]),
  ]
  return pairs.map(([key, value]) => `${key}=${value}`).join('&')
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
