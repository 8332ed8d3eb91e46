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

const centimetres = (metres: string): number => Math.round(Number(metres.replace(/m$/, '')) * 100)

/** One digit, and the power of ten that it is multiplied by. */
function precision(metres: string): number {
  const digits = String(centimetres(metres))
  return (Number(digits[0]) << 4) | (digits.length - 1)
}
