import { hash, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'

/**
 * The key of the keyed hashes, padded for the inner and the outer hash (RFC 2104 §2). It is a file outside the database:
 * a copy of the database alone does not allow guesses.
 */
export interface Pepper {
  readonly inner: Uint8Array
  readonly outer: Uint8Array
  /** The one before the last rotation: hashes made with it are still checked, and replaced at the next login. */
  readonly previous?: Pepper
}

export const PEPPER_BYTES = 32
/** Of SHA-256. */
const BLOCK_BYTES = 64

/** For a key of at most 64 bytes. */
export const pepperOf = (bytes: Uint8Array): Pepper => ({
  inner: padded(bytes, 0x36),
  outer: padded(bytes, 0x5c),
})

/**
 * Tells two peppers apart without a way back: stored with the hashes, so
 * that a wrong key file is noticed. 16 hex digits.
 */
export const fingerprintOf = (pepper: Pepper): string =>
  Buffer.from(keyedHash(pepper, 'fingerprint')).toString('hex').slice(0, 16)

const padded = (bytes: Uint8Array, pad: number): Uint8Array =>
  Uint8Array.from({ length: BLOCK_BYTES }, (_, at) => (bytes[at] ?? 0) ^ pad)

/**
 * HMAC-SHA-256 (RFC 2104), for generated keys: with more than 96 bits they need no slow hash. Two one-shot hashes take half
 * the time of Node's Hmac object, and every update computes one.
 */
export function keyedHash({ inner, outer }: Pepper, key: string): Uint8Array {
  const first = sha256(Buffer.concat([inner, Buffer.from(key, 'utf8')]))
  return sha256(Buffer.concat([outer, first]))
}

/** Measured: output as bytes takes three times as long as output in hex that is parsed. */
const sha256 = (bytes: Uint8Array): Uint8Array => Buffer.from(hash('sha256', bytes, 'hex'), 'hex')

export const isKeyedHashOf = (pepper: Pepper, key: string, stored: Uint8Array): boolean =>
  sameBytes(keyedHash(pepper, key), stored) || isPreviousHashOf(pepper, key, stored)

/** Whether the hash was made with the pepper before the last rotation. */
export const isPreviousHashOf = ({ previous }: Pepper, key: string, stored: Uint8Array): boolean =>
  previous !== undefined && sameBytes(keyedHash(previous, key), stored)

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

export const randomOctets = (count: number): Uint8Array => randomBytes(count)

const SALT_BYTES = 16

/** scrypt (RFC 7914), for passwords that people choose: 16 bytes of salt, then 32 of hash. Takes about 35 ms and 16 MiB. */
export async function slowHash(password: string): Promise<Uint8Array> {
  const salt = randomOctets(SALT_BYTES)
  return Buffer.concat([salt, await derive(password, salt)])
}

export async function isSlowHashOf(password: string, stored: Uint8Array): Promise<boolean> {
  const derived = await derive(password, stored.subarray(0, SALT_BYTES))
  return sameBytes(derived, stored.subarray(SALT_BYTES))
}

const derive = async (password: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(password, salt, 32, { N: 16_384, r: 8, p: 1 }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  )

/** A DDNS key's username: 7 of [a-z0-9]. */
export const newUsername = (): string => randomText('abcdefghijklmnopqrstuvwxyz0123456789', 7)

/** The name of a TSIG key: one label. */
export const newKeyName = (): string => `key-${randomText('abcdefghijklmnopqrstuvwxyz0123456789', 10)}`

export const isUsername = (text: string): boolean => /^[a-z0-9]{7}$/.test(text)

/** 122 bits, in characters that are not confused when read or copied, and need no quotes in a shell. */
export const newPassword = (): string =>
  randomText('ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789', 21)

/** Whether it has the form of what `newPassword` makes. */
export const isApiKey = (text: string): boolean => /^[A-Za-z2-9]{21}$/.test(text)

const randomText = (letters: string, count: number): string =>
  Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('')
