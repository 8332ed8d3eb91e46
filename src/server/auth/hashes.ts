import { hash, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'

/**
 * The key of the keyed hashes, as it goes into the inner and into the outer hash (RFC 2104 §2). Kept beside the store, not
 * in it: a copy of the database alone tests no guess.
 */
export interface Pepper {
  readonly inner: Uint8Array
  readonly outer: Uint8Array
}

export const PEPPER_BYTES = 32
/** SHA-256's, in bytes. */
const BLOCK = 64

/** Of no more bytes than a block has. */
export const pepperOf = (bytes: Uint8Array): Pepper => ({
  inner: padded(bytes, 0x36),
  outer: padded(bytes, 0x5c),
})

const padded = (bytes: Uint8Array, pad: number): Uint8Array =>
  Uint8Array.from({ length: BLOCK }, (_, at) => (bytes[at] ?? 0) ^ pad)

/**
 * For generated keys, whose 96 bits and more need no slow hash: HMAC-SHA-256 (RFC 2104). By two hashes, because Node's
 * own makes an object for each, which takes twice as long and has to be cleared away; every update makes one.
 */
export function keyedHash({ inner, outer }: Pepper, key: string): Uint8Array {
  const first = sha256(Buffer.concat([inner, Buffer.from(key, 'utf8')]))
  return sha256(Buffer.concat([outer, first]))
}

/** Measured: bytes take three times as long as hexadecimals that are read again. */
const sha256 = (bytes: Uint8Array): Uint8Array => Buffer.from(hash('sha256', bytes, 'hex'), 'hex')

export const isKeyedHashOf = (pepper: Pepper, key: string, kept: Uint8Array): boolean =>
  sameBytes(keyedHash(pepper, key), kept)

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

const SALT_BYTES = 16

/** For passwords that people chose (RFC 7914): 16 bytes of salt, then 32 of hash. About 35 ms and 16 MiB. */
export async function slowHash(password: string): Promise<Uint8Array> {
  const salt = randomBytes(SALT_BYTES)
  return Buffer.concat([salt, await derive(password, salt)])
}

export async function isSlowHashOf(password: string, kept: Uint8Array): Promise<boolean> {
  const derived = await derive(password, kept.subarray(0, SALT_BYTES))
  return sameBytes(derived, kept.subarray(SALT_BYTES))
}

const derive = async (password: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(password, salt, 32, { N: 16_384, r: 8, p: 1 }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )

/** A DDNS key's username: 7 of [a-z0-9]. */
export const newUsername = (): string => pick('abcdefghijklmnopqrstuvwxyz0123456789', 7)

/** 120 bits, in letters that survive being read aloud, copied by hand and put into a shell without quotes. */
export const newPassword = (): string => pick('ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789', 21)

const pick = (letters: string, count: number): string =>
  Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('')
