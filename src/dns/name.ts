/** Names as text have no trailing dot; the root is empty. In messages they are labels with their lengths (RFC 1035 §3.1). */

/** In octets (RFC 1035 §2.3.4). */
const MAX_NAME = 255
const MAX_LABEL = 63
/** The two bits that mark a pointer (RFC 1035 §4.1.4). */
const POINTER = 0xc0

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
  const labels: string[] = []
  let [at, end, lowest, length] = [start, 0, start, 1]
  for (let size = message[at]; size !== 0; size = message[at]) {
    if (size === undefined) return undefined
    const isPointer = size >= POINTER
    const next = isPointer ? pointerAt(message, at) : at + 1 + size
    length += isPointer ? 0 : size + 1
    const isMalformed = isPointer
      ? next >= lowest
      : size > MAX_LABEL || length > MAX_NAME || next > message.length
    if (isMalformed) return undefined
    if (isPointer && end === 0) end = at + 2
    if (isPointer) lowest = next
    else labels.push(textOfLabel(message.subarray(at + 1, next)))
    at = next
  }
  return { name: labels.join('.'), end: end === 0 ? at + 1 : end }
}

/** Infinity without its second octet. */
const pointerAt = (message: Uint8Array, at: number): number =>
  at + 1 < message.length ? (((message[at] ?? 0) & 0x3f) << 8) | (message[at + 1] ?? 0) : Infinity

const textOfLabel = (label: Uint8Array): string => {
  const text = Buffer.from(label.buffer, label.byteOffset, label.length).toString('latin1')
  if (/^[a-z0-9_*-]+$/.test(text)) return text
  return text
    .replace(/[^A-Za-z0-9_*-]/g, (octet) => `\\${String(octet.charCodeAt(0)).padStart(3, '0')}`)
    .toLowerCase()
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
