import { err, ok } from '../../../shared/base/result.ts'
import {
  excerptOfOctets,
  type Field,
  joinFields,
  malformed,
  nameField,
  notOfForm,
  numberField,
  type RdataParser,
  withText,
} from './parse.ts'
import { MAX_STRING_BYTES, quoted, stringsOf } from './strings.ts'
import { wireName, wireString, wireUint16 } from './wire.ts'
import { substitutionFault } from './naptr-substitution.ts'

const FORM = 'ORDER PREFERENCE "FLAGS" "SERVICES" "REGEXP" REPLACEMENT'

/** RFC 3403 §4.1. */
const parseNaptr: RdataParser = (value) => {
  const [, order, preference, rest = ''] = /^(\S+)[ \t]+(\S+)[ \t]+(.*)$/s.exec(value.trim()) ?? []
  const texts = (stringsOf(rest) ?? []).map((octets) => Buffer.from(octets).toString('latin1'))
  const [flags = '', services = '', regexp = '', replacement = ''] = texts
  if (texts.length !== 4 || rest.endsWith('"')) return notOfForm(value, FORM)
  if (regexp !== '' && replacement !== '.')
    return malformed('rdataMalformed', 'with a regexp the replacement is "." (RFC 3403 §4.1)')
  return joinFields([
    numberField({ name: 'order', max: 65_535 }, order),
    numberField({ name: 'preference', max: 65_535 }, preference),
    flagsField(flags),
    stringField('services', services),
    regexpField(regexp),
    nameField('replacement', replacement),
  ])
}

/** Octets as characters of ISO 8859-1. */
const stringField = (name: string, text: string): Field =>
  text.length > MAX_STRING_BYTES
    ? err(`the ${name} is ${text.length} octets long; at most ${MAX_STRING_BYTES} are allowed`)
    : ok(quoted(Buffer.from(text, 'latin1')))

/** The case of flags does not matter; the examples of the RFCs are in lower case. */
const flagsField = (text: string): Field =>
  /^[a-z0-9]*$/i.test(text)
    ? stringField('flags', text.toLowerCase())
    : err(`the flags ${excerptOfOctets(text)} are not letters and digits`)

function regexpField(text: string): Field {
  const string = stringField('regexp', text)
  const fault = text === '' || !string.ok ? undefined : substitutionFault(text)
  return fault === undefined ? string : err(`the regexp ${excerptOfOctets(text)} ${fault}`)
}

export const naptrRdata = {
  isTarget: false,
  parse: withText(parseNaptr),
  wire: [wireUint16, wireUint16, wireString, wireString, wireString, wireName],
} as const
