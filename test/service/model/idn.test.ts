import { expect, it } from 'vitest'
import { asciiName } from '../../../src/service/model/dns-name.ts'

// Node 22 accepts some labels against RFC 5893 that later versions do not, such as an Arabic digit alone.
// biome-ignore format: a table
it.each<[name: string, ascii: string, why: string]>([
  ['www.example',        'www.example',                  'ASCII stays as it is'],
  ['WWW._x-.a b',        'WWW._x-.a b',                  'also with faults, which are reported elsewhere'],
  ['münchen',            'xn--mnchen-3ya',               'a U-label'],
  ['MÜNCHEN',            'xn--mnchen-3ya',               'in capitals'],
  ['mu\u0308nchen',      'xn--mnchen-3ya',               'decomposed'],
  ['_acme.münchen.x',    '_acme.xn--mnchen-3ya.x',       'each label by itself'],
  ['*.münchen',          '*.xn--mnchen-3ya',             'beneath a wildcard'],
  ['faß',                'xn--fa-hia',                   'not transitional: IDNA 2008'],
  ['\u05d0a',            '\u05d0a',                      'a Hebrew and a Latin letter (RFC 5893 §2)'],
  ['\u0300a',            '\u0300a',                      'a combining mark at the beginning (RFC 5891 §4.2.3.2)'],
  ['a\uff0fb',           'a\uff0fb',                     'a wide slash, which maps to one'],
  ['a\uff20b',           'a\uff20b',                     'a wide @'],
  ['\uff11\uff12\uff17', '127',                          'wide digits, which are no IPv4 address'],
  ['a\u3002b',           'a\u3002b',                     'an ideographic full stop would be a label more'],
  ['mün chen',           'mün chen',                     'no form in ASCII: the label stays and is refused'],
  ['mün/chen',           'mün/chen',                     'a path is no name'],
  ['mün@chen',           'mün@chen',                     'a user is no name'],
  ['mün:1',              'mün:1',                        'a port is no name'],
  ['ü.'.repeat(501),     'ü.'.repeat(501),               'longer than a name: it is not mapped label by label'],
  ['\ud800',             '\ud800',                       'half of a character'],
])('%s in ASCII: %s (%s)', (name, ascii) => expect(asciiName(name)).toBe(ascii))
