import { describe, expect, it } from 'vitest'
import { DIALECTS, type DialectName, dialectOf, type ReplyDialect } from '../../src/protocol/dialect.ts'
import { readResponse } from '../../src/protocol/response.ts'

const read = (name: DialectName | undefined, status: number, body: string, count = 1) => {
  const replies = readResponse({ status, body }, count, dialectOf(name))
  return replies.ok ? replies.value.map(({ word }) => word) : 'not understood'
}

// biome-ignore format: a table
const REPLIES: readonly (readonly [DialectName, number, string, number, readonly string[]])[] = [
  ['desec',      200, 'good',                                     3, ['good', 'good', 'good']],
  ['desec',      404, 'nohost',                                   1, ['nohost']],
  ['desec',      404, '',                                         2, ['nohost', 'nohost']],
  ['desec',      400, 'The name was not given.',                  1, ['!donator']],
  ['desec',      401, '',                                         1, ['badauth']],
  ['do',         400, 'numhost',                                  1, ['nohost']],
  ['opendns',    200, '!yours',                                   1, ['911']],
  ['spdyn',      200, 'fatal',                                    1, ['nohost']],
  ['selfhost',   204, '',                                         1, ['nochg']],
  ['selfhost',   401, '',                                         1, ['badauth']],
  ['selfhost',   409, '',                                         1, ['nohost']],
  ['selfhost',   410, '',                                         1, ['badauth']],
  ['selfhost',   411, '',                                         1, ['911']],
  ['selfhost',   412, '',                                         1, ['911']],
  ['ydns',       400, 'no such host parameter',                   1, ['!donator']],
  ['duiadns',    200, 'error',                                    1, ['911']],
  ['easydns',    200, '<html><b>NOERROR</b></html>',              1, ['good']],
  ['easydns',    200, '<FONT COLOR="#000000">OK<br />\n</FONT>',  1, ['good']],
  ['easydns',    200, 'NOACCESS',                                 1, ['badauth']],
  ['easydns',    200, 'NO_AUTH',                                  1, ['badauth']],
  ['easydns',    200, 'NOSERVICE',                                1, ['nohost']],
  ['easydns',    200, 'ILLEGAL INPUT',                            1, ['!donator']],
  ['easydns',    200, '<b>TOOSOON</b>',                           1, ['911']],
  ['easydns',    200, 'TOO_FREQ',                                 1, ['911']],
  ['ydns',       200, 'ok',                                       1, ['good']],
  ['ydns',       404, 'no such record',                           1, ['nohost']],
  ['changeip',   200, 'Successful update',                        1, ['good']],
  ['domeneshop', 204, '',                                         1, ['good']],
  ['domeneshop', 404, '{"code":"domain:not-found"}',              1, ['nohost']],
  ['easydns',    200, '<html><body>Sorry<br>NOACCESS<br>Ask us.</body></html>', 1, ['badauth']],
]

/** As a word of its own: "error" is not in "noerror". */
const isIn = (body: string, word: string): boolean =>
  new RegExp(`(?<![a-z0-9])${word}(?![a-z0-9])`).test(body)

it.each(Object.entries<ReplyDialect>(DIALECTS))(
  'each word and status of %s has a reply',
  (name, { words = {}, statuses = {}, hasMarkup = false }) => {
    const own = REPLIES.filter(([service]) => service === name)
    const lacking = [
      ...Object.keys(words).filter((word) => !own.some(([, , body]) => isIn(body.toLowerCase(), word))),
      ...Object.keys(statuses).filter((status) => !own.some(([, sent]) => sent === Number(status))),
      ...(hasMarkup && !own.some(([, , body]) => body.includes('<')) ? ['a reply with markup'] : []),
    ]
    expect(lacking).toEqual([])
  },
)

describe('a reply of another service', () => {
  it.each(REPLIES)('of %s: HTTP %i %j for %i hostnames is %j', (name, status, body, count, words) =>
    expect(read(name, status, body, count)).toEqual(words),
  )

  // biome-ignore format: a table
  it.each<[DialectName | undefined, number, string, number]>([
    [undefined,    200, 'good',                        2],
    [undefined,    200, 'ok',                          1],
    [undefined,    200, '<b>NOERROR</b>',              1],
    [undefined,    204, '',                            1],
    [undefined,    200, 'Successful',                  1],
    ['desec',      200, 'good\ngood',                  3],
    ['domeneshop', 200, '',                            1],
    ['easydns',    200, '<html>It is OK to go</html>', 1],
    ['changeip',   500, 'Successful',                  1],
    ['selfhost',   302, '',                            1],
    ['desec',      404, 'good',                        1],
    ['easydns',    200, 'constructor',                 1],
    [undefined,    200, '<html>NOACCESS</html>',       1],
    [undefined,    200, 'see<br>abuse',                1],
    [undefined,    200, 'good 192.0.2.1\ngood 2001:db8::1', 3],
  ])('with the replies of %s is not understood: HTTP %i %j', (name, status, body, count) =>
    expect(read(name, status, body, count)).toBe('not understood'))
})

it.each([undefined, 'no-ip', 'constructor'])('the replies of %s are those of the specification', (name) =>
  expect(dialectOf(name)).toEqual({}),
)

describe('the form of a reply of another service', () => {
  const replyOf = (name: DialectName, status: number, body: string) => {
    const replies = readResponse({ status, body }, 1, dialectOf(name))
    return replies.ok ? replies.value[0] : undefined
  }

  it('has no address where the word carries none', () => {
    expect(replyOf('easydns', 200, 'NOERROR')).toEqual({ word: 'good', addresses: [] })
    expect(replyOf('domeneshop', 204, '')).toEqual({ word: 'good', addresses: [] })
  })

  it('has what the service wrote', () => {
    expect(replyOf('easydns', 200, 'NOACCESS')).toEqual({ word: 'badauth', said: 'noaccess' })
    expect(replyOf('domeneshop', 404, '')).toEqual({ word: 'nohost', said: 'HTTP 404' })
  })
})

describe('a line for each family of one hostname', () => {
  // biome-ignore format: a table
  it.each<[string, readonly string[] | string]>([
    ['good 192.0.2.1\nnochg 2001:db8::1',                  ['good']],
    ['nochg 192.0.2.1\ngood 2001:db8::1',                  ['good']],
    ['nochg 192.0.2.1\nnochg 2001:db8::1',                 ['nochg']],
    ['good 192.0.2.1\ngood 192.0.2.2',                     'not understood'],
    ['good 192.0.2.1\ngood',                               'not understood'],
    ['good 192.0.2.1,2001:db8::1\ngood\ngood',            'not understood'],
    ['good 192.0.2.1\ngood 2001:db8::1\ngood',            'not understood'],
    ['good 192.0.2.1\nWAT',                                'not understood'],
    ['good 192.0.2.1\nnochg 2001:db8::1\ngood 192.0.2.1',  'not understood'],
    ['good 192.0.2.1\nbadauth',                            ['badauth']],
    ['good 192.0.2.1,192.0.2.2\nnochg 2001:db8::1',        'not understood'],
    ['good 192.0.2.1,2001:db8::1\nnochg',                  'not understood'],
    ['good 192.0.2.1\ngood 2001:db8::1\nnohost',           ['nohost']],
  ])('%j is %j', (body, words) => expect(read(undefined, 200, body)).toEqual(words))

  it('names both addresses', () => {
    const replies = readResponse({ status: 200, body: 'good 192.0.2.1\nnochg 2001:db8::1' }, 1)
    expect(replies).toEqual({ ok: true, value: [{ word: 'good', addresses: ['192.0.2.1', '2001:db8::1'] }] })
  })

  it('is not taken for two hostnames', () =>
    expect(read(undefined, 200, 'good 192.0.2.1\ngood 2001:db8::1', 2)).toEqual(['good', 'good']))
})

describe('words of the family', () => {
  // biome-ignore format: a table
  it.each([
    ['servererror', '911'], ['toomanyrequests', '911'], ['TOOSOON', '911'], ['badrequest', '!donator'],
    ['badauth2', 'badauth'], ['unauth', 'badauth'], ['blocked', 'badagent'], ['notdyn', 'nohost'],
    ['notfound', 'nohost'], ['noipv6', 'nohost'], ['911 ddns down', '911'], ['badauth Bad login', 'badauth'],
  ])('%s is handled like %s', (line, word) => expect(read(undefined, 200, line)).toEqual([word]))
})
