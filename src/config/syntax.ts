/** A key and what follows its equals sign, without a comment. */
const ASSIGNMENT = /^\s*([\w."'-]+)\s*=\s*(.*?)\s*(?:#.*)?$/
const SWITCH_WORDS: ReadonlySet<string> = new Set(['yes', 'no', 'on', 'off', 'true', 'false'])

/** A mistake in TOML in the words of its writer, where the parser's own would not help. */
export function explainToml(line: string, message: string): string {
  const [, key = '', value = ''] = ASSIGNMENT.exec(line) ?? []
  const subject = key || (line.trim().startsWith('[') ? brief(line.trim()) : 'a text')
  if (/multiple times|duplicate/i.test(message)) return `${subject} is given twice; keep one`
  const [, open] = /^Unterminated (string|table-key|array|inline table)/.exec(message) ?? []
  if (open !== undefined) return `${subject} has no closing ${CLOSING[open] ?? 'quote'}`
  if (key === '') return withoutEquals(line, message)
  if (/escape sequence/.test(message))
    return `a backslash in double quotes begins an escape; write ${key} in 'single quotes', or each backslash twice`
  if (SWITCH_WORDS.has(value.toLowerCase())) return `${key} is written true or false, without quotes`
  if (/^[^\s"'[\]{}#,]/.test(value) && !/["']/.test(value))
    return `write it in quotes: ${key} = ${quoted(key, value)}`
  if (/Unspecified value/.test(message))
    return value.startsWith('[') ? `${key} has no closing bracket ]` : `${key} has no value`
  const items = /^\[(.*)\]$/
    .exec(value)?.[1]
    ?.split(',')
    .map((item) => item.trim())
  if (items?.some((item) => /^[^\s"'[\]{}0-9][^\s"'[\]{}]*$/.test(item)) === true)
    return `write each in quotes: ${key} = [${items.map((item) => quoted(key, item)).join(', ')}]`
  return /comma/.test(message) ? `a comma is missing in ${key}` : `not TOML: ${message}`
}

const brief = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** By what the parser says is not terminated. */
const CLOSING: Readonly<Record<string, string>> = {
  'table-key': 'bracket ]',
  array: 'bracket ]',
  'inline table': 'brace }',
}

/** "key: value", as YAML and the files of other clients have it. */
function withoutEquals(line: string, message: string): string {
  const [, key, value = ''] = /^\s*([a-z_]+)\s*(?::|\s)\s*([^\s=]+)\s*$/.exec(line) ?? []
  return key === undefined
    ? `not TOML: ${message}`
    : `write it with an equals sign: ${key} = ${quoted(key, value)}`
}

/** A secret is not repeated: complaints end up in logs. */
function quoted(key: string, value: string): string {
  if (/pass|pw|token|secret|key/i.test(key)) return '"…"'
  if (/^(".*"|'.*'|\d+|true|false)$/.test(value)) return value
  return `"${value.replace(/\/\/[^/]*@/, '//«secret»@')}"`
}

// biome-ignore format: a table
const JSON_FAULTS: Readonly<Record<string, string>> = {
  InvalidNumberFormat:    'a number is written wrong',
  PropertyNameExpected:   'a name in quotes is missing',
  ValueExpected:          'a value is missing',
  ColonExpected:          'a colon is missing',
  CommaExpected:          'a comma is missing',
  CloseBraceExpected:     'a closing brace } is missing',
  CloseBracketExpected:   'a closing bracket ] is missing',
  EndOfFileExpected:      'something follows the end of the object',
  UnexpectedEndOfComment: 'a comment has no end',
  UnexpectedEndOfString:  'a text has no closing quote',
  UnexpectedEndOfNumber:  'a number has no end',
  InvalidUnicode:         'a \\u escape is written wrong',
  InvalidEscapeCharacter: 'an escape in a text is unknown',
  InvalidCharacter:       'a control character stands in a text',
}

/** A mistake in JSON, by the name that jsonc-parser has for it; `found` is what stands there. */
export const explainJson = (code: string, found: string): string =>
  code === 'InvalidSymbol'
    ? `not JSON: ${found} is neither a number, true, false nor a text in quotes`
    : `not JSON: ${JSON_FAULTS[code] ?? 'it cannot be read here'}`
