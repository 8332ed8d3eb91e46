import { describe, expect, it } from 'vitest'
import { withoutSecrets } from '../../../../src/client/agent/send/secrets.ts'
import { Secret } from '../../../../src/shared/base/secret.ts'
import { cpuOf } from '../../../lab/cpu.ts'

/** With characters that each encoding changes in another way. */
const PASSWORD = `cAn4ry/+ swörd&<'">=%25~`
const credentials = { username: 'abc1234', password: new Secret(PASSWORD) }
const pair = Buffer.from(`abc1234:${PASSWORD}`)
const percent = encodeURIComponent(PASSWORD)
const form = new URLSearchParams({ p: PASSWORD }).toString().slice(2)
const lowEscapes = (text: string): string => text.replaceAll(/%../g, (escape) => escape.toLowerCase())
const json = JSON.stringify(PASSWORD).slice(1, -1)
const split = (text: string, gap: string): string => `${text.slice(0, 7)}${gap}${text.slice(7)}`
const html = PASSWORD.replaceAll('&', '&amp;')
  .replaceAll('<', '&lt;')
  .replaceAll('>', '&gt;')
  .replaceAll('"', '&quot;')
const base64 = Buffer.from(PASSWORD).toString('base64')

describe('the password is masked in this encoding:', () => {
  it.each([
    ['as it is', PASSWORD],
    ['percent encoding', percent],
    ['percent encoding, lower case', lowEscapes(percent)],
    ['percent encoding, twice', encodeURIComponent(percent)],
    ['strict percent encoding', percent.replaceAll("'", '%27')],
    ['percent encoding without the slash', percent.replaceAll("'", '%27').replaceAll('%2F', '/')],
    ['form encoding', form],
    ['form encoding, lower case', lowEscapes(form)],
    ['JSON', json],
    ['JSON in ASCII', json.replaceAll('ö', '\\u00f6')],
    ['JSON as PHP writes it', json.replaceAll('ö', '\\u00F6').replaceAll('/', '\\/')],
    ['HTML', html],
    ['HTML with &#39;', html.replaceAll("'", '&#39;')],
    ['HTML with &#039;', html.replaceAll("'", '&#039;')],
    ['HTML with &#x27;', html.replaceAll("'", '&#x27;')],
    ['HTML with &apos;', html.replaceAll("'", '&apos;')],
    ['HTML by numbers', Array.from(PASSWORD, (sign) => `&#${sign.codePointAt(0)};`).join('')],
    ['base64', base64],
    ['base64url', Buffer.from(PASSWORD).toString('base64url')],
    ['base64 on two lines', split(base64, '\r\n')],
    ['base64 of the pair', pair.toString('base64')],
    ['base64url of the pair', pair.toString('base64url')],
    ['base64 of the pair on two lines', split(pair.toString('base64'), '\n ')],
    ['hex', Buffer.from(PASSWORD).toString('hex')],
    ['hex, upper case', Buffer.from(PASSWORD).toString('hex').toUpperCase()],
    ['with a line break', split(PASSWORD, '\n')],
    ['with a NUL', split(PASSWORD, '\0')],
    ['with a space of no width', split(PASSWORD, '\u200b')],
    ['with a byte order mark', split(PASSWORD, '\ufeff')],
    ['with a gap between all characters', Array.from(PASSWORD).join(' \u200d')],
  ])('%s', (_, spelled) => {
    const shown = withoutSecrets(`you sent ${spelled} and ${spelled}.`, credentials)

    expect(shown.replace(/=*( and|\.)/g, '$1')).toBe('you sent «secret» and «secret».')
  })
})

it.each([
  ['nothing here', 'nothing here'],
  ['İİİ cAn4ry İ', 'İİİ cAn4ry İ'],
  [`İ${PASSWORD}İ`, 'İ«secret»İ'],
])('text without a secret stays unchanged: %j', (text, shown) =>
  expect(withoutSecrets(text, credentials)).toBe(shown),
)

it('a short password is masked in its plain and percent-encoded forms only, its Basic pair in all', () => {
  const short = { username: 'abc1234', password: new Secret('a/b') }

  expect(withoutSecrets('A/B a / b 612f62: a/b a%2Fb YWJjMTIzNDph\r\nL2I=', short)).toBe(
    'A/B a / b 612f62: «secret» «secret» «secret»=',
  )
})

it('an empty password masks nothing', () =>
  expect(withoutSecrets('text', { username: '', password: new Secret('') })).toBe('text'))

it('a repetitive text does not make masking slow', () => {
  const repeating = { username: 'a', password: new Secret(`${'a '.repeat(500)}b`) }

  expect(cpuOf(() => void withoutSecrets('a \0'.repeat(22_000), repeating))).toBeLessThan(2000)
})

describe('of a long secret', () => {
  const token = 'a1b2c3d4-e5f6-7890-abcd-ef0123456789'
  const login = { username: 'none', password: new Secret(token) }
  it.each([
    ['the beginning', token.slice(0, 20)],
    ['the end', token.slice(-20)],
    ['the middle', token.slice(8, 27)],
    ['the beginning, where the text ends', token.slice(0, 5)],
    ['Base64 of a header', Buffer.from(`Bearer ${token}`).toString('base64')],
    ['Base64 of a longer text', Buffer.from(`x=${token}&y=1`).toString('base64')],
  ])('%s is masked', (_, part) => {
    const shown = withoutSecrets(`you sent ${part}`, login)
    expect(shown).toMatch(/^you sent .{0,16}«secret»/)
    for (let at = 0; at + 12 <= token.length; at++) expect(shown).not.toContain(token.slice(at, at + 12))
  })
  it('nothing else is', () =>
    expect(withoutSecrets('the token a1b2 is bad', login)).toBe('the token a1b2 is bad'))
})
