import type { Result } from '../../../shared/base/result.ts'
import { excerpt, type InvalidValue, malformed, withinRecord, withText } from './parse.ts'
import { MAX_STRING_BYTES, quoted, stringsOf } from './strings.ts'
import { wireStrings } from './wire.ts'

/** RFC 1035 §3.3.14: strings of at most 255 octets. Text without quotes is split into strings. */
function parseTxt(value: string): Result<string, InvalidValue> {
  const isQuoted = value.trimStart().startsWith('"')
  const strings = isQuoted ? stringsOf(value.trim()) : chunked(Buffer.from(value, 'utf8'))
  if (strings === undefined || strings.length === 0)
    return malformed('rdataMalformed', `${excerpt(value)} is neither text nor quoted strings`)
  if (strings.some((one) => one.length > MAX_STRING_BYTES))
    return malformed('rdataMalformed', 'a string is longer than 255 octets; split it')
  const total = strings.reduce((sum, one) => sum + one.length + 1, 0)
  return withinRecord(total, strings.map(quoted).join(' '))
}

const chunked = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.max(1, Math.ceil(bytes.length / MAX_STRING_BYTES)) }, (_, at) =>
    bytes.subarray(at * MAX_STRING_BYTES, (at + 1) * MAX_STRING_BYTES),
  )

export const txtRdata = { isTarget: false, parse: withText(parseTxt), wire: [wireStrings] } as const
