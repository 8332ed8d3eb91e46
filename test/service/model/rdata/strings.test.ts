import { describe, expect, it } from 'vitest'
import { RDATA_TYPES } from '../../../../src/service/model/rdata/types.ts'
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
  refuses('CAA', [
    ['0 issue "\0"', NUL],
    ['0 issue "\ud800"', SURROGATE],
    ['256 issue "a"', "the flags '256' is not a whole number from 0 to 255"],
    ['x0 issue "a"', `'x0 issue "a"' is not "FLAGS TAG "VALUE""`],
    ['0 issue', `'0 issue' is not "FLAGS TAG "VALUE""`],
    ['0 issue "a" "b"', `'0 issue "a" "b"' is not "FLAGS TAG "VALUE""`],
    [`0 issue "${'x'.repeat(59_994)}"`, 'the record has 60001 octets; at most 60000 are allowed'],
  ])
})

it.each(['http://a.test/\ud800', 'http://a.test/\0'])('the redirect %j is refused', (url) =>
  expect(RDATA_TYPES['_URL'].parse(url)).toMatchObject({
    ok: false,
    error: { refused: 'urlRedirectMalformed' },
  }),
)
