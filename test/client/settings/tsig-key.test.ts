import { expect, it } from 'vitest'
import { tsigKeyOf } from '../../../src/client/settings/protocols.ts'
import { Secret } from '../../../src/shared/base/secret.ts'

const SECRET = 'c2VjcmV0MTIzNDU2Nzg='
const bind = (name: string, algorithm = 'hmac-sha512') =>
  `key "${name}" {\n\talgorithm ${algorithm};\n\tsecret "${SECRET}";\n};\n`
const OTHER = 'key other { algorithm hmac-sha256; secret "AAAA"; };\n'

const read = (text: string, username = 'home-key') =>
  tsigKeyOf({ username, tsigAlgorithm: 'hmac-sha256' }, new Secret(text))

// biome-ignore format: a table
it.each([
  ['a secret',                     SECRET,                                                                             'hmac-sha256'],
  ['a file of tsig-keygen',        bind('home-key'),                                                                   'hmac-sha512'],
  ['in one line, without quotes',  `key home-key. { algorithm hmac-sha384.; secret ${SECRET}; };`,                     'hmac-sha384'],
  ['in another case, with CRLF',   bind('Home-Key').replaceAll('\n', '\r\n'),                                          'hmac-sha512'],
  ['the second of two',            OTHER + bind('home-key'),                                                           'hmac-sha512'],
  ['with comments',                `# the secret key for home dns\n// secret "BBBB";\n/* key x { secret "C"; } */\n${bind('home-key')}`, 'hmac-sha512'],
  ['a file of Knot',               `key:\n  - id: home-key\n    algorithm: hmac-sha512\n    secret: ${SECRET}\n`,      'hmac-sha512'],
  ['with quotes',                  `key:\n  - id: 'home-key'\n    secret: "${SECRET}"\n`,                              'hmac-sha256'],
  ['in one line of YAML',          `key: [{id: home-key, algorithm: hmac-sha512, secret: ${SECRET}}]`,                 'hmac-sha512'],
])('%s is read', (_, text, algorithm) => {
  const key = read(text)
  expect(key).toMatchObject({ ok: true, value: { name: 'home-key', algorithm } })
  expect(key.ok && key.value.secret.reveal()).toBe(SECRET)
})

// biome-ignore format: a table
it.each([
  ['another key',        OTHER,                           'home-key',       /has the key other, and username is home-key/],
  ['no Base64',          'not base64!',                   'home-key',       /neither a TSIG secret in Base64/],
  ['an old algorithm',   bind('home-key', 'hmac-md5'),    'home-key',       /hmac-md5 is not one of/],
  ['no name of a key',   SECRET,                          'a..b',           /not the name of a TSIG key/],
  ['a long label',       SECRET,                          'x'.repeat(70),   /not the name of a TSIG key/],
  ['a root',             SECRET,                          '.',              /not the name of a TSIG key/],
])('%s is refused, and no secret is shown', (_, text, username, said) => {
  const key = read(text, username)
  expect(key).toMatchObject({ ok: false, error: expect.stringMatching(said) as string })
  expect(JSON.stringify(key)).not.toContain(SECRET)
})
