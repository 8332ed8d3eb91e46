import { err, ok, type Result } from '../../../shared/base/result.ts'
import { parseTarget } from '../dns-name.ts'
import type { ErrorName } from '../errors.ts'

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

/** A number of 16 bits in decimal. */
export const shortNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined

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
