import type { Result } from '../../../shared/base/result.ts'
import { type InvalidValue, malformed, notOfForm, numberField, withinRecord, withText } from './parse.ts'
import { quoted, stringsOf } from './strings.ts'
import { wireOctet, wireTag, wireText } from './wire.ts'

/** RFC 8659 §4.1.1: the tag has letters and digits, compared without case; the value is any quoted text. */
function parseCaa(value: string): Result<string, InvalidValue> {
  const [, flags, tag = '', rest = ''] = /^(\d{1,3})[ \t]+([a-z0-9]{1,255})[ \t]+(.*)$/is.exec(value) ?? []
  const [text = new Uint8Array(), ...others] = stringsOf(rest) ?? []
  if (rest === '' || others.length > 0 || stringsOf(rest) === undefined)
    return notOfForm(value, 'FLAGS TAG "VALUE"')
  const flag = numberField({ name: 'flags', max: 255 }, flags)
  return flag.ok
    ? withinRecord(2 + tag.length + text.length, `${flag.value} ${tag.toLowerCase()} ${quoted(text)}`)
    : malformed('rdataMalformed', flag.error)
}

export const caaRdata = {
  isTarget: false,
  parse: withText(parseCaa),
  wire: [wireOctet, wireTag, wireText],
} as const
