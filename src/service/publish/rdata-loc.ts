/** RFC 1876 §2: the equator and the prime meridian, in thousandths of a second of arc. */
const ORIGIN = 2 ** 31
/** In centimetres below the ellipsoid. */
const BASE = 10_000_000

/** From the canonical text "D M S N D M S E ALTm SIZEm HPm VPm". */
export function locRdata(value: string): Buffer {
  const fields = value.split(' ')
  const [altitude = '', size = '', horizontal = '', vertical = ''] = fields.slice(8)
  const octets = Buffer.alloc(16)
  octets[1] = precision(size)
  octets[2] = precision(horizontal)
  octets[3] = precision(vertical)
  octets.writeUInt32BE(angle(fields.slice(0, 4), 'S'), 4)
  octets.writeUInt32BE(angle(fields.slice(4, 8), 'W'), 8)
  octets.writeUInt32BE(centimetres(altitude) + BASE, 12)
  return octets
}

function angle([degrees, minutes, seconds, direction]: readonly string[], negative: string): number {
  const size = Number(degrees) * 3_600_000 + Number(minutes) * 60_000 + Math.round(Number(seconds) * 1000)
  return ORIGIN + (direction === negative ? -size : size)
}

/** The inverse, of 16 octets; undefined if they are malformed. */
export function locText(octets: Buffer): string | undefined {
  const [version = 1, ...precisions] = octets.subarray(0, 4)
  if (version !== 0 || precisions.some((one) => one >> 4 > 9 || (one & 15) > 9)) return undefined
  const metres = [
    octets.readUInt32BE(12) - BASE,
    ...precisions.map((one) => (one >> 4) * 10 ** (one & 15)),
  ].map((size) => `${(size / 100).toFixed(2)}m`)
  return [
    angleText(octets.readUInt32BE(4), 'N', 'S'),
    angleText(octets.readUInt32BE(8), 'E', 'W'),
    ...metres,
  ].join(' ')
}

function angleText(octets: number, positive: string, negative: string): string {
  const size = Math.abs(octets - ORIGIN)
  const [degrees, minutes] = [Math.floor(size / 3_600_000), Math.floor(size / 60_000) % 60]
  const seconds = ((size % 60_000) / 1000).toFixed(3)
  return `${degrees} ${minutes} ${seconds} ${octets < ORIGIN ? negative : positive}`
}

const centimetres = (metres: string): number => Math.round(Number(metres.replace(/m$/, '')) * 100)

/** One digit, and the power of ten that it is multiplied by. */
function precision(metres: string): number {
  const digits = String(centimetres(metres))
  return (Number(digits[0]) << 4) | (digits.length - 1)
}
