import { type Address, bitsOf, type Family, familyOf, parseAddress } from './address.ts'

/** Why a range is not public. The setting `allow` lists these classes. */
export type RangeClass =
  | 'this-network'
  | 'private'
  | 'cgnat'
  | 'loopback'
  | 'link-local'
  | 'protocol'
  | 'documentation'
  | 'benchmark'
  | 'transition'
  | 'multicast'
  | 'reserved'
  | 'broadcast'

/**
 * IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates), with the multicast and
 * reserved blocks of the address-space registries. Complete as of 2026-11. The first matching row wins, so narrower
 * ranges come before wider ones.
 */
// biome-ignore format: a table
const RANGES: readonly (readonly [range: string, rangeClass: RangeClass, source: string])[] = [
  ['0.0.0.0/8',          'this-network',  'RFC 791 §3.2'],
  ['10.0.0.0/8',         'private',       'RFC 1918'],
  ['100.64.0.0/10',      'cgnat',         'RFC 6598'],
  ['127.0.0.0/8',        'loopback',      'RFC 1122 §3.2.1.3'],
  ['169.254.0.0/16',     'link-local',    'RFC 3927'],
  ['172.16.0.0/12',      'private',       'RFC 1918'],
  ['192.0.0.0/29',       'transition',    'RFC 7335'],
  ['192.0.0.0/24',       'protocol',      'RFC 6890 §2.1'],
  ['192.0.2.0/24',       'documentation', 'RFC 5737'],
  ['192.31.196.0/24',    'protocol',      'RFC 7535'],
  ['192.52.193.0/24',    'protocol',      'RFC 7450'],
  ['192.88.99.0/24',     'transition',    'RFC 7526'],
  ['192.168.0.0/16',     'private',       'RFC 1918'],
  ['192.175.48.0/24',    'protocol',      'RFC 7534'],
  ['198.18.0.0/15',      'benchmark',     'RFC 2544'],
  ['198.51.100.0/24',    'documentation', 'RFC 5737'],
  ['203.0.113.0/24',     'documentation', 'RFC 5737'],
  ['224.0.0.0/4',        'multicast',     'RFC 5771'],
  ['255.255.255.255/32', 'broadcast',     'RFC 8190'],
  ['240.0.0.0/4',        'reserved',      'RFC 1112 §4'],

  ['::/128',             'this-network',  'RFC 4291 §2.5.2'],
  ['::1/128',            'loopback',      'RFC 4291 §2.5.3'],
  ['64:ff9b::/96',       'transition',    'RFC 6052'],
  ['64:ff9b:1::/48',     'transition',    'RFC 8215'],
  ['100::/64',           'reserved',      'RFC 6666'],
  ['100:0:0:1::/64',     'reserved',      'RFC 9780'],
  ['2001::/32',          'transition',    'RFC 4380'],
  ['2001:2::/48',        'benchmark',     'RFC 5180'],
  ['2001::/23',          'protocol',      'RFC 2928'],
  ['2001:db8::/32',      'documentation', 'RFC 3849'],
  ['2002::/16',          'transition',    'RFC 3056'],
  ['2620:4f:8000::/48',  'protocol',      'RFC 7534'],
  ['3fff::/20',          'documentation', 'RFC 9637'],
  ['5f00::/16',          'protocol',      'RFC 9602'],
  ['fc00::/7',           'private',       'RFC 4193'],
  ['fe80::/10',          'link-local',    'RFC 4291 §2.5.6'],
  ['ff00::/8',           'multicast',     'RFC 4291 §2.7'],
]

interface Range {
  readonly first: number | bigint
  readonly last: number | bigint
  readonly rangeClass: RangeClass
}

/** An address as a number: bigint for IPv6 only, because every update needs this and bigint is slow. */
const numberOf = (address: Address): number | bigint =>
  familyOf(address) === 'v4'
    ? address.split('.').reduce((bits, octet) => bits * 256 + Number(octet), 0)
    : bitsOf(address)

/** Parsed per family on first use: a start for one IPv4 address does not parse the IPv6 ranges. */
const parsed: Partial<Record<Family, readonly Range[]>> = {}
const rangesOf = (family: Family): readonly Range[] =>
  (parsed[family] ??= RANGES.filter(([range]) => range.includes(':') === (family === 'v6')).map(parseRange))

function parseRange([range, rangeClass]: (typeof RANGES)[number]): Range {
  const [base = '', length = ''] = range.split('/')
  const address = parseAddress(base)
  if (address === undefined) throw new Error(`${range} is not a range`)
  const first = numberOf(address)
  const last =
    typeof first === 'number'
      ? first + 2 ** (32 - Number(length)) - 1
      : first + 2n ** BigInt(128 - Number(length)) - 1n
  return { first, last, rangeClass }
}

/** What such an address means, for users. */
// biome-ignore format: a table
const MEANINGS: { readonly [C in RangeClass]: string } = {
  'this-network':  'the unspecified address or network',
  private:         'an address inside a private network; another router is between this one and the internet',
  cgnat:           'an address inside the network of your provider, which shares one public address among customers (carrier-grade NAT)',
  loopback:        'an address of this host itself',
  'link-local':    'an address that is valid on one link only',
  protocol:        'an address reserved for a protocol',
  documentation:   'an address for examples in documentation',
  benchmark:       'an address for benchmarks',
  transition:      'an address of an IPv6 transition mechanism',
  multicast:       'a multicast address',
  reserved:        'an address that is not assigned',
  broadcast:       'the broadcast address',
}

/** Why an address is not public: "class: explanation", with the class as `allow` spells it; "public" otherwise. */
export function explainRange(address: Address): string {
  const special = specialRangeOf(address)
  return special === undefined ? 'public' : `${special}: ${MEANINGS[special]}`
}

/** The explanation alone, for a sentence. */
export function meaningOf(address: Address): string {
  const special = specialRangeOf(address)
  return special === undefined ? 'a public address' : MEANINGS[special]
}

export const RANGE_CLASSES: readonly RangeClass[] = [...new Set(RANGES.map(([, rangeClass]) => rangeClass))]

/** The class of a non-public address; undefined for a globally reachable unicast address. */
export function specialRangeOf(address: Address): RangeClass | undefined {
  const bits = numberOf(address)
  const row = rangesOf(familyOf(address)).find(({ first, last }) => first <= bits && bits <= last)
  if (row !== undefined) return row.rangeClass
  // RFC 4291 §2.4 and the IANA IPv6 address space: only 2000::/3 is allocated as global unicast.
  return typeof bits === 'bigint' && bits >> 125n !== 1n ? 'reserved' : undefined
}

export const isGlobal = (address: Address, allowed: readonly RangeClass[] = []): boolean => {
  const special = specialRangeOf(address)
  return special === undefined || allowed.includes(special)
}
