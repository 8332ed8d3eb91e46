import {
  excerptOfOctets,
  joinFields,
  malformed,
  notOfForm,
  numberField,
  type RdataParser,
  withText,
  withinRecord,
} from './parse.ts'
import { quoted, stringsOf } from './strings.ts'
import { wireText, wireUint16 } from './wire.ts'

/** RFC 3986 §2: the characters of a URI after its scheme; all others are percent-encoded. */
const URI = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9a-f]{2})*$/i

/** RFC 7553 §4.4: the target is a quoted URI of any length. */
const parseUri: RdataParser = (value) => {
  const [, priority, weight, rest = ''] = /^(\S+)[ \t]+(\S+)[ \t]+(.*)$/s.exec(value.trim()) ?? []
  const [target = new Uint8Array(), ...others] = stringsOf(rest) ?? []
  if (rest === '' || stringsOf(rest) === undefined || others.length > 0)
    return notOfForm(value, 'PRIORITY WEIGHT "TARGET"')
  const text = Buffer.from(target).toString('latin1')
  const numbers = joinFields([
    numberField({ name: 'priority', max: 65_535 }, priority),
    numberField({ name: 'weight', max: 65_535 }, weight),
  ])
  if (!numbers.ok) return numbers
  return URI.test(text)
    ? withinRecord(4 + target.length, `${numbers.value} ${quoted(target)}`)
    : malformed(
        'rdataMalformed',
        `the target ${excerptOfOctets(text)} is not a URI, such as "https://www.example.com/"`,
      )
}

export const uriRdata = {
  isTarget: false,
  parse: withText(parseUri),
  wire: [wireUint16, wireUint16, wireText],
} as const
