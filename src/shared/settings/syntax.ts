import { isSecretName } from './secret-names.ts'

/** "key = value", without the comment. */
const ASSIGNMENT = /^\s*([\w."'-]+)\s*=\s*(.*?)\s*(?:#.*)?$/
const BOOLEAN_WORDS: ReadonlySet<string> = new Set(['yes', 'no', 'on', 'off', 'true', 'false'])

/** Explains a TOML syntax error for the author of the file; `message` is that of the parser, used where no rule matches. */
export function explainToml(line: string, message: string): string {
  const [, key = '', value = ''] = ASSIGNMENT.exec(line) ?? []
  const subject = key || (line.trim().startsWith('[') ? brief(line.trim().replace(/=.*/, '')) : 'a text')
  if (/multiple times|duplicate/i.test(message)) return `${subject} is set twice; keep one`
  const [, open] = /^Unterminated (string|table-key|array|inline table)/.exec(message) ?? []
  if (open !== undefined) return `${subject} has no closing ${CLOSING[open] ?? 'quote'}`
  if (key === '') return withoutEquals(line, message)
  if (/escape sequence/.test(message))
    return `a backslash in double quotes begins an escape; write ${key} in 'single quotes', or each backslash twice`
  if (BOOLEAN_WORDS.has(value.toLowerCase()))
    return `${key} must be true or false, in lower case and without quotes`
  if (/^[^\s"'[\]{}#,]/.test(value) && !/["']/.test(value))
    return `write it in quotes: ${key} = ${withoutSecret(key, value)}`
  if (/Unspecified value/.test(message))
    return value.startsWith('[') ? `${key} has no closing bracket ]` : `${key} has no value`
  const items = /^\[(.*)\]$/
    .exec(value)?.[1]
    ?.split(',')
    .map((item) => item.trim())
  if (items?.some((item) => /^[^\s"'[\]{}0-9][^\s"'[\]{}]*$/.test(item)) === true)
    return `write each in quotes: ${key} = [${items.map((item) => withoutSecret(key, item)).join(', ')}]`
  return /comma/.test(message) ? `a comma is missing in ${key}` : `not TOML: ${message}`
}

const brief = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** By the unterminated construct that the parser names. */
const CLOSING: Readonly<Record<string, string>> = {
  'table-key': 'bracket ]',
  array: 'bracket ]',
  'inline table': 'brace }',
}

/** "key: value" or "key value", as in YAML and the files of other clients. */
function withoutEquals(line: string, message: string): string {
  const [, key, value = ''] = /^\s*([a-z_]+)\s*(?::|\s)\s*([^\s=]+)\s*$/.exec(line) ?? []
  return key === undefined
    ? `not TOML: ${message}`
    : `write it with an equals sign: ${key} = ${withoutSecret(key, value)}`
}

/** The value in quotes; what may have a secret in it is replaced, because complaints are logged. */
function withoutSecret(key: string, value: string): string {
  const isOpen = !isSecretName(key) && !/\/\/|[=?]/.test(value) && key !== 'parameters'
  if (!isOpen) return '"…"'
  return /^(".*"|'.*'|\d+|true|false)$/.test(value) ? value : `"${value}"`
}

// biome-ignore format: a table
const JSON_FAULTS: Readonly<Record<string, string>> = {
  InvalidNumberFormat:    'a number is malformed',
  PropertyNameExpected:   'a key in quotes is missing',
  ValueExpected:          'a value is missing',
  ColonExpected:          'a colon is missing',
  CommaExpected:          'a comma is missing',
  CloseBraceExpected:     'a closing brace } is missing',
  CloseBracketExpected:   'a closing bracket ] is missing',
  EndOfFileExpected:      'something follows the end of the object',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString:  'a text has no closing quote',
  UnexpectedEndOfNumber:  'a number is incomplete',
  InvalidUnicode:         'a \\u escape is malformed',
  InvalidEscapeCharacter: 'a text contains an unknown escape',
  InvalidCharacter:       'a text contains a control character',
}

/** Explains a JSON syntax error, by the error code of jsonc-parser; `token` is the text at its position. */
export const explainJson = (code: string, token: string): string =>
  code === 'InvalidSymbol'
    ? `not JSON: ${token} is not a number, true, false or a text in quotes`
    : `not JSON: ${JSON_FAULTS[code] ?? 'it cannot be parsed here'}`
