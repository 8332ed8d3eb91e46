import { err, ok, type Result } from './result.ts'
import { type Address, addressOfBytes, bytesOf, familyOf, parseAddress } from './address.ts'

/** A range of addresses: all that share the first `length` bits of `address`. */
export interface Prefix {
  readonly address: Address
  readonly length: number
}

const widthOf = (address: Address): number => (familyOf(address) === 'v4' ? 32 : 128)

/** Parses "2001:db8::/32". An address without a length is a range of one address. */
export function parsePrefix(text: string): Result<Prefix, string> {
  const [base = '', length, ...rest] = text.split('/')
  const address = parseAddress(base)
  if (address === undefined || rest.length > 0) return err('is not an address range such as 2001:db8::/32')
  const bits =
    length === undefined ? widthOf(address) : Number(/^\d{1,3}$/.test(length) ? length : Number.NaN)
  return bits >= 0 && bits <= widthOf(address)
    ? ok({ address, length: bits })
    : err(`has a prefix length outside 0 to ${widthOf(address)}`)
}

/** The bits of one byte of an address that belong to the network. */
const maskAt = (at: number, length: number): number =>
  (0xff << (8 - Math.min(8, Math.max(0, length - 8 * at)))) & 0xff

/** The first `length` bits of `network`, the other bits of `host`. Throws when the families differ. */
export function withHostPart(network: Address, length: number, host: Address): Address {
  const [front, back] = [bytesOf(network), bytesOf(host)]
  const bytes = front.map((byte, at) => {
    const mask = maskAt(at, length)
    return (byte & mask) | ((back[at] ?? 0) & ~mask & 0xff)
  })
  const address = addressOfBytes(bytes)
  if (address === undefined || familyOf(address) !== familyOf(network))
    throw new Error(`${network}/${length} and ${host} cannot be combined`)
  return address
}

export function isWithin(address: Address, { address: base, length }: Prefix): boolean {
  if (familyOf(address) !== familyOf(base)) return false
  const network = bytesOf(base)
  return bytesOf(address).every((byte, at) => ((byte ^ (network[at] ?? 0)) & maskAt(at, length)) === 0)
}

/** RFC 4291 appendix A: the interface identifier that SLAAC derives from a MAC address, as the low 64 bits of an address. */
export function eui64(mac: string): Address | undefined {
  const bytes = mac
    .split(/[:-]/)
    .map((part) => (/^[0-9a-f]{2}$/i.test(part) ? parseInt(part, 16) : Number.NaN))
  if (bytes.length !== 6 || bytes.some(Number.isNaN)) return undefined
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = bytes
  return addressOfBytes(Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, a ^ 2, b, c, 0xff, 0xfe, d, e, f]))
}

/** In bits: from the prefix that a provider assigns to a line, to one network. */
const LINE_LENGTHS = { min: 48, max: 64 } as const

/** The IPv6 prefix of a line, such as `2001:db8:1:2::/64`, without bits after its length. */
export function parseLinePrefix(text: string): Prefix | undefined {
  const parsed = /\/\d+$/.test(text) ? parsePrefix(text) : undefined
  if (parsed?.ok !== true) return undefined
  const { address, length } = parsed.value
  const isOfLine = length >= LINE_LENGTHS.min && length <= LINE_LENGTHS.max
  if (!isOfLine || familyOf(address) === 'v4') return undefined
  return withHostPart(address, length, '::' as Address) === address ? parsed.value : undefined
}

/** Assigned to networks of the Internet (RFC 4291 §2.4; IANA gives out 2000::/3). */
export const isGlobalUnicast = (address: Address): boolean => /^[23][\da-f]{3}:/.test(address)
