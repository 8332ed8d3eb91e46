import { formatQuery, PLAIN_FORM, type UpdateRequest } from '../../../src/shared/protocol/request.ts'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { type Address, byFamily, listed, parseAddress } from '../../../src/shared/base/address.ts'
import { specialRangeOf } from '../../../src/shared/base/special.ts'
import { isAccountWord, isAddressedWord, REPLY_WORDS } from '../../../src/shared/protocol/reply.ts'
import { readQuery } from '../../../src/shared/protocol/update-query.ts'
import { readResponse, writeResponse } from '../../../src/shared/protocol/response.ts'
import {
  classifyUserAgent,
  formatUserAgent,
  parseUserAgent,
} from '../../../src/shared/protocol/user-agent.ts'
import { formatReply, parseReply, type Reply } from '../../../src/shared/protocol/reply-codec.ts'

import fc from 'fast-check'

const address: fc.Arbitrary<Address> = fc
  .oneof(fc.ipV4(), fc.ipV6())
  .map(parseAddress)
  .filter((a) => a !== undefined)

const reply: fc.Arbitrary<Reply> = fc
  .tuple(fc.constantFrom(...REPLY_WORDS), fc.array(address, { maxLength: 2 }))
  .map(([word, addresses]) => (isAddressedWord(word) ? { word, addresses } : { word }))

const usableAddress = address.filter(
  (a) => !['multicast', 'broadcast', 'link-local', 'this-network'].includes(specialRangeOf(a) ?? ''),
)
const addresses = fc.array(usableAddress, { maxLength: 2 }).map(byFamily)
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/)
const hostname = fc.oneof(
  label,
  fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.')),
)

const request: fc.Arbitrary<UpdateRequest> = fc
  .record({
    hostnames: fc.array(hostname, { minLength: 1, maxLength: 20 }),
    addresses,
    offline: fc.constantFrom<'YES' | 'NO' | undefined>('YES', 'NO', undefined),
  })
  .map(({ offline, ...rest }) => (offline === undefined ? rest : { ...rest, offline }))

describe('client and service are inverses for', () => {
  it('a reply line', () =>
    fc.assert(
      fc.property(reply, (r) => void expect(parseReply(formatReply(r))).toEqual({ ok: true, value: r })),
    ))

  it('a whole response with status', () =>
    fc.assert(
      fc.property(fc.array(reply, { minLength: 1, maxLength: 20 }), (replies) => {
        const [first] = replies
        const isForAll = first !== undefined && isAccountWord(first.word)
        const sent = isForAll ? replies.map(() => first) : replies.filter(({ word }) => !isAccountWord(word))

        const read = readResponse(writeResponse(sent), sent.length)

        expect(read).toEqual({ ok: true, value: sent })
      }),
    ))

  it.each(['myip', 'myipv6'] as const)('a request with IPv6 in %s', (ipv6Parameter) =>
    fc.assert(
      fc.property(request, (sent) => {
        const read = readQuery(formatQuery(sent, { ...PLAIN_FORM, ipv6Parameter }).reveal())

        expect(read.hostnames).toEqual(sent.hostnames)
        expect(listed(read.addresses)).toEqual(listed(sent.addresses))
        expect(read.offline === 'yes').toBe(sent.offline === 'YES')
      }),
    ),
  )

  it('a User-Agent', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,11}$/)
    const contact = fc.tuple(token, token).map(([user, host]) => `${user}@${host}.test`)
    const agent = fc.record({
      company: fc.array(token, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
      product: token,
      version: token,
      contact,
    })
    fc.assert(fc.property(agent, (a) => void expect(parseUserAgent(formatUserAgent(a))).toEqual(a)))
  })
})

it.each([
  ['good 198.51.100.7, 2001:db8::7', ['198.51.100.7', '2001:db8::7']],
  ['good 198.51.100.7 ,\t2001:db8::7 thanks', ['198.51.100.7', '2001:db8::7']],
  ['good 198.51.100.7, thanks', ['198.51.100.7']],
])('parseReply ignores blanks at the comma between addresses: %j', (line, addresses) =>
  expect(parseReply(line)).toEqual({ ok: true, value: { word: 'good', addresses } }),
)

describe('readResponse', () => {
  it('never reports success for a body without a reply word', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }),
        fc.string({ unit: 'binary', maxLength: 200 }),
        (status, body) => {
          const read = readResponse({ status, body }, 1)
          const isSuccess = read.ok && read.value.some(({ word }) => isAddressedWord(word))
          if (isSuccess) expect(body.trim()).toMatch(/^(good|nochg)\b/i)
        },
      ),
      { numRuns: runs(200) },
    ))

  it('rejects a body of more than 64 KiB, with the reason', () => {
    const read = readResponse({ status: 200, body: `good 192.0.2.1${' '.repeat(65_536)}` }, 1)

    expect(read).toMatchObject({
      ok: false,
      error: { because: expect.stringMatching(/^more than 64 KiB \(HTTP 200\)/) },
    })
  })

  it.each([
    [302, 'good 192.0.2.1', true],
    [200, '<!DOCTYPE html><title>Sign in</title>', true],
    [200, 'hello', false],
  ])(
    'distinguishes a captive portal from other unrecognized responses: %i %s',
    (status, body, looksLikePortal) =>
      expect(readResponse({ status, body }, 1)).toMatchObject({ ok: false, error: { looksLikePortal } }),
  )
})

describe('classifyUserAgent', () => {
  it.each([
    ['Holdfast holdfast/Linux-6.1-0.1.0 someone@example.test', 'descriptive'],
    ['AVM FRITZ!Box-7590/164.07.57', 'descriptive'],
    ['Acme Widgets Router-9/1.2 <help@acme.test>', 'descriptive'],
    ['curl/7.88.1', 'nondescriptive'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'nondescriptive'],
    ['', 'refused'],
    ['   ', 'refused'],
    [undefined, 'refused'],
    ['Some BadBot/1-1', 'refused'],
  ])('%j is %s', (agent, expected) => expect(classifyUserAgent(agent, ['badbot'])).toBe(expected))
})
