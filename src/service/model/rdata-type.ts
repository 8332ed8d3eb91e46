import { err, ok, type Result } from '../../shared/base/result.ts'
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

export interface RdataType {
  /** Whether a DDNS key may change it. */
  readonly isTarget: boolean
  /** How the canonical value becomes octets: a text has about as many as characters, hexadecimal digits half as many. */
  readonly form: 'text' | 'hex'
  readonly parse: RdataParser
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
