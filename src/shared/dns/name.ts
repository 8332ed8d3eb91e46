/** Names as text have no trailing dot; the root is empty. In messages they are labels with their lengths (RFC 1035 §3.1). */

/** In octets (RFC 1035 §2.3.4). */
const MAX_NAME = 255
const MAX_LABEL = 63
/** The two bits that mark a pointer (RFC 1035 §4.1.4). */
const POINTER = 0xc0
/** As many as a name may have labels: a chain of more costs time, and leads nowhere that fewer do not. */
const MAX_POINTERS = 127

/** The wire form of a name, without compression; \\DDD is one octet. */
export function encodeName(name: string): Buffer {
  if (name === '') return Buffer.from([0])
  if (name.includes('\\')) return encodeEscaped(name)
  const wire = Buffer.alloc(name.length + 2)
  let lengthAt = 0
  for (let at = 0; at <= name.length; at++) {
    const isEnd = at === name.length || name[at] === '.'
    if (!isEnd) wire[at + 1] = name.charCodeAt(at)
    else {
      wire[lengthAt] = at - lengthAt
      lengthAt = at + 1
    }
  }
  return wire
}

/** Of names that a peer sent. */
function encodeEscaped(name: string): Buffer {
  const labels = name.split('.').map((label) => {
    const octets = label.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number(code)))
    return Buffer.from(`${String.fromCharCode(octets.length)}${octets}`, 'latin1')
  })
  return Buffer.concat([...labels, Buffer.from([0])])
}

export interface ReadName {
  /** In lower case; octets that no stored name has, and dots within a label, are written \DDD (RFC 1035 §5.1). */
  readonly name: string
  /** The offset after the name. */
  readonly end: number
}

/**
 * Reads a name at an offset of a message; undefined if it is malformed. A pointer
 * must point backwards, so that no loop is possible.
 */
export function readName(message: Uint8Array, start: number): ReadName | undefined {
  const text: number[] = []
  let [at, end, lowest, length, pointers] = [start, 0, start, 1, 0]
  for (let size = message[at]; size !== 0; size = message[at]) {
    if (size === undefined) return undefined
    const isPointer = size >= POINTER
    const next = isPointer ? pointerAt(message, at) : at + 1 + size
    length += isPointer ? 0 : size + 1
    pointers += isPointer ? 1 : 0
    const isMalformed = isPointer
      ? next >= lowest || pointers > MAX_POINTERS
      : size > MAX_LABEL || length > MAX_NAME || next > message.length
    if (isMalformed) return undefined
    if (isPointer && end === 0) end = at + 2
    if (isPointer) lowest = next
    else addLabel(text, message, at)
    at = next
  }
  return { name: String.fromCharCode(...text), end: end === 0 ? at + 1 : end }
}

/** Infinity without its second octet. */
const pointerAt = (message: Uint8Array, at: number): number =>
  at + 1 < message.length ? (((message[at] ?? 0) & 0x3f) << 8) | (message[at + 1] ?? 0) : Infinity

const DOT = 0x2e
/** Each octet of a label as the codes of its text. */
const OCTET_CODES: readonly (readonly number[])[] = Array.from({ length: 256 }, (_, octet) => {
  const letter = String.fromCharCode(octet)
  const text = /[A-Za-z0-9_*-]/.test(letter) ? letter.toLowerCase() : `\\${String(octet).padStart(3, '0')}`
  return [...Buffer.from(text)]
})

/** Octet by octet, without objects of their own: a message of an unknown peer may have a thousand names of 127 labels. */
function addLabel(text: number[], message: Uint8Array, lengthAt: number): void {
  if (text.length > 0) text.push(DOT)
  for (let at = lengthAt + 1; at <= lengthAt + (message[lengthAt] ?? 0); at++)
    for (const code of OCTET_CODES[message[at] ?? 0] ?? []) text.push(code)
}

/** The name without its first label; undefined for the root. */
export function parentName(name: string): string | undefined {
  if (name === '') return undefined
  const dot = name.indexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1)
}

/** The name and all names above it, up to the root. */
export function nameAndAncestors(name: string): readonly string[] {
  const names = [name]
  for (let parent = parentName(name); parent !== undefined; parent = parentName(parent)) names.push(parent)
  return names
}

export const isAtOrBelow = (name: string, ancestor: string): boolean =>
  ancestor === '' || name === ancestor || name.endsWith(`.${ancestor}`)
