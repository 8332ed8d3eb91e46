import { expect, it } from 'vitest'
import { Secret } from '../../../../src/shared/base/secret.ts'
import { readTypedSecret, secretProblem } from '../../../../src/client/services/providers/secret-shape.ts'

const KEY = '0123456789abcdef0123456789abcdef01234'

// biome-ignore format: a table
it.each([
  ['cloudflare',   KEY,                             /^is a global API key; make an API token/],
  ['cloudflare',   ` ${KEY} `,                      /^is a global API key/],
  ['cloudflare',   'Bearer abcdefghij',             /^begins with a word of the request, Bearer; write the API token alone$/],
  ['cloudflare',   'Authorization: Bearer abc',     /Authorization: Bearer; write the API token alone$/],
  ['cloudflare',   'abc def',                       /^has a blank, which no API token has$/],
  ['digitalocean', 'bearer abc',                    /bearer/],
  ['hetzner',      'token: abc',                    /token:/],
  ['gandi',        'abc\tdef',                      /blank/],
  ['duckdns',      'a 1',                           /blank, which no token has/],
  ['simply',       'a 1',                           /API key/],
])('a secret of %s is not %j', (provider, text, problem) => {
  expect(secretProblem(new Secret(text), provider)).toMatch(problem)
  expect(secretProblem(new Secret(text), provider)).not.toContain('abc')
})

// biome-ignore format: a table
it.each([
  ['cloudflare', 'abcdefghijklmnopqrstuvwxyz_0123456789-AB'],
  ['cloudflare', 'token'],
  ['duckdns',    '0c1d2e3f-0000-4000-8000-000000000000'],
  ['strato',     'a password with blanks'],
  ['strato',     'Bearer of bad news'],
  [undefined,    'Bearer abc'],
  ['nobody',     'Bearer abc'],
])('a secret of %s may be %j', (provider, text) => expect(secretProblem(new Secret(text), provider)).toBeUndefined())

// biome-ignore format: a table
it.each([
  ['duckdns',    'abc-1\r\n',                 'abc-1',  false],
  ['duckdns',    ' "abc-1" ',                  'abc-1',  true],
  ['cloudflare', 'Authorization: Bearer abc1', 'abc1',   true],
  ['cloudflare', '\u201cBearer abc1\u201d',    'abc1',   true],
  ['no-ip',      ' "my pass" ',                ' "my pass" ', false],
] as const)('a secret of %s that is pasted as %j is %j', (provider, text, secret, isTold) => {
  const read = readTypedSecret(new Secret(text), provider)
  expect(read.ok && [read.value.secret.reveal(), read.value.notes.length > 0]).toEqual([secret, isTold])
})

it.each(['', '\n', '" "'])('a token that is pasted as %j is refused', (text) =>
  expect(readTypedSecret(new Secret(text), 'duckdns').ok).toBe(false),
)
