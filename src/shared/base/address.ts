import { isIPv4, isIPv6 } from 'node:net'

export type Family = 'v4' | 'v6'
export const FAMILIES: readonly Family[] = ['v4', 'v6']
/** As people write them. */
export const FAMILY_NAMES: { readonly [F in Family]: string } = { v4: 'IPv4', v6: 'IPv6' }

declare const canonical: unique symbol
/** An IPv4 or IPv6 address in canonical text form (RFC 5952 for IPv6): equal addresses are equal strings. */
export type Address = string & { readonly [canonical]: 'address' }
/** At most one address of each family. */
export type Addresses = Readonly<Partial<Record<Family, Address>>>

/** Parses one address. Undefined for zone ids, leading zeros and IPv4-mapped IPv6, which do not identify a public host. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return text as Address
  // The colon test first: isIPv6 compiles a long regular expression on first use.
  if (!text.includes(':') || text.includes('%') || !isIPv6(text)) return undefined
  const groups = groupsOf(text)
  return isMapped(groups) ? undefined : formatGroups(groups)
}

export const familyOf = (address: Address): Family => (address.includes(':') ? 'v6' : 'v4')

/**
 * The remote address of a socket: drops the zone id and unwraps ::ffff:a.b.c.d, the form of IPv4 peers on dual-stack
 * sockets (RFC 4291 §2.5.5.2).
 */
export function parsePeer(text: string): Address | undefined {
  const bare = text.split('%')[0] ?? ''
  if (!bare.includes(':') || !isIPv6(bare)) return parseAddress(bare)
  const groups = groupsOf(bare)
  if (!isMapped(groups)) return parseAddress(bare)
  const [high = 0, low = 0] = groups.slice(6)
  return parseAddress([high >> 8, high & 255, low >> 8, low & 255].join('.'))
}

/** The address as a number, most significant bit first: 32 bits for IPv4, 128 for IPv6. */
export function bitsOf(address: Address): bigint {
  if (familyOf(address) === 'v4')
    return address.split('.').reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n)
  return groupsOf(address).reduce((bits, group) => (bits << 16n) | BigInt(group), 0n)
}

/** Addresses in the order the protocol writes them: IPv4 before IPv6. */
export const listed = ({ v4, v6 }: Addresses): readonly Address[] => {
  if (v4 === undefined) return v6 === undefined ? [] : [v6]
  return v6 === undefined ? [v4] : [v4, v6]
}

/** The first address of each family in a list. */
export function byFamily(addresses: readonly Address[]): Addresses {
  const v4 = addresses.find((address) => familyOf(address) === 'v4')
  const v6 = addresses.find((address) => familyOf(address) === 'v6')
  return { ...(v4 && { v4 }), ...(v6 && { v6 }) }
}

/** Those of the wanted families. */
export const picked = (addresses: Addresses, isWanted: (family: Family) => boolean): Addresses =>
  Object.fromEntries(
    FAMILIES.flatMap((family) =>
      addresses[family] !== undefined && isWanted(family) ? [[family, addresses[family]]] : [],
    ),
  )

/** The eight 16-bit groups of a valid IPv6 text. */
function groupsOf(text: string): readonly number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  const [, head = '', ...octets] = dotted ?? []
  const [a = 0, b = 0, c = 0, d = 0] = octets.map(Number)
  const plain = dotted ? `${head}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}` : text
  const [left = '', right] = plain.split('::')
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => parseInt(group, 16))
  const [front, back] = [parse(left), parse(right ?? '')]
  const zeros = right === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array<number>(zeros).fill(0), ...back]
}

const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff

/** RFC 5952 §4: lower case, no leading zeros, the first longest run of two or more zero groups as "::". */
function formatGroups(groups: readonly number[]): Address {
  const hex = groups.map((group) => group.toString(16)).join(':')
  const runs = [...hex.matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].map(([run]) => run)
  const longest = runs.reduce((best, run) => (zerosIn(run) > zerosIn(best) ? run : best), '')
  if (longest === '') return hex as Address
  const at = hex.indexOf(longest)
  const [head, tail] = [hex.slice(0, at), hex.slice(at + longest.length)]
  return `${head}::${tail.replace(/^:/, '')}` as Address
}

const zerosIn = (run: string): number => run.split('0').length - 1

/**
 * The address in network byte order: 4 or 16 bytes. Throws for a text that
 * is none, such as a stored value that was changed.
 */
export function bytesOf(address: Address): Uint8Array {
  const isV4 = familyOf(address) === 'v4'
  const parts = isV4 ? address.split('.').map(Number) : groupsOf(address)
  if (parts.length !== (isV4 ? 4 : 8) || parts.some(Number.isNaN))
    throw new TypeError(`${address} is not an address`)
  return new Uint8Array(isV4 ? parts : parts.flatMap((group) => [group >> 8, group & 255]))
}

/** The inverse of `bytesOf`; undefined for any other length. IPv4-mapped IPv6 becomes the embedded IPv4 address. */
export function addressOfBytes(bytes: Uint8Array): Address | undefined {
  if (bytes.length === 4) return parseAddress(bytes.join('.'))
  if (bytes.length !== 16) return undefined
  const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0))
  return isMapped(groups) ? parseAddress(bytes.slice(12).join('.')) : formatGroups(groups)
}
