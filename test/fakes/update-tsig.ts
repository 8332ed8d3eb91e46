import { createHmac, timingSafeEqual } from 'node:crypto'
import { HEADER_OCTETS, messageOctets, nameOctets, octets16, octets32, TYPE, CLASS } from './update-wire.ts'

/** Signatures of requests (RFC 8945), without the code under test. */

// biome-ignore format: a table
export const MAC_ALGORITHMS = {
  'hmac-sha256': { hash: 'sha256', octets: 32 },
  'hmac-sha384': { hash: 'sha384', octets: 48 },
  'hmac-sha512': { hash: 'sha512', octets: 64 },
} as const
export type MacAlgorithm = keyof typeof MAC_ALGORITHMS

export interface MacKey {
  readonly name: string
  readonly algorithm: MacAlgorithm
  readonly secret: Buffer
}

export const FUDGE_SECONDS = 300

/** The fields of a TSIG record (RFC 8945 §4.2). */
export interface TsigFields {
  readonly keyName: string
  readonly algorithm: string
  /** In seconds since the epoch, 48 bits. */
  readonly time: number
  /** In seconds. */
  readonly fudge: number
  readonly mac: Buffer
  readonly originalId: number
  readonly error: number
  readonly other: Buffer
}

const octets48 = (value: number): Buffer =>
  Buffer.concat([octets16(Math.floor(value / 2 ** 32)), octets32(value % 2 ** 32)])

/** RFC 8945 §4.3.3: message, name, class, TTL, algorithm, time, fudge, error and other data. */
const macOctets = (key: MacKey, message: Buffer, fields: TsigFields): Buffer =>
  createHmac(MAC_ALGORITHMS[key.algorithm].hash, key.secret)
    .update(
      Buffer.concat([
        message,
        nameOctets(fields.keyName.toLowerCase()),
        octets16(CLASS.ANY),
        octets32(0),
        nameOctets(fields.algorithm.toLowerCase()),
        octets48(fields.time),
        ...[fields.fudge, fields.error, fields.other.length].map(octets16),
        fields.other,
      ]),
    )
    .digest()

const tsigRdata = (fields: TsigFields): Buffer =>
  Buffer.concat([
    nameOctets(fields.algorithm),
    octets48(fields.time),
    ...[fields.fudge, fields.mac.length].map(octets16),
    fields.mac,
    ...[fields.originalId, fields.error, fields.other.length].map(octets16),
    fields.other,
  ])

/** The message with one more record in its additional section. */
export function withTsig(message: Buffer, fields: TsigFields): Buffer {
  const record = {
    owner: fields.keyName,
    type: TYPE.TSIG,
    class: CLASS.ANY,
    ttl: 0,
    rdata: tsigRdata(fields),
  }
  const empty = { id: 0, flags: 0, zones: [], prerequisites: [], updates: [] }
  const octets = messageOctets({ ...empty, additional: [record] }).subarray(HEADER_OCTETS)
  const signed = Buffer.concat([message, octets])
  signed.writeUInt16BE((message.readUInt16BE(10) + 1) & 0xffff, 10)
  return signed
}

export interface Signing {
  readonly key: MacKey
  /** In seconds since the epoch. */
  readonly time: number
  /** What is wrong in the record: these fields replace those of a right one. */
  readonly wrong?: Partial<TsigFields>
  /** In octets: the right MAC is cut to this length (RFC 8945 §5.2.2.1). */
  readonly macLength?: number
}

export function signUpdate(message: Buffer, { key, time, wrong = {}, macLength }: Signing): Buffer {
  const fields = {
    keyName: key.name,
    algorithm: key.algorithm,
    time,
    fudge: FUDGE_SECONDS,
    mac: Buffer.alloc(0),
    originalId: message.readUInt16BE(0),
    error: 0,
    other: Buffer.alloc(0),
  }
  return withTsig(message, {
    ...fields,
    mac: macOctets(key, message, fields).subarray(0, macLength),
    ...wrong,
  })
}

/** What a server finds: no signature, a right one, one that is not of a key it has, or a record with no right form. */
export type Authenticity = 'unsigned' | 'valid' | 'invalid' | 'malformed'

interface Checking {
  readonly keys: readonly MacKey[]
  /** In seconds since the epoch. */
  readonly now: number
}

/** RFC 8945 §5.2: key, MAC, time. `message` is the one before it was signed, with its original id. */
export function checkTsig(message: Buffer, fields: TsigFields, { keys, now }: Checking): Authenticity {
  const isKey = ({ name, algorithm }: MacKey): boolean =>
    name.toLowerCase() === fields.keyName.toLowerCase() && algorithm === fields.algorithm.toLowerCase()
  const key = keys.find(isKey)
  if (key === undefined) return 'invalid'
  const { octets } = MAC_ALGORITHMS[key.algorithm]
  if (fields.mac.length > octets || fields.mac.length < Math.max(10, octets / 2)) return 'malformed'
  const right = macOctets(key, message, fields).subarray(0, fields.mac.length)
  const isWhole = fields.mac.length === octets
  const isInTime = Math.abs(now - fields.time) <= fields.fudge
  return isWhole && isInTime && timingSafeEqual(right, fields.mac) ? 'valid' : 'invalid'
}
