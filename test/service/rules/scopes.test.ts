import { expect, it } from 'vitest'
import {
  parseScope,
  restrictionsOf,
  SCOPE_FORMS,
  widerScopes,
} from '../../../src/service/rules/permission.ts'

it.each<[text: string, scope: string | undefined]>([
  ['read', 'read'],
  ['zone:Example.TEST.', 'zone:example.test'],
  ['name:_acme-challenge.WWW.example.test', 'name:_acme-challenge.www.example.test'],
  ['zone:münchen.test', 'zone:xn--mnchen-3ya.test'],
  ['type:txt', 'type:TXT'],
  ['type:_url', 'type:_URL'],
  ['write', undefined],
  ['Read', undefined],
  ['read:', undefined],
  ['zone:', undefined],
  ['zone:a b', undefined],
  ['zone:_x.test', undefined],
  ['name:*.example.test', undefined],
  ['type:FOO', undefined],
  ['constructor:x', undefined],
  ['zone:a.test:1', undefined],
  ['zone', undefined],
  ['type:A:', undefined],
  ['', undefined],
])('the scope %s: %s', (text, scope) => expect(parseScope(text)).toBe(scope))

it.each<[scopes: readonly string[], restrictions: object]>([
  [[], { isReadOnly: false }],
  [['read'], { isReadOnly: true }],
  [['zone:a.test', 'zone:b.test'], { isReadOnly: false, zones: ['a.test', 'b.test'] }],
  [['read', 'name:a.test', 'type:TXT'], { isReadOnly: true, names: ['a.test'], types: ['TXT'] }],
  [['zone:a.test', 'read'], { isReadOnly: true, zones: ['a.test'] }],
  [
    ['name:A.test', 'type:a', 'name:b.test'],
    { isReadOnly: false, names: ['a.test', 'b.test'], types: ['A'] },
  ],
  [['later'], { isReadOnly: true, zones: [] }],
  [['later:x', 'type:A'], { isReadOnly: true, zones: [] }],
  [['zone:a.test', 'later:x'], { isReadOnly: true, zones: [] }],
])('the scopes %j leave %j', (scopes, restrictions) => expect(restrictionsOf(scopes)).toEqual(restrictions))

it('the forms of scopes are told', () => expect(SCOPE_FORMS).toBe('read, zone:NAME, name:FQDN, type:TYPE'))

// biome-ignore format: a table
it.each<[present: string, next: string, uncovered: string, missing: string]>([
  ['',                          'read zone:a.test',                        '',                  ''],
  ['read',                      'read',                                    '',                  ''],
  ['read',                      'read type:A',                             '',                  ''],
  ['read',                      '',                                        '',                  'read'],
  ['read',                      'type:A',                                  '',                  'read'],
  ['zone:a.test zone:b.test',   'zone:b.test',                             '',                  ''],
  ['zone:a.test',               'zone:a.test zone:b.test',                 'zone:b.test',       ''],
  ['zone:a.test',               'zone:x.a.test',                           'zone:x.a.test',     ''],
  ['zone:a.test',               'name:x.a.test',                           '',                  'zone'],
  ['name:a.test',               'name:x.a.test name:a.test',               '',                  ''],
  ['name:x.a.test',             'name:a.test',                             'name:a.test',       ''],
  ['name:a.test',               'name:xa.test',                            'name:xa.test',      ''],
  ['name:a.test',               'zone:a.test',                             '',                  'name'],
  ['type:TXT',                  'type:TXT type:A',                         'type:A',            ''],
  ['type:TXT read',             'type:A',                                  'type:A',            'read'],
  ['later:x',                   'read',                                    '',                  'later'],
])('of "%s", "%s" is wider by "%s", and without "%s"', (present, next, uncovered, missing) => {
  const listed = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '')
  expect(widerScopes(listed(present), listed(next))).toEqual({
    uncovered: listed(uncovered),
    missing: listed(missing),
  })
})
