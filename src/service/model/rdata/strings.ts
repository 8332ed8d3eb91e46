/** Of a character-string, in octets (RFC 1035 §3.3). */
export const MAX_STRING_BYTES = 255

/** Parses quoted strings (RFC 1035 §5.1): \X is X, \DDD is an octet. Undefined for any other text. */
export function stringsOf(text: string): readonly Uint8Array[] | undefined {
  const strings: Uint8Array[] = []
  const pattern = /"((?:[^"\\]|\\\d{3}|\\\D)*)"|([^\s"\\]+)/suy
  let at = 0
  while (at < text.length) {
    pattern.lastIndex = at
    const [whole, inside, bare] = pattern.exec(text) ?? []
    if (whole === undefined) return undefined
    const octets = octetsOf(inside ?? bare ?? '')
    if (octets === undefined) return undefined
    strings.push(octets)
    at += whole.length
    const gap = /^\s*/.exec(text.slice(at))?.[0].length ?? 0
    if (gap === 0 && at < text.length) return undefined
    at += gap
  }
  return strings
}

export function octetsOf(text: string): Uint8Array | undefined {
  if (!text.includes('\\')) return Uint8Array.from(Buffer.from(text, 'utf8'))
  const octets: number[] = []
  for (const [part] of text.matchAll(/\\\d{3}|\\.|[^\\]/gsu)) {
    const isDecimal = /^\\\d{3}$/.test(part)
    if (isDecimal && Number(part.slice(1)) > 255) return undefined
    if (isDecimal) octets.push(Number(part.slice(1)))
    else octets.push(...Buffer.from(part.startsWith('\\') ? part.slice(1) : part, 'utf8'))
  }
  return Uint8Array.from(octets)
}

/** Octets outside printable ASCII as \DDD, so that each value has one text. */
export function quoted(octets: Uint8Array): string {
  const text = [...octets].map((octet) => {
    if (octet === 0x22 || octet === 0x5c) return `\\${String.fromCodePoint(octet)}`
    return octet < 0x20 || octet > 0x7e ? `\\${String(octet).padStart(3, '0')}` : String.fromCodePoint(octet)
  })
  return `"${text.join('')}"`
}
