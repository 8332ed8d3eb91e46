import { describe, expect, it } from 'vitest'
import { cookieFor, isCookieWhole, isOwnCookie } from '../../../src/shared/dns/cookie.ts'
import { Secret } from '../../../src/shared/base/secret.ts'

const NOW = 1_795_346_827
const asking = { secret: new Secret('secret'), address: '192.0.2.1', now: NOW }
const client = Buffer.from('0102030405060708', 'hex')
const cookie = cookieFor(client, asking)

it.each([
  [7, false],
  [8, true],
  [9, false],
  [15, false],
  [16, true],
  [24, true],
  [40, true],
  [41, false],
])('an option of %i octets: %s (RFC 7873 §4)', (length, is) =>
  expect(isCookieWhole(Buffer.alloc(length))).toBe(is),
)

describe('a cookie', () => {
  it('has that of the client, version 1 and the time (RFC 9018 §4)', () => {
    expect(cookie.subarray(0, 16)).toEqual(
      Buffer.concat([client, Buffer.from([1, 0, 0, 0, 0x6b, 0x02, 0xd1, 0x8b])]),
    )
    expect(cookie).toHaveLength(24)
    expect(cookieFor(cookie, { ...asking, now: NOW + 1 }).subarray(0, 8)).toEqual(client)
  })

  it.each([
    ['as it was given', cookie, {}, true],
    ['an hour later', cookie, { now: NOW + 3600 }, true],
    ['more than an hour later', cookie, { now: NOW + 3601 }, false],
    ['five minutes ahead', cookie, { now: NOW - 300 }, true],
    ['further ahead', cookie, { now: NOW - 301 }, false],
    ['from another address', cookie, { address: '192.0.2.2' }, false],
    ['of another service', cookie, { secret: new Secret('other') }, false],
    ['of the client alone', client, {}, false],
    ['with more behind it', Buffer.concat([cookie, Buffer.alloc(1)]), {}, false],
  ])('%s is our own: %#', (_, octets, over, is) =>
    expect(isOwnCookie(octets, { ...asking, ...over })).toBe(is),
  )

  it('with any other bit is not our own', () => {
    for (let bit = 0; bit < cookie.length * 8; bit++) {
      const other = Buffer.from(cookie)
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(isOwnCookie(other, asking)).toBe(false)
    }
  })
})
