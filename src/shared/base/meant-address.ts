import { type Address, parseAddress, parsePeer } from './address.ts'

/**
 * The address that a device means: in brackets (RFC 3986 §3.2.2), with the length of a whole address, IPv4 that is mapped
 * into IPv6 (RFC 4291 §2.5.5.2), or IPv4 with leading zeros, which are decimal.
 */
export function parseMeantAddress(text: string): Address | undefined {
  const [, inside = text] = /^\[([^[\]]*)\]$/.exec(text) ?? []
  const [, whole = inside] = /^([\d.]+)\/32$|^/.exec(inside) ?? []
  const bare = whole === inside ? (/^([\da-f:.]+)\/128$/i.exec(inside)?.[1] ?? inside) : whole
  if (/^\d+(\.\d+){3}$/.test(bare)) return parseAddress(bare.split('.').map(withoutZeros).join('.'))
  return bare.includes('%') ? undefined : parsePeer(bare)
}

const withoutZeros = (octet: string): string => octet.replace(/^0+(?=\d)/, '')
