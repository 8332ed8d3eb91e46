import type { Secret } from './secret.ts'

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
