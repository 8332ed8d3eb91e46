import { percentDecoded } from '../base/percent.ts'
import { type Address, type Addresses, byFamily, familyOf, listed } from '../base/address.ts'
import { parseMeantAddress } from '../base/meant-address.ts'
import { parseLinePrefix, type Prefix } from '../base/prefix.ts'
import { specialRangeOf } from '../base/special.ts'

/** A parsed query. `hostnames` is undefined where the parameter is missing or empty; an item may be empty. */
export interface UpdateQuery {
  readonly hostnames: readonly string[] | undefined
  readonly addresses: Addresses
  /** For every IPv6 address that a hostname has; only where the request names no IPv6 address. */
  readonly prefix?: Prefix
  /** It names addresses, of which none can be used: it changes nothing, and never means the peer. */
  readonly isVoid: boolean
  /** Items that are no address, as they were sent. */
  readonly unreadable: readonly string[]
  /** `unknown`: a word that is neither; it changes nothing. */
  readonly offline: 'yes' | 'no' | 'unknown'
}

/** Devices call the parameters in several ways, and cannot be corrected. The first one that has a value is read. */
const ANY_FAMILY = ['myip', 'ip'] as const
const OF_FAMILY = { v4: ['myipv4', 'ipv4', 'ip4'], v6: ['myipv6', 'ipv6', 'ip6'] } as const
const PREFIX = 'ip6lanprefix'

/** Old devices send each of these for NO. */
const NO_WORDS = ['', 'NO', 'OFF', 'FALSE', '0', 'NOCHG']

/** Server side: the inverse of `formatQuery`. Ignores unknown parameters. */
export function readQuery(query: string): UpdateQuery {
  const parameters = parametersOf(query)
  const lists = [ANY_FAMILY, OF_FAMILY.v4, OF_FAMILY.v6, [PREFIX]].map((names) =>
    itemsOf(names.map((name) => parameters.get(name)).find((list) => (list ?? '').trim() !== '')),
  )
  const [any = [], ofV4 = [], ofV6 = [], ofPrefix = []] = lists.map((items) => items.map(readItem))
  const own = { ...firstOf(ofV4, 'v4'), ...firstOf(ofV6, 'v6') }
  const addresses = { ...byFamily(any.flatMap(({ address }) => address ?? [])), ...own }
  const all = [...any, ...ofV4, ...ofV6, ...ofPrefix]
  const prefix = addresses.v6 === undefined ? all.find((one) => one.prefix !== undefined)?.prefix : undefined
  const isVoid =
    listed(addresses).length === 0 && prefix === undefined && all.some(({ kind }) => kind === 'ignored')
  const hostnames = parameters.get('hostname') ?? ''
  return {
    hostnames: hostnames === '' ? undefined : hostnames.split(',').map((item) => item.trim()),
    addresses,
    ...(prefix !== undefined && { prefix }),
    isVoid,
    unreadable: all.flatMap(({ kind, text }) =>
      kind === 'address' || kind === 'prefix' || kind === 'none' ? [] : [text],
    ),
    offline: offlineOf(parameters.get('offline') ?? ''),
  }
}

function offlineOf(word: string): UpdateQuery['offline'] {
  const upper = word.toUpperCase()
  if (upper === 'YES') return 'yes'
  return NO_WORDS.includes(upper) ? 'no' : 'unknown'
}

interface Item {
  readonly text: string
  /** `none`: stands for the address of the connection. `word`: too, and is no address. `ignored`: never does. */
  readonly kind: 'address' | 'prefix' | 'none' | 'word' | 'ignored'
  readonly address?: Address
  readonly prefix?: Prefix
}

function readItem(text: string): Item {
  if (text === '0.0.0.0' || text === '::') return { text, kind: 'none' }
  const address = parseMeantAddress(text)
  if (address !== undefined && isUsable(address)) return { text, kind: 'address', address }
  const prefix = parseLinePrefix(text)
  if (prefix !== undefined) return { text, kind: 'prefix', prefix }
  return { text, kind: /[:/]/.test(text) ? 'ignored' : 'word' }
}

const firstOf = (items: readonly Item[], family: 'v4' | 'v6'): Addresses => {
  const address = items.flatMap((one) => one.address ?? []).find((one) => familyOf(one) === family)
  return address === undefined ? {} : { [family]: address }
}

/**
 * The values of each parameter, joined by commas. Keeps malformed escapes unchanged; "+" is a blank
 * (application/x-www-form-urlencoded).
 */
function parametersOf(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    const at = pair.includes('=') ? pair.indexOf('=') : pair.length
    const name = unescapeText(pair.slice(0, at))
    const known = values.get(name)
    const value = unescapeText(pair.slice(at + 1))
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return new Map(Array.from(values, ([name, list]) => [name, list.join(',')]))
}

const unescapeText = (text: string): string =>
  /[%+]/.test(text) ? percentDecoded(text.replaceAll('+', ' ')) : text

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
