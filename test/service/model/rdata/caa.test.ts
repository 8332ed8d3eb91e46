import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

const NUL = 'the value contains U+0000; write the octet 0 as \\000'
const SURROGATE = 'the value contains half of a surrogate pair, which is not a character'
describe('CAA is stored with its tag in lower case', () =>
  accepts('CAA', [
    ['0 issue "ca.test; a=b"', '0 issue "ca.test; a=b"'],
    ['128 IODEF "mailto:a@b.test"', '128 iodef "mailto:a@b.test"'],
    ['0  issue\t""', '0 issue ""'],
  ]))

describe('CAA is refused that', () => {
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
