import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

const long = 'x'.repeat(255)

describe('NAPTR has one form', () =>
  accepts('NAPTR', [
    // RFC 3403 §6.1 and §6.2.
    [
      '100 10 "" "" "!^urn:cid:.+@([^\\\\.]+\\\\.)(.*)$!\\\\2!i" .',
      '100 10 "" "" "!^urn:cid:.+@([^\\\\.]+\\\\.)(.*)$!\\\\2!i" .',
    ],
    [
      '100 50 "a" "z3950+N2L+N2C" "" cidserver.example.com.',
      '100 50 "a" "z3950+N2L+N2C" "" cidserver.example.com.',
    ],
    ['00100 50 "U" "E2U+sip" "!^.*$!sip:a@b!" .', '100 50 "u" "E2U+sip" "!^.*$!sip:a@b!" .'],
    ['0 65535 s SIP+D2U "" _SIP._UDP.Example.com', '0 65535 "s" "SIP+D2U" "" _sip._udp.example.com.'],
    [`1\t1 "\\083" "${long}" "" .`, `1 1 "s" "${long}" "" .`],
    ['1 1 "" "\\233\\034" "" .', '1 1 "" "\\233\\"" "" .'],
    [
      '1 1 "" "" "/a\\\\/b[]\\\\/x:-](c|d){2,}[[:alpha:]-]\\\\1+/\\\\/\\\\1/" .',
      '1 1 "" "" "/a\\\\/b[]\\\\/x:-](c|d){2,}[[:alpha:]-]\\\\1+/\\\\/\\\\1/" .',
    ],
    [' 1 1 "" "" "![^-A][]a-a][b-][[:digit:]-]!!" . ', '1 1 "" "" "![^-A][]a-a][b-][[:digit:]-]!!" .'],
    ['1 1 "" "" "!(^a)$|b*!!" .', '1 1 "" "" "!(^a)$|b*!!" .'],
  ]))

const FORM = '"ORDER PREFERENCE "FLAGS" "SERVICES" "REGEXP" REPLACEMENT"'
const form = (value: string): readonly [string, string] => [value, `'${value}' is not ${FORM}`]
/** In a NAPTR record; a backslash is written twice. */
const regexp = (text: string, fault: string): readonly [string, string] => [
  `1 1 "" "" "${text.replaceAll('\\', '\\\\')}" .`,
  `the regexp '${text}' ${fault}`,
]
const NO_ERE = 'contains no valid POSIX extended regular expression'

describe('NAPTR is refused', () =>
  refuses('NAPTR', [
    form('1 1 "" "" ""'),
    form('1 1 "" "" "" a.test. b'),
    form('1 1 "" "" "" "a.test."'),
    form('1 1 "" "" "'),
    form('1 1 "\\300" "" "" .'),
    ['65536 1 "" "" "" .', "the order '65536' is not a whole number from 0 to 65535"],
    ['1 x "" "" "" .', "the preference 'x' is not a whole number from 0 to 65535"],
    ['1 1 "s-" "" "" .', "the flags 's-' are not letters and digits"],
    [`1 1 "" "${long}x" "" .`, 'the services is 256 octets long; at most 255 are allowed'],
    [`1 1 "" "" "${long}x" .`, 'the regexp is 256 octets long; at most 255 are allowed'],
    ['1 1 "" "" "" a..b', `the replacement 'a..b' is neither a domain name nor "."`],
    ['1 1 "" "" "!a!b!" c.test.', 'with a regexp the replacement is "." (RFC 3403 §4.1)'],
    ['1 1 "" "a\0" "" .', 'the value contains U+0000; write the octet 0 as \\000'],
    ['1 1 "" "a\ud800" "" .', 'the value contains half of a surrogate pair, which is not a character'],
    ...['1a1b1', 'iaibi', '\\a\\b\\'].map((text) =>
      regexp(text, 'has a digit, "\\", "i" or the octet 0 as its delimiter'),
    ),
    ...['!a!b', '!a!b!i!', '!a!\\!', '!a'].map((text) =>
      regexp(text, 'is not "!EXPRESSION!REPLACEMENT!FLAGS"'),
    ),
    regexp('!a!b!g', 'has flags other than "i"'),
    regexp('!a!b!ii', 'has flags other than "i"'),
    regexp('!a!\\1!', 'refers to a group that the expression does not have; it has 0'),
    regexp('!(a)(b)!\\3!', 'refers to a group that the expression does not have; it has 2'),
    regexp('!(a)!\\0!', 'refers to a group that the expression does not have; it has 1'),
    ...[
      '',
      '(',
      ')',
      '()',
      '(a',
      '(a|b',
      'a|',
      '|a',
      '(|a)',
      '*',
      '^*',
      'a**',
      'a+?',
      'a{2}{3}',
      'a{3,1}',
      'a{256}',
      '{',
      '(?:a)',
    ].map((text) => regexp(`!${text}!!`, NO_ERE)),
    ...[
      '[a',
      '[]',
      '[^]',
      '[z-a]',
      '[a-c-e]',
      '[a-c-]',
      '[a-[:alpha:]]',
      '[[:alpha:]-z]',
      '[[:foo:]]',
      '[[.a.]]',
      '\\1(a)',
      '(a\\1)',
      'a\\0',
    ].map((text) => regexp(`!${text}!!`, NO_ERE)),
  ]))

describe('URI has one form', () =>
  accepts('URI', [
    ['10 1 "ftp://ftp1.example.com/public"', '10 1 "ftp://ftp1.example.com/public"'],
    ['010\t1  ftp://ftp1.example.com/public ', '10 1 "ftp://ftp1.example.com/public"'],
    ['0 65535 "\\104ttp://a/?b=%20#c"', '0 65535 "http://a/?b=%20#c"'],
    [`1 1 "a:${'b'.repeat(59_994)}"`, `1 1 "a:${'b'.repeat(59_994)}"`],
  ]))

const target = (text: string): string =>
  `the target '${text}' is not a URI, such as "https://www.example.com/"`
describe('URI is refused', () =>
  refuses('URI', [
    ['1 1', `'1 1' is not "PRIORITY WEIGHT "TARGET""`],
    ['1 1 "a:b" "c:d"', `'1 1 "a:b" "c:d"' is not "PRIORITY WEIGHT "TARGET""`],
    ['1 1 "a:b', `'1 1 "a:b' is not "PRIORITY WEIGHT "TARGET""`],
    ['65536 1 "a:b"', "the priority '65536' is not a whole number from 0 to 65535"],
    ['1 -1 "a:b"', "the weight '-1' is not a whole number from 0 to 65535"],
    ['1 1 ""', target('')],
    ['1 1 "www.example.com"', target('www.example.com')],
    ['1 1 "http://a b/"', target('http://a b/')],
    ['1 1 "http://a/%2"', target('http://a/%2')],
    ['1 1 "http://a/é"', target('http://a/é')],
    [`1 1 "a:${'b'.repeat(59_995)}"`, 'the record has 60001 octets; at most 60000 are allowed'],
  ]))
