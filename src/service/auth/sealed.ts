import { createCipheriv, createDecipheriv } from 'node:crypto'
import { Secret } from '../../shared/base/secret.ts'
import { keyedHash, type Pepper, randomOctets } from './hashes.ts'

/** AES-256-GCM (NIST SP 800-38D): nonce, tag, ciphertext. */
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** HMAC as a key derivation (RFC 5869 §2.3): this key is used for nothing else. */
const sealingKey = (pepper: Pepper): Uint8Array => keyedHash(pepper, 'tsig secrets')

/**
 * Encrypts a secret that must be read again, as those of TSIG keys, which sign. `owner` is bound to it: the secret of one
 * row is not that of another.
 */
export function seal(pepper: Pepper, secret: Secret, owner: string): Uint8Array {
  const nonce = randomOctets(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealingKey(pepper), nonce).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** Undefined if it was sealed with neither this pepper nor the one before it, or for another owner. */
export function unseal(pepper: Pepper, sealed: Uint8Array, owner: string): Secret | undefined {
  const { previous } = pepper
  return opened(pepper, sealed, owner) ?? (previous && opened(previous, sealed, owner))
}

function opened(pepper: Pepper, sealed: Uint8Array, owner: string): Secret | undefined {
  const [nonce, tag] = [
    sealed.subarray(0, NONCE_BYTES),
    sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
  ]
  try {
    // A shorter tag is refused too: it would be easier to guess.
    const decipher = createDecipheriv(CIPHER, sealingKey(pepper), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(owner)).setAuthTag(tag)
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    return new Secret(text.toString('utf8'))
  } catch {
    return undefined
  }
}
