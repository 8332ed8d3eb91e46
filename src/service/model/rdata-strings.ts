import { err, ok, type Result } from '../../shared/base/result.ts'
import { parseTarget } from './dns-name.ts'
import type { ErrorName } from './errors.ts'

/** A fault of a value, with the error that its type has for it. */
export interface InvalidValue {
  readonly refused: Extract<
    ErrorName,
    'rdataMalformed' | 'cnameInvalid' | 'nsInvalid' | 'ptrInvalid' | 'aliasInvalid' | 'urlRedirectMalformed'
  >
  readonly detail: string
}

/** Parses a value into its canonical form, in which it is stored, compared and shown. */
export type RdataParser = (value: string) => Result<string, InvalidValue>

/** The same, of a value that is hexadecimal digits behind some numbers. */
export type HexParser = RdataParser & { readonly form: 'hex' }

export interface RdataType {
  /** Whether a DDNS key may change it. */
  readonly isTarget: boolean
  readonly parse: RdataParser | HexParser
}

/** One part of a value in canonical form, or what is wrong with it and what would be right. */
export type Field = Result<string, string>

export const malformed = (refused: InvalidValue['refused'], detail: string): Result<never, InvalidValue> =>
  err({ refused, detail })

/** The beginning of a value. The half of a surrogate pair is replaced: a response is UTF-8. */
export const excerpt = (value: string): string =>
  `'${value.slice(0, 60).replace(/\p{Surrogate}/gu, '\ufffd')}'`

/** The same for octets as characters of ISO 8859-1, which are UTF-8 where a person has typed them. */
export const excerptOfOctets = (octets: string): string =>
  excerpt(Buffer.from(octets, 'latin1').toString('utf8'))

/** For a value that has another number of fields than `form`, such as "PREFERENCE HOST". */
export const notOfForm = (value: string, form: string): Result<never, InvalidValue> =>
  malformed('rdataMalformed', `${excerpt(value)} is not "${form}"`)

/**
 * In octets. A message has 65,535 (RFC 1035 §4.2.2), and besides one record it contains a header, a question and, in a zone
 * transfer, a signature.
 */
const MAX_RDATA_BYTES = 60_000

/** The value of a record whose Rdata has `octets` on the wire. */
export const withinRecord = (octets: number, value: string): Result<string, InvalidValue> =>
  octets > MAX_RDATA_BYTES
    ? malformed('rdataMalformed', `the record has ${octets} octets; at most ${MAX_RDATA_BYTES} are allowed`)
    : ok(value)

/** The fields with one blank between them, or the first fault. */
export function joinFields(fields: readonly Field[]): Result<string, InvalidValue> {
  for (const field of fields) if (!field.ok) return malformed('rdataMalformed', field.error)
  return ok(fields.map((field) => (field.ok ? field.value : '')).join(' '))
}

/** Refuses characters that UTF-8 does not have: they would be stored as U+FFFD. U+0000 ends a text in many clients. */
export const withText =
  (parse: RdataParser): RdataParser =>
  (value) => {
    const parsed = parse(value)
    if (!parsed.ok) return parsed
    if (value.includes('\0'))
      return malformed('rdataMalformed', 'the value contains U+0000; write the octet 0 as \\000')
    return /\p{Surrogate}/u.test(value)
      ? malformed('rdataMalformed', 'the value contains half of a surrogate pair, which is not a character')
      : parsed
  }

/** Fields are separated by blanks and tabs (RFC 1035 §5.1). */
export const fieldsIn = (value: string): readonly string[] =>
  value.split(/[ \t]+/).filter((field) => field !== '')

export interface NumberField {
  readonly name: string
  readonly min?: number
  readonly max: number
  /** In capitals; compared without case. */
  readonly mnemonics?: Readonly<Record<string, number>>
}

/** A whole number in decimal, or its mnemonic; in canonical form without leading zeros. */
export function numberField({ name, min = 0, max, mnemonics = {} }: NumberField, text = ''): Field {
  const upper = text.toUpperCase()
  if (Object.hasOwn(mnemonics, upper)) return ok(String(mnemonics[upper]))
  return /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max
    ? ok(String(Number(text)))
    : err(`the ${name} ${excerpt(text)} is not a whole number from ${min} to ${max}`)
}

/** A length in octets that a registry requires, and of what. */
export type RequiredLength = readonly [of: string, octets: number]

/** Hexadecimal digits in capitals, without white space. */
export function hexField(name: string, text: string, required?: RequiredLength): Field {
  if (text === '' || text.length % 2 !== 0 || !/^[\da-f]+$/i.test(text))
    return err(`the ${name} ${excerpt(text)} is not a sequence of pairs of hexadecimal digits`)
  const octets = text.length / 2
  return required !== undefined && octets !== required[1]
    ? err(`the ${name} has ${octets} octets; ${required[0]} has ${required[1]}`)
    : ok(text.toUpperCase())
}

/** A domain name, absolute, with the trailing dot; "." is the root. */
export function nameField(name: string, text: string): Field {
  if (text === '.') return ok('.')
  const parsed = parseTarget(text)
  return parsed === undefined
    ? err(`the ${name} ${excerpt(text)} is neither a domain name nor "."`)
    : ok(`${parsed}.`)
}

/** Of a character-string, in octets (RFC 1035 §3.3). */
export const MAX_STRING_BYTES = 255

/** RFC 1035 §3.3.14: strings of at most 255 octets. Text without quotes is split into strings. */
export function parseTxt(value: string): Result<string, InvalidValue> {
  const isQuoted = value.trimStart().startsWith('"')
  const strings = isQuoted ? stringsOf(value.trim()) : chunked(Buffer.from(value, 'utf8'))
  if (strings === undefined || strings.length === 0)
    return malformed('rdataMalformed', `${excerpt(value)} is neither text nor quoted strings`)
  if (strings.some((one) => one.length > MAX_STRING_BYTES))
    return malformed('rdataMalformed', 'a string is longer than 255 octets; split it')
  const total = strings.reduce((sum, one) => sum + one.length + 1, 0)
  return withinRecord(total, strings.map(quoted).join(' '))
}

/** RFC 8659 §4.1.1: the tag has letters and digits, compared without case; the value is any quoted text. */
export function parseCaa(value: string): Result<string, InvalidValue> {
  const [, flags, tag = '', rest = ''] = /^(\d{1,3})[ \t]+([a-z0-9]{1,255})[ \t]+(.*)$/is.exec(value) ?? []
  const [text = new Uint8Array(), ...others] = stringsOf(rest) ?? []
  if (rest === '' || others.length > 0 || stringsOf(rest) === undefined)
    return notOfForm(value, 'FLAGS TAG "VALUE"')
  const flag = numberField({ name: 'flags', max: 255 }, flags)
  return flag.ok
    ? withinRecord(2 + tag.length + text.length, `${flag.value} ${tag.toLowerCase()} ${quoted(text)}`)
    : malformed('rdataMalformed', flag.error)
}

const chunked = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.max(1, Math.ceil(bytes.length / MAX_STRING_BYTES)) }, (_, at) =>
    bytes.subarray(at * MAX_STRING_BYTES, (at + 1) * MAX_STRING_BYTES),
  )

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
