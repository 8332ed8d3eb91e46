import { describe, expect, it } from 'vitest'
import {
  DIALECTS,
  type DialectName,
  dialectOf,
  ownReplies,
  type ReplyDialect,
} from '../../../src/shared/protocol/dialect.ts'
import { readResponse } from '../../../src/shared/protocol/response.ts'

const read = (name: DialectName | undefined, status: number, body: string, count = 1) => {
  const replies = readResponse({ status, body }, count, dialectOf(name))
  return replies.ok ? replies.value.map(({ word }) => word) : 'not understood'
}

const EASY = '<HTML><BODY><FONT FACE="sans-serif" SIZE="-1">'
const easy = (word: string, remark: string) =>
  `${EASY}${word}<br />\n<hr noshade size="1">\n${remark}<br />\n</FONT></BODY></HTML>`

/** Verbatim, as the source shows the reply. `match`: no source does, and the client that is named looks for the text. */
// biome-ignore format: a table
const REPLIES: readonly (readonly [DialectName, number, string, number, readonly string[], string])[] = [
  ['desec',      200, 'good',                                     3, ['good', 'good', 'good'], 'inadyn#422, 2023-04'],
  ['desec',      404, 'nohost',                                   1, ['nohost'],   'desec-stack#132, 2019-02'],
  ['desec',      404, '',                                         2, ['nohost', 'nohost'], 'desec-stack docs, update-api.rst'],
  ['desec',      400, 'Request tries to update subdomains from more than one domain.', 1, ['!donator'], 'desec-stack views/dyndns.py'],
  ['desec',      401, '',                                         1, ['badauth'],  'desec-stack#132, 2019-02'],
  ['do',         400, 'numhost',                                  1, ['nohost'],   'do.de, wiki FlexDNS - Entwickler'],
  ['opendns',    200, '!yours',                                   1, ['911'],      'support.opendns.com, 227986527'],
  ['opendns',    200, 'abuse',                                    1, ['911'],      'support.opendns.com, 227986527'],
  ['opendns',    200, 'good 192.0.2.1',                           1, ['good'],     'ddclient#483, 2022-12'],
  ['he',         200, 'interval',                                 1, ['911'],      'lego#1415, 2021-05'],
  ['selfhost',   204, '',                                         1, ['nochg'],    'selfhost.de, API Update Schnittstelle'],
  ['selfhost',   401, '',                                         1, ['badauth'],  'selfhost.de, API Update Schnittstelle'],
  ['selfhost',   409, '',                                         1, ['nohost'],   'selfhost.de, API Update Schnittstelle'],
  ['selfhost',   410, '',                                         1, ['badauth'],  'selfhost.de, API Update Schnittstelle'],
  ['selfhost',   411, '',                                         1, ['911'],      'selfhost.de, API Update Schnittstelle'],
  ['selfhost',   412, '',                                         1, ['911'],      'selfhost.de, API Update Schnittstelle'],
  ['selfhost',   200, 'nochg 62.165.69.229',                      1, ['nochg'],    'ddns-updater#120, 2020-12'],
  ['ydns',       200, 'ok',                                       1, ['good'],     'match: ydns bash-updater, updater.sh'],
  ['ydns',       200, 'good',                                     1, ['good'],     'DietPi#7260, 2024-10'],
  ['ydns',       400, 'Missing host parameter',                   1, ['!donator'], 'ydns.io, api v1'],
  ['ydns',       404, 'host not found',                           1, ['nohost'],   'ydns.io, api v1'],
  ['easydns',    200, easy('OK', 'test.example.com updated to 24.114.104.44'), 1, ['good'], 'dynip, dynip_test.go'],
  ['easydns',    200, easy('OK', 'no update required for xxx.yyy to x.y.z.zz'), 1, ['nochg'], 'ddclient#582, 2023-10'],
  ['easydns',    200, easy('OK', 'no update required for landlord.harry-fine.ca to 209.227.168.183'), 1, ['nochg'], 'ddclient#848, 2025-11'],
  ['easydns',    200, `${EASY}OK<br /></FONT></BODY></HTML>`,     1, ['good'],     'opnsense#10004, 2026-03'],
  ['easydns',    200, easy('TOO_FREQ', 'Increase your time between updates for test.example.com to 600 seconds or more.'), 1, ['911'], 'dynip, dynip_test.go'],
  ['easydns',    200, easy('NO_AUTH', 'Failed login attempt logged: user dlauder77, host test.example.com, from 24.114.82.202'), 1, ['badauth'], 'dynip, dynip_test.go'],
  ['easydns',    200, easy('NO_SERVICE', 'An invalid hostname was provided: example.com'), 1, ['nohost'], 'dyndnsd#14, 2017-07'],
  ['easydns',    200, 'NOERROR',                                  1, ['good'],     'match: ddclient, nic_easydns_update'],
  ['changeip',   200, '200 Successful Update',                    1, ['good'],     'changeip_com.sh, 2014-04'],
  ['changeip',   200, '402: Premium DNS required, you need to purchase Premium DNS service to update this domain.', 1, ['!donator'], 'changeip.com, knowledgebase 47'],
  ['changeip',   200, '422: The hostname supplied is incorrect.', 1, ['nohost'],   'changeip.com, knowledgebase 47'],
  ['changeip',   402, '',                                         1, ['!donator'], 'changeip.com, knowledgebase 47'],
  ['changeip',   422, '',                                         1, ['nohost'],   'IPFire ddns, providers.py'],
  ['freedns',    200, 'Updated home.example.test from 192.0.2.1 to 192.0.2.2', 1, ['good'], 'match: pfSense, dyndns.class'],
  ['freedns',    200, 'No IP change detected for test-domain.com with IP 1.2.3.4, skipping update', 1, ['nochg'], 'match: pfSense, dyndns.class'],
  ['freedns',    200, 'ERROR: Address 1.2.3.4 has not changed.',  1, ['nochg'],    'match: IPFire ddns, providers.py'],
  ['freedns',    200, 'ERROR: Unable to locate this record (changed password recently? deleted and re-created this dns entry?) (double check username/password are correct)', 1, ['nohost'], 'openwrt packages#2445, 2016-03'],
  ['infomaniak', 200, 'successfully_changed 109.202.196.157',     1, ['good'],     'ddns-updater#604, 2024-01'],
  ['infomaniak', 200, 'no_change 109.202.196.157',                1, ['nochg'],    'ddns-updater#604, 2024-01'],
  ['infomaniak', 400, 'badauth',                                  1, ['badauth'],  'ddns-updater, infomaniak provider.go'],
  ['gigahost',   200, 'badagent',                                 1, ['!donator'], 'gigahost.no, API documentation'],
  ['domeneshop', 204, '',                                         1, ['good'],     'api.domeneshop.no, docs v0'],
  ['domeneshop', 404, '{"code":"domain:not-found"}',              1, ['nohost'],   'opnsense plugins#3585, 2023-10'],
]

const ownRows = (name: string) => REPLIES.filter(([service]) => service === name)
const isMatch = ([, , , , , source]: (typeof REPLIES)[number]): boolean => source.startsWith('match: ')

it.each(Object.entries<ReplyDialect>(DIALECTS))(
  'each reply of %s is tested with one that a source shows, or is marked as without a dump',
  (name, { words = {}, noDump = [], texts = [], statuses = {} }) => {
    const dumps = ownRows(name).filter((row) => !isMatch(row))
    const matches = ownRows(name).filter(isMatch)
    const bodies = (rows: typeof REPLIES) =>
      rows.map(([, , body]) =>
        body
          .replaceAll(/<[^<>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )
    const isIn = (rows: typeof REPLIES, text: RegExp) => bodies(rows).some((body) => text.test(body))
    const wordIn = (word: string) => new RegExp(`^${word}( |$)`)
    expect({
      words: Object.keys(words).filter(
        (word) => !isIn(noDump.includes(word) ? matches : dumps, wordIn(word)),
      ),
      texts: texts.filter(({ text, hasNoDump }) => !isIn(hasNoDump === true ? matches : dumps, text)),
      refusals: texts.filter(
        ({ like, hasNoDump }) => hasNoDump === true && like !== 'good' && like !== 'nochg',
      ),
      statuses: Object.keys(statuses).filter((status) => !dumps.some(([, sent]) => sent === Number(status))),
    }).toEqual({ words: [], texts: [], refusals: [], statuses: [] })
  },
)

describe('a reply of another service', () => {
  it.each(REPLIES)('of %s: HTTP %i %j for %i hostnames is %j: %s', (name, status, body, count, words) =>
    expect(read(name, status, body, count)).toEqual(words),
  )

  // biome-ignore format: a table
  it.each<[DialectName | undefined, number, string, number]>([
    [undefined,    200, 'good',                        2],
    [undefined,    200, 'ok',                          1],
    [undefined,    200, '<b>NOERROR</b>',              1],
    [undefined,    200, '200 Successful Update',       1],
    [undefined,    200, easy('OK', 'x updated to 192.0.2.1'), 1],
    ['easydns',    500, easy('OK', 'x updated to 192.0.2.1'), 1],
    ['easydns',    302, easy('OK', 'x updated to 192.0.2.1'), 1],
    ['easydns',    200, '<html>OK, sign in to go on</html>', 1],
    ['easydns',    200, 'NOACCESS',                    1],
    ['freedns',    200, '<html>Not updated</html>',    1],
    ['freedns',    200, '<html>Updated terms</html>',  1],
    ['freedns',    200, '<html><br>abuse</html>',      1],
    ['changeip',   200, '<html>Successful</html>',     1],
    ['changeip',   200, '<html><br>badauth</html>',    1],
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

  it('has a word between two tags', () =>
    expect(replyOf('easydns', 200, '<b>TOO_FREQ</b>Increase')).toEqual({ word: '911', said: 'too_freq' }))

  it('is no page, where the service does not answer with one', () => {
    const page = (text: string) => `<!doctype html><html><body>${text}</body></html>`
    expect(replyOf('freedns', 200, 'home.example has not changed.')).toMatchObject({ word: 'nochg' })
    expect(replyOf('freedns', 200, page('Our portal has not changed.'))).toBeUndefined()
  })

  it('that forbids wins over success beside it', () => {
    const body = easy('OK', 'NO_SERVICE for x, updated to 192.0.2.1')
    expect(replyOf('easydns', 200, body)).toEqual({ word: 'nohost', said: 'no_service' })
  })

  it('has what the service wrote', () => {
    expect(replyOf('easydns', 200, easy('NO_AUTH', 'x'))).toEqual({ word: 'badauth', said: 'no_auth' })
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

it('shows a reply as people would write it', () =>
  expect(Object.values(DIALECTS).flatMap((one) => ownReplies(one).map(({ reply }) => reply))).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/[\\^$|?*()[\]]/)]),
  ))
it('shows what an optional part is without', () =>
  expect(ownReplies(DIALECTS.changeip)).toContainEqual({ reply: 'successful', like: 'good', hasDump: true }))
it('says of which replies no page and no user shows any', () =>
  expect(ownReplies(DIALECTS.easydns).map(({ reply, hasDump }) => [reply, hasDump])).toEqual([
    ['no_auth', true],
    ['no_service', true],
    ['too_freq', true],
    ['ok … no update required', true],
    ['ok', true],
    ['no_error', false],
  ]))
it('shows what may stand between two words', () =>
  expect(ownReplies(DIALECTS.easydns)).toContainEqual({
    reply: 'ok … no update required',
    like: 'nochg',
    hasDump: true,
  }))
