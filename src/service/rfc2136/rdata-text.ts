import { readName } from '../../shared/dns/name.ts'
import { RR_TYPES } from '../../shared/dns/types.ts'
import { addressOfBytes } from '../../shared/base/address.ts'
import { quoted } from '../model/rdata-strings.ts'
import { svcParamText } from '../model/rdata-svcb.ts'
import { locText } from '../publish/rdata-loc.ts'
import type { WireType } from '../publish/rdata.ts'

/** RDATA in a message, in which names may be compressed. */
interface WireRdata {
  readonly message: Uint8Array
  readonly rdataAt: number
  readonly end: number
}

/** The text of one field of the RDATA, and where it ends; undefined if it is malformed. */
type FieldReader = (rdata: WireRdata) => { readonly text: string; readonly next: number } | undefined

const bufferOf = ({ message, rdataAt, end }: WireRdata): Buffer =>
  Buffer.from(message.buffer, message.byteOffset + rdataAt, end - rdataAt)

const fixed =
  (octets: number, textOf: (octets: Buffer) => string | undefined): FieldReader =>
  (rdata) => {
    const field = bufferOf(rdata)
    const text = field.length < octets ? undefined : textOf(field.subarray(0, octets))
    return text === undefined ? undefined : { text, next: rdata.rdataAt + octets }
  }

/** All octets that are left. */
const rest =
  (textOf: (octets: Buffer) => string | undefined): FieldReader =>
  (rdata) => {
    const text = textOf(bufferOf(rdata))
    return text === undefined ? undefined : { text, next: rdata.end }
  }

const number = (octets: 1 | 2): FieldReader => fixed(octets, (field) => String(field.readUIntBE(0, octets)))
const addressField = (octets: 4 | 16): FieldReader => fixed(octets, addressOfBytes)
const hex = rest((field) => field.toString('hex').toUpperCase())

const name: FieldReader = ({ message, rdataAt, end }) => {
  const read = readName(message.subarray(0, end), rdataAt)
  return read === undefined ? undefined : { text: `${read.name}.`, next: read.end }
}

/** RFC 1035 §3.3: an octet with the length, and the text. */
const string: FieldReader = (rdata) => {
  const field = bufferOf(rdata)
  const length = 1 + (field[0] ?? Infinity)
  return length > field.length
    ? undefined
    : { text: quoted(field.subarray(1, length)), next: rdata.rdataAt + length }
}

const strings: FieldReader = (rdata) => {
  const texts: string[] = []
  for (let at = rdata.rdataAt; at < rdata.end; ) {
    const read = string({ ...rdata, rdataAt: at })
    if (read === undefined) return undefined
    texts.push(read.text)
    at = read.next
  }
  return texts.length === 0 ? undefined : { text: texts.join(' '), next: rdata.end }
}

/** RFC 8659 §4.1: a length, and letters and digits. */
const tag: FieldReader = (rdata) => {
  const read = string(rdata)
  const text = read?.text.slice(1, -1) ?? ''
  return read !== undefined && /^[a-z0-9]+$/i.test(text) ? { ...read, text } : undefined
}

/** RFC 9460 §2.2: keys with lengths. */
const svcParams = rest((field) => {
  const texts: string[] = []
  for (let at = 0; at < field.length; ) {
    const end = at + 4 + (at + 4 <= field.length ? field.readUInt16BE(at + 2) : Infinity)
    if (end > field.length) return undefined
    const text = svcParamText(field.readUInt16BE(at), field.subarray(at + 4, end).toString('latin1'))
    if (text === undefined) return undefined
    texts.push(text)
    at = end
  }
  return texts.join(' ')
})

const [octet, uint16] = [number(1), number(2)]
const HOST = [name]
const SVCB = [uint16, name, svcParams]

/** The fields of each type, in the order of its RFC. */
// biome-ignore format: a table
const FIELDS: { readonly [T in WireType]: readonly FieldReader[] } = {
  A:     [addressField(4)],
  AAAA:  [addressField(16)],
  CNAME: HOST,
  NS:    HOST,
  PTR:   HOST,
  TXT:   [strings],
  MX:    [uint16, name],
  SRV:   [uint16, uint16, uint16, name],
  CAA:   [octet, tag, rest(quoted)],
  DS:    [uint16, octet, octet, hex],
  TLSA:  [octet, octet, octet, hex],
  SSHFP: [octet, octet, hex],
  HTTPS: SVCB,
  SVCB,
  NAPTR: [uint16, uint16, string, string, string, name],
  URI:   [uint16, uint16, rest(quoted)],
  LOC:   [fixed(16, locText)],
  DHCID: [rest((field) => field.toString('base64'))],
}

const NAMES: ReadonlyMap<number, WireType> = new Map(
  (Object.keys(FIELDS) as WireType[]).map((type) => [RR_TYPES[type], type]),
)

/** The type by its number; undefined for one that the service does not have. */
export const wireTypeOf = (type: number): WireType | undefined => NAMES.get(type)

/** The text of RDATA, as the API reads it; undefined if it is malformed. */
export function rdataText(type: WireType, rdata: WireRdata): string | undefined {
  const texts: string[] = []
  let at = rdata.rdataAt
  for (const field of FIELDS[type]) {
    const read = field({ ...rdata, rdataAt: at })
    if (read === undefined || read.next > rdata.end) return undefined
    texts.push(read.text)
    at = read.next
  }
  return at === rdata.end ? texts.filter((text) => text !== '').join(' ') : undefined
}
