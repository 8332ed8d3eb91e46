import { err, ok } from '../../../shared/base/result.ts'
import { excerpt, type Field, fieldsIn, joinFields, notOfForm, type RdataParser } from './parse.ts'
import { wireFixed } from './wire.ts'

const FORM =
  'DEGREES [MINUTES [SECONDS]] N|S DEGREES [MINUTES [SECONDS]] E|W ALTITUDE [SIZE [HORIZONTAL [VERTICAL]]]'

/** RFC 1876 §3: size, horizontal and vertical precision that are not given. */
const DEFAULTS = ['1m', '10000m', '10m'] as const

/** RFC 1876 §3. The canonical form contains every field, with units, as BIND prints it. */
const parseLoc: RdataParser = (value) => {
  const fields = fieldsIn(value)
  const north = fields.findIndex((field) => /^[ns]$/i.test(field))
  const east = fields.findIndex((field) => /^[ew]$/i.test(field))
  const isComplete = isWithin(north, 1, 3) && isWithin(east - north - 1, 1, 3)
  const [altitude = '', size = DEFAULTS[0], horizontal = DEFAULTS[1], vertical = DEFAULTS[2], ...rest] =
    fields.slice(east + 1)
  if (!isComplete || altitude === '' || rest.length > 0) return notOfForm(value, FORM)
  return joinFields([
    angleField(LATITUDE, fields.slice(0, north + 1)),
    angleField(LONGITUDE, fields.slice(north + 1, east + 1)),
    altitudeField(altitude),
    distanceField('size', size),
    distanceField('horizontal precision', horizontal),
    distanceField('vertical precision', vertical),
  ])
}

interface Angle {
  readonly name: string
  readonly maxDegrees: number
  /** The direction of an angle of zero, which has two texts and one form on the wire. */
  readonly zero: string
}
const LATITUDE: Angle = { name: 'latitude', maxDegrees: 90, zero: 'N' }
const LONGITUDE: Angle = { name: 'longitude', maxDegrees: 180, zero: 'E' }

function angleField({ name, maxDegrees, zero }: Angle, parts: readonly string[]): Field {
  const [degrees = 0, minutes = 0, seconds = 0] = [0, 0, 3].map((digits, n) =>
    n < parts.length - 1 ? (unitsOf(parts[n] ?? '', digits) ?? NaN) : 0,
  )
  const text = excerpt(parts.join(' '))
  if (!isWithin(degrees, 0, maxDegrees))
    return err(`the degrees of the ${name} ${text} are not a whole number from 0 to ${maxDegrees}`)
  if (!isWithin(minutes, 0, 59))
    return err(`the minutes of the ${name} ${text} are not a whole number from 0 to 59`)
  if (!isWithin(seconds, 0, 59_999))
    return err(`the seconds of the ${name} ${text} are not a number from 0 to 59.999 with at most 3 decimals`)
  if (degrees === maxDegrees && minutes + seconds > 0)
    return err(`the ${name} ${text} is larger than ${maxDegrees} degrees`)
  const direction = degrees + minutes + seconds === 0 ? zero : parts.at(-1)?.toUpperCase()
  return ok(`${degrees} ${minutes} ${decimal(seconds, 3)} ${direction}`)
}

/** In centimetres: 32 bits, from 100,000 m below the ellipsoid (RFC 1876 §2). */
const MIN_ALTITUDE = -10_000_000
const MAX_ALTITUDE = 4_284_967_295

function altitudeField(text: string): Field {
  const [, sign, metres = ''] = /^(-?)(.*)$/s.exec(text) ?? []
  const size = centimetresOf(metres) ?? NaN
  const altitude = sign === '-' ? -size : size
  return isWithin(altitude, MIN_ALTITUDE, MAX_ALTITUDE)
    ? ok(`${altitude < 0 ? '-' : ''}${decimal(size, 2)}m`)
    : err(
        `the altitude ${excerpt(text)} is not a number of metres from -100000 to 42849672.95 with at most 2 decimals`,
      )
}

/** RFC 1876 §2: one digit times a power of ten, in centimetres. */
const MAX_DISTANCE = 9_000_000_000

function distanceField(name: string, text: string): Field {
  const centimetres = centimetresOf(text) ?? NaN
  if (!isWithin(centimetres, 0, MAX_DISTANCE))
    return err(
      `the ${name} ${excerpt(text)} is not a number of metres from 0 to 90000000 with at most 2 decimals`,
    )
  if (!/^\d0*$/.test(String(centimetres)))
    return err(`the ${name} ${excerpt(text)} is not one digit times a power of ten, such as 20m, 3m or 0.05m`)
  return ok(centimetres < 100 ? `${decimal(centimetres, 2)}m` : `${centimetres / 100}m`)
}

const centimetresOf = (text: string): number | undefined => unitsOf(text.replace(/m$/i, ''), 2)

/** A decimal number in units of its last allowed digit: "1.5" with 3 digits is 1500. */
function unitsOf(text: string, digits: number): number | undefined {
  const [, whole, fraction = ''] = /^(\d{1,8})(?:\.(\d{1,3}))?$/.exec(text) ?? []
  if (whole === undefined || fraction.length > digits) return undefined
  return Number(whole + fraction.padEnd(digits, '0'))
}

/** The inverse: 1500 with 3 digits is "1.500". */
function decimal(units: number, digits: number): string {
  const text = String(units).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

const isWithin = (value: number, min: number, max: number): boolean => value >= min && value <= max

/** RFC 1876 §2: the equator and the prime meridian, in thousandths of a second of arc. */
const ORIGIN = 2 ** 31
/** In centimetres below the ellipsoid. */
const BASE = 10_000_000

/** From the canonical text "D M S N D M S E ALTm SIZEm HPm VPm". */
function locOctets(value: string): Buffer {
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
function locText(octets: Buffer): string | undefined {
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

export const locRdata = {
  isTarget: false,
  parse: parseLoc,
  wire: [wireFixed(16, locText, (text) => [locOctets(text), ''])],
} as const
