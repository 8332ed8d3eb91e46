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
