import { Buffer, isUtf8 } from 'node:buffer'

const REDACTED = '«secret»'

/** Text that must not be shown: string conversion, logging and JSON all give «secret». */
export class Secret {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  /** The text itself. Call it only where the text is sent or hashed. */
  reveal(): string {
    return this.#text
  }
  /** A text made from this one, which must not be shown either. */
  derive(make: (text: string) => string): Secret {
    return new Secret(make(this.#text))
  }
  toString(): string {
    return REDACTED
  }
  toJSON(): string {
    return REDACTED
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED
  }
}

/** Text with secret parts, such as a URL or a header. String conversion, logging and JSON give «secret» for each of them. */
export class SecretText {
  readonly #parts: readonly (string | Secret | SecretText)[]
  constructor(...parts: readonly (string | Secret | SecretText)[]) {
    this.#parts = parts
  }
  /** The whole text. Call it only where the text is sent. */
  reveal(): string {
    return this.#parts.map((part) => (typeof part === 'string' ? part : part.reveal())).join('')
  }
  /** Of the whole text. */
  get length(): number {
    return this.reveal().length
  }
  toString(): string {
    return this.#parts.join('')
  }
  toJSON(): string {
    return this.toString()
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }
}

/** A URL of which only scheme, host and port may be shown: the rest may have a token anywhere. */
export const secretUrl = (url: Secret): SecretText =>
  new SecretText(
    new URL(url.reveal()).origin,
    url.derive((text) => {
      const { pathname, search } = new URL(text)
      return `${pathname}${search}`
    }),
  )

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
