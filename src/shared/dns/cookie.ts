import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../base/secret.ts'

/** In octets (RFC 7873 §4): of the client, and of both together. */
const CLIENT = 8
const BOTH = { min: 16, max: 40 } as const
/** In seconds (RFC 9018 §4.3): how old a cookie may be, and how far ahead of our clock. */
const VALID = { before: 3600, after: 300 } as const

/** Who asks, and when: `now` in seconds since the epoch. */
interface Asking {
  readonly secret: Secret
  readonly address: string
  readonly now: number
}

/** Whether the option has a length that one may have (RFC 7873 §5.2.2). */
export const isCookieWhole = ({ length }: Uint8Array): boolean =>
  length === CLIENT || (length >= BOTH.min && length <= BOTH.max)

/** The cookie of the client and our own, in the form of RFC 9018 §4: version, reserved, time, hash. */
export function cookieFor(cookie: Uint8Array, { secret, address, now }: Asking): Buffer {
  const head = Buffer.alloc(CLIENT + 8)
  head.set(cookie.subarray(0, CLIENT))
  head.writeUInt8(1, CLIENT)
  head.writeUInt32BE(now >>> 0, CLIENT + 4)
  const hmac = createHmac('sha256', secret.reveal()).update(head).update(address)
  return Buffer.concat([head, hmac.digest().subarray(0, 8)])
}

/** Whether this service gave it to this address: its sender has received our answers, so it is not forged. */
export function isOwnCookie(cookie: Uint8Array, asking: Asking): boolean {
  if (cookie.length !== CLIENT + 16) return false
  const given = Buffer.from(cookie).readUInt32BE(CLIENT + 4)
  const age = (asking.now - given) | 0
  const expected = cookieFor(cookie, { ...asking, now: given })
  return age <= VALID.before && -age <= VALID.after && timingSafeEqual(cookie, expected)
}
