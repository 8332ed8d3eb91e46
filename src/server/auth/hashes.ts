import {
  type KeyObject,
  createHmac,
  createSecretKey,
  randomBytes,
  randomInt,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'

/** The key of the keyed hashes. Kept beside the store, not in it: a copy of the database alone tests no guess. */
export type Pepper = KeyObject

/** Made once: a key that comes as bytes is made ready anew for each hash, which takes five times as long as the hash. */
export const pepperOf = (bytes: Uint8Array): Pepper => createSecretKey(bytes)

export const PEPPER_BYTES = 32

/** For generated keys, whose 96 bits and more need no slow hash: HMAC-SHA-256 (RFC 2104). */
export const keyedHash = (pepper: Pepper, key: string): Uint8Array =>
  createHmac('sha256', pepper).update(key).digest()

export const isKeyedHashOf = (pepper: Pepper, key: string, hash: Uint8Array): boolean =>
  sameBytes(keyedHash(pepper, key), hash)

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

const SALT_BYTES = 16

/** For passwords that people chose (RFC 7914): 16 bytes of salt, then 32 of hash. About 35 ms and 16 MiB. */
export async function slowHash(password: string): Promise<Uint8Array> {
  const salt = randomBytes(SALT_BYTES)
  return Buffer.concat([salt, await derive(password, salt)])
}

export async function isSlowHashOf(password: string, hash: Uint8Array): Promise<boolean> {
  const derived = await derive(password, hash.subarray(0, SALT_BYTES))
  return sameBytes(derived, hash.subarray(SALT_BYTES))
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
