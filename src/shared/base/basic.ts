import { Buffer, isUtf8 } from 'node:buffer'
import { SecretText } from './secret-text.ts'
import { Secret } from './secret.ts'

export interface Credentials {
  readonly username: string
  readonly password: Secret
}

/** RFC 7617 §2: the value of an Authorization header, UTF-8. */
export const formatBasic = (credentials: Credentials): SecretText =>
  new SecretText('Basic ', basicToken(credentials))

/** Username and password, as the header has them. */
export const basicToken = ({ username, password }: Credentials): Secret =>
  password.derive((text) => Buffer.from(`${username}:${text}`, 'utf8').toString('base64'))

/**
 * The inverse; undefined for a malformed header. The scheme is case-insensitive (RFC 9110 §11.1); the token must be plain
 * base64 of UTF-8 with a colon.
 */
export function parseBasic(header: string): Credentials | undefined {
  const [, token] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? []
  if (token === undefined) return undefined
  const bytes = Buffer.from(token, 'base64')
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  // RFC 7617 §2: no control characters in user-id and password.
  if (colon < 0 || /[\0-\x1f\x7f]/.test(text) || !isUtf8(bytes)) return undefined
  return { username: text.slice(0, colon), password: new Secret(text.slice(colon + 1)) }
}

/** RFC 7617 §2: no colon in the user-id, no control characters in user-id and password. */
export const canBeBasic = ({ username, password }: Credentials): boolean =>
  !username.includes(':') && !/[\0-\x1f\x7f]/.test(username + password.reveal())
