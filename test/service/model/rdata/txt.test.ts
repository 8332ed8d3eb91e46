import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

const NUL = 'the value contains U+0000; write the octet 0 as \\000'
const SURROGATE = 'the value contains half of a surrogate pair, which is not a character'
/** Octets on the wire: 235 strings of 255, and one of the rest, each with an octet for its length. */
const txt = (octets: number): string => 'x'.repeat(octets - 235)
const strings = (text: string): string => `"${(text.match(/.{1,255}/g) ?? []).join('" "')}"`

describe('TXT keeps every character', () =>
  accepts('TXT', [
    ['hé', '"h\\195\\169"'],
    ['😀', '"\\240\\159\\152\\128"'],
    ['"\\000"', '"\\000"'],
    [' "a" \t"b" ', '"a" "b"'],
    ['\ufffd', '"\\239\\191\\189"'],
    [txt(60_000), strings(txt(60_000))],
  ]))

describe('text is refused that', () => {
  refuses('TXT', [
    ['a\0b', NUL],
    ['"a\0"', NUL],
    ['a\ud83d', SURROGATE],
    ['"\ude00\ud83d"', SURROGATE],
    ['"\\\ud800"', SURROGATE],
    [`"${'x'.repeat(256)}"`, 'a string is longer than 255 octets; split it'],
    ['"a" b"', `'"a" b"' is neither text nor quoted strings`],
    [`"${'😀'.repeat(40)}`, `'"${'😀'.repeat(29)}\ufffd' is neither text nor quoted strings`],
    [txt(60_001), 'the record has 60001 octets; at most 60000 are allowed'],
  ])
})
