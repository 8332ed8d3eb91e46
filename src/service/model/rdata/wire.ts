import { encodeName, readName } from '../../../shared/dns/name.ts'
import { type Address, addressOfBytes, bytesOf } from '../../../shared/base/address.ts'
import { quoted, stringsOf } from './strings.ts'

/** RDATA in a message, in which names may be compressed. */
export interface WireRdata {
  readonly message: Uint8Array
  readonly rdataAt: number
  readonly end: number
}

/** A field of RDATA: between its octets and its canonical text, in which one blank is between two fields. */
export interface WireField {
  /** The text, and where the octets end; undefined if they are malformed. */
  readonly read: (rdata: WireRdata) => { readonly text: string; readonly next: number } | undefined
  /** The octets of the field with which the text begins, and the text behind it. */
  readonly write: (text: string) => readonly [octets: Uint8Array, rest: string]
}

type Encode = (text: string) => Uint8Array
type Decode = (octets: Buffer) => string | undefined

const bufferOf = ({ message, rdataAt, end }: WireRdata): Buffer =>
  Buffer.from(message.buffer, message.byteOffset + rdataAt, end - rdataAt)

/** A field without blanks. */
const word =
  (encode: Encode): WireField['write'] =>
  (text) => {
    const end = text.indexOf(' ')
    return end < 0 ? [encode(text), ''] : [encode(text.slice(0, end)), text.slice(end + 1)]
  }

/** The last field: all octets that are left. */
export const wireRest = (decode: Decode, encode: Encode): WireField => ({
  read(rdata) {
    const text = decode(bufferOf(rdata))
    return text === undefined ? undefined : { text, next: rdata.end }
  },
  write: (text) => [encode(text), ''],
})

/** So many octets, with a text that may have blanks if it is the last one. */
export const wireFixed = (octets: number, decode: Decode, write: WireField['write']): WireField => ({
  read(rdata) {
    const field = bufferOf(rdata)
    const text = field.length < octets ? undefined : decode(field.subarray(0, octets))
    return text === undefined ? undefined : { text, next: rdata.rdataAt + octets }
  },
  write,
})

const number = (octets: 1 | 2): WireField =>
  wireFixed(
    octets,
    (field) => String(field.readUIntBE(0, octets)),
    word((text) => {
      const field = Buffer.alloc(octets)
      field.writeUIntBE(Number(text), 0, octets)
      return field
    }),
  )
export const [wireOctet, wireUint16] = [number(1), number(2)]

export const wireAddress = (octets: 4 | 16): WireField =>
  wireFixed(
    octets,
    addressOfBytes,
    word((text) => bytesOf(text as Address)),
  )
export const wireHex = wireRest(
  (field) => field.toString('hex').toUpperCase(),
  (text) => Buffer.from(text, 'hex'),
)

/** RFC 1035 §3.3: a name, which may be compressed only where it is read. */
export const wireName: WireField = {
  read({ message, rdataAt, end }) {
    const read = readName(message.subarray(0, end), rdataAt)
    return read === undefined ? undefined : { text: `${read.name}.`, next: read.end }
  },
  write: word((text) => encodeName(text.replace(/\.$/, ''))),
}

/** RFC 1035 §3.3: an octet with the length, and the text. */
const lengthBefore = (octets: Uint8Array): Buffer => Buffer.concat([Buffer.from([octets.length]), octets])
const firstOf = (text: string): Uint8Array => stringsOf(text)?.[0] ?? new Uint8Array()

/** One character-string, quoted. */
export const wireString: WireField = {
  read(rdata) {
    const field = bufferOf(rdata)
    const length = 1 + (field[0] ?? Infinity)
    return length > field.length
      ? undefined
      : { text: quoted(field.subarray(1, length)), next: rdata.rdataAt + length }
  },
  write(text) {
    const [own = ''] = /^"(?:[^"\\]|\\.)*"/.exec(text) ?? []
    return [lengthBefore(firstOf(own)), text.slice(own.length + 1)]
  },
}

/** As many of them as there are, at least one. */
export const wireStrings: WireField = {
  read(rdata) {
    const texts: string[] = []
    for (let at = rdata.rdataAt; at < rdata.end; ) {
      const read = wireString.read({ ...rdata, rdataAt: at })
      if (read === undefined) return undefined
      texts.push(read.text)
      at = read.next
    }
    return texts.length === 0 ? undefined : { text: texts.join(' '), next: rdata.end }
  },
  write: (text) => [Buffer.concat((stringsOf(text) ?? []).map(lengthBefore)), ''],
}

/** A quoted text of any length, to the end. */
export const wireText = wireRest(quoted, firstOf)

/** RFC 8659 §4.1: a length, and letters and digits. */
export const wireTag: WireField = {
  read(rdata) {
    const read = wireString.read(rdata)
    const text = read?.text.slice(1, -1) ?? ''
    return read !== undefined && /^[a-z0-9]+$/i.test(text) ? { ...read, text } : undefined
  },
  write: word((text) => lengthBefore(Buffer.from(text))),
}

/** The octets of a canonical value. */
export function composed(fields: readonly WireField[], value: string): Uint8Array {
  const parts: Uint8Array[] = []
  let text = value
  for (const field of fields) {
    const [octets, rest] = field.write(text)
    parts.push(octets)
    text = rest
  }
  return parts[0] !== undefined && parts.length === 1 ? parts[0] : Buffer.concat(parts)
}

/** The inverse; undefined if the RDATA is malformed. */
export function readWith(fields: readonly WireField[], rdata: WireRdata): string | undefined {
  const texts: string[] = []
  let at = rdata.rdataAt
  for (const field of fields) {
    const read = field.read({ ...rdata, rdataAt: at })
    if (read === undefined || read.next > rdata.end) return undefined
    texts.push(read.text)
    at = read.next
  }
  return at === rdata.end ? texts.filter((text) => text !== '').join(' ') : undefined
}
