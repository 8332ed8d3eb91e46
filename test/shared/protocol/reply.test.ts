import { describe, expect, it } from 'vitest'
import { minutes } from '../../../src/shared/base/time.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { remedyForAnswer } from '../../../src/shared/protocol/answer-remedy.ts'
import {
  actionOf,
  LIFTS,
  LOCAL_WORDS,
  meaningOfWord,
  PLAIN_NOUNS,
  remedyFor,
  REPLY_WORDS,
  type ReplyWord,
  severityOf,
} from '../../../src/shared/protocol/reply.ts'
import { saidText, waitText } from '../../../src/shared/protocol/said-text.ts'
import { formatReply, isOldRefusal, parseReply } from '../../../src/shared/protocol/reply-codec.ts'

const [LOOPBACK, HOME] = ['127.0.0.1', '198.51.100.7'] as Address[] as [Address, Address]

it('each word requires what the specification says', () => {
  const stop = (liftedBy: string, scope: string) => ({ kind: 'stop', liftedBy, scope })
  expect(Object.fromEntries(REPLY_WORDS.map((word) => [word, actionOf(word)]))).toEqual({
    good: { kind: 'settled' },
    nochg: { kind: 'settled' },
    nohost: stop('hostname', 'hostname'),
    badauth: stop('credentials', 'account'),
    badagent: stop('user-agent', 'account'),
    '!donator': stop('settings', 'feature'),
    abuse: stop('resume', 'account'),
    '911': { kind: 'wait', atLeast: minutes(30) },
  })
})

it('the words that forbid have an order without ties, and words of success no severity', () => {
  const words: readonly ReplyWord[] = ['911', 'nohost', '!donator', 'badauth', 'badagent', 'abuse']
  const severities = words.map(severityOf)
  expect(severities).toEqual([...new Set(severities)].toSorted((a, b) => a - b))
  expect([severityOf('good'), severityOf('nochg')]).toEqual([0, 0])
})

describe('a reply line', () => {
  it('has no blank after a word without addresses', () =>
    expect(formatReply({ word: 'nochg', addresses: [] })).toBe('nochg'))

  it.each([
    [' \tgood', []],
    ['good 198.51.100.7, 198.51.100.8 , 198.51.100.9', ['198.51.100.7', '198.51.100.8', '198.51.100.9']],
    ['good 198.51.100.7, dead', ['198.51.100.7']],
  ])('%j is read with the addresses %j', (line, addresses) =>
    expect(parseReply(line)).toEqual({ ok: true, value: { word: 'good', addresses } }),
  )

  it.each([
    ['refuses an address that was sent', 'good', LOOPBACK, { v4: HOME }, true],
    ['refuses nothing where none was sent', 'good', LOOPBACK, {}, false],
    ['confirms a loopback address that was sent', 'good', LOOPBACK, { v4: LOOPBACK }, false],
    ['confirms the address that was sent', 'good', HOME, { v4: HOME }, false],
    ['refuses nothing with another word', 'nochg', LOOPBACK, { v4: HOME }, false],
  ] as const)('%s: %s %s', (_, word, address, sent, isRefusal) =>
    expect(isOldRefusal({ word, addresses: [address] }, sent)).toBe(isRefusal),
  )
})

describe('a remedy', () => {
  it.each([
    ['nohost', /spelling of the hostname/],
    ['abuse', /support/],
  ])('for %s', (word, text) => expect(remedyFor(word)).toMatch(text))
  it.each(Object.entries(LOCAL_WORDS))('of %s is its own, and so is the meaning', (word, { like }) => {
    const [meaning, remedy] = [meaningOfWord(like, word), remedyFor(like, word)]
    expect([meaning, remedy]).not.toContain(undefined)
    expect(meaning).not.toBe(meaningOfWord(like))
    expect(remedy).not.toBe(remedyFor(like))
  })
  it('at a service has its nouns, and no word of this protocol where it has another one', () => {
    const nouns = { service: 'Cloudflare', secret: 'API token', hasUsername: false, speaksWords: false }
    expect([meaningOfWord('badauth', undefined, nouns), remedyFor('badauth', undefined, nouns)]).toEqual([
      'Cloudflare refuses the API token',
      'correct the API token; then run holdfast resume',
    ])
    const all = [
      ...REPLY_WORDS.map((word) => [word] as const),
      ...Object.entries(LOCAL_WORDS).map(([said, { like }]) => [like, said] as const),
    ]
    for (const one of [nouns, { ...nouns, hasUsername: true }, PLAIN_NOUNS])
      for (const [word, said] of all) {
        const text = `${meaningOfWord(word, said, one)} ${remedyFor(word, said, one)}`
        expect(text).not.toMatch(/[{}]/)
        if (one !== PLAIN_NOUNS) expect(text).not.toMatch(/DDNS key|username and password/)
      }
    expect(saidText({ because: 'badauth', quote: '"This API Token is expired" (1000)' }, nouns)).toBe(
      'Cloudflare refuses the API token: "This API Token is expired" (1000)',
    )
    expect(waitText('911', '"later"', nouns)).toBe('Cloudflare has a fault: "later"')
    expect(waitText('911', 'dnserr', PLAIN_NOUNS)).toBe(
      'the service answered dnserr, which is handled like 911 (fatal error at the service)',
    )
  })
  it.each(['good', '911', 'constructor', ''])('there is none for %j', (word) =>
    expect(remedyFor(word)).toBeUndefined(),
  )

  it.each([
    ['an empty answer (HTTP 429)', /more requests than it allows/],
    ['a web page (HTTP 404): "Not found"', /address of an update service; then run/],
    ['an empty answer (HTTP 405)', /address of an update service; then run/],
    ['an empty answer (HTTP 410)', /address of an update service; then run/],
    ['text that is no reply word (HTTP 200): "dnserr"', /in quotes above/],
    ['an empty answer (HTTP 200)', /server and its port/],
  ])('for %s', (detail, text) => expect(remedyForAnswer(detail)).toMatch(text))
})

it('each lift names the fingerprint of the settings that must change', () =>
  expect(
    Object.fromEntries(Object.entries(LIFTS).map(([lift, { fingerprint }]) => [lift, fingerprint])),
  ).toEqual({
    credentials: 'credentials',
    hostname: 'credentials',
    'user-agent': 'agent',
    settings: 'settings',
    resume: undefined,
  }))
