import { describe, expect, it } from 'vitest'
import {
  MAX_REPLY_BYTES,
  readRestriction,
  readResponse,
  writeResponse,
} from '../../../src/shared/protocol/response.ts'

const GOOD = 'good 192.0.2.1'
const errorOf = (status: number, body: string, count = 1): unknown => {
  const read = readResponse({ status, body }, count)
  return read.ok ? read.value : read.error
}
const becauseOf = (status: number, body: string, count = 1): unknown =>
  (errorOf(status, body, count) as { because?: string }).because

describe('what is reported about an unrecognized response', () => {
  it.each([
    [300, GOOD, 1, `a redirect, which is not followed (HTTP 300): "${GOOD}"`],
    [200, '', 1, 'an empty response (HTTP 200)'],
    [200, '<html></html>', 1, 'a web page (HTTP 200)'],
    [200, 'hello', 1, 'text that is not a reply word (HTTP 200): "hello"'],
    [201, GOOD, 1, `a reply word for success with HTTP 201: "${GOOD}"`],
    [199, GOOD, 1, `a reply word for success with HTTP 199: "${GOOD}"`],
    [200, GOOD, 2, `1 line for 2 hostnames (HTTP 200): "${GOOD}"`],
    [200, `${GOOD}\nnochg`, 1, `2 lines for 1 hostname (HTTP 200): "${GOOD} nochg"`],
  ])('HTTP %i with %j for %i hostnames', (status, body, count, because) =>
    expect(becauseOf(status, body, count)).toBe(because),
  )

  it.each([
    [299, 'a reply word for success with HTTP 299', false],
    [300, 'a redirect, which is not followed (HTTP 300)', true],
    [399, 'a redirect, which is not followed (HTTP 399)', true],
    [400, 'a reply word for success with HTTP 400', false],
  ])('only HTTP 300 to 399 is a redirect: %i', (status, kind, looksLikePortal) =>
    expect(errorOf(status, GOOD)).toEqual({ because: `${kind}: "${GOOD}"`, looksLikePortal }),
  )

  it.each([
    [428, undefined],
    [429, 429],
    [430, undefined],
    [499, undefined],
    [500, 500],
    [501, 501],
  ])('HTTP %i says by itself that the service is busy: %j', (status, told) =>
    expect((errorOf(status, 'oops') as { status?: number }).status).toBe(told),
  )
})

describe('an answer of several lines', () => {
  it('is read line by line under any status where every word forbids', () =>
    expect(readResponse({ status: 404, body: 'nohost\n911\n' }, 2)).toEqual({
      ok: true,
      value: [{ word: 'nohost' }, { word: '911' }],
    }))

  it('has no line for blanks', () =>
    expect(readResponse({ status: 200, body: `${GOOD}\n \t\r\n` }, 1)).toMatchObject({ ok: true }))

  it.each(['good 192.0.2.1\0\0', 'nochg\0', 'good 192.0.2.1\n\0', 'good\0 192.0.2.1'])(
    'confirms nothing where it has a NUL: %j',
    (body) => expect(readResponse({ status: 200, body }, 1)).toMatchObject({ ok: false }),
  )

  it('may separate a word from garbage by a NUL', () =>
    expect(readResponse({ status: 200, body: 'abuse\0\0bytes' }, 1)).toEqual({
      ok: true,
      value: [{ word: 'abuse' }],
    }))
})

describe('a body', () => {
  const filled = (end: string, length: number): string => end.padStart(length, '\n')

  it('of 64 KiB is read to its end', () =>
    expect(readResponse({ status: 200, body: filled('abuse', MAX_REPLY_BYTES) }, 1)).toEqual({
      ok: true,
      value: [{ word: 'abuse' }],
    }))

  it('of a byte more forbids nothing', () =>
    expect(readRestriction({ status: 200, body: filled('abuse', MAX_REPLY_BYTES + 1) })).toBeUndefined())
})

describe('an answer that is written', () => {
  it.each([
    ['nothing', [], { status: 200, body: '\n' }],
    [
      'success, a line for each host',
      [{ word: 'good', addresses: [] }, { word: 'nohost' }],
      { status: 200, body: 'good\nnohost\n' },
    ],
    ['an account word once', [{ word: 'badauth' }, { word: 'badauth' }], { status: 401, body: 'badauth\n' }],
    ['a fault of the service', [{ word: '911' }], { status: 500, body: '911\n' }],
  ] as const)('%s', (_, replies, answer) => expect(writeResponse(replies)).toEqual(answer))
})
