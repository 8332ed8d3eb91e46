/** A key and what follows its equals sign, without a comment. */
const ASSIGNMENT = /^\s*([\w."'-]+)\s*=\s*(.*?)\s*(?:#.*)?$/
const SWITCH_WORDS: ReadonlySet<string> = new Set(['yes', 'no', 'on', 'off', 'true', 'false'])

/** A mistake in TOML in the words of its writer, where the parser's own would not help. */
export function explainToml(line: string, message: string): string {
  const [, key = '', value = ''] = ASSIGNMENT.exec(line) ?? []
  if (/multiple times|duplicate/i.test(message)) return `${key || line.trim()} is given twice; keep one`
  if (/Unterminated/i.test(message)) return `${key === '' ? 'a text' : key} has no closing quote`
  if (key === '') return withoutEquals(line, message)
  if (SWITCH_WORDS.has(value.toLowerCase())) return `${key} is written true or false, without quotes`
  if (/^[^\s"'[\]{}#,]/.test(value) && !/["']/.test(value))
    return `write it in quotes: ${key} = ${quoted(key, value)}`
  return `not TOML: ${message}`
}

/** "key: value", as YAML and the files of other clients have it. */
function withoutEquals(line: string, message: string): string {
  const [, key, value = ''] = /^\s*([a-z_]+)\s*(?::|\s)\s*([^\s=]+)\s*$/.exec(line) ?? []
  return key === undefined
    ? `not TOML: ${message}`
    : `write it with an equals sign: ${key} = ${quoted(key, value)}`
}

/** A password is not repeated: complaints end up in logs. */
function quoted(key: string, value: string): string {
  if (key.includes('password')) return '"…"'
  return /^(".*"|'.*'|\d+|true|false)$/.test(value) ? value : `"${value}"`
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
