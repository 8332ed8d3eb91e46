const SHOWN = '«secret»'

/** Text that may not be shown: printing, joining, logging and JSON all give «secret». */
export class Secret {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  /** The text itself. Called next to the wire or a hash, nowhere else. */
  reveal(): string {
    return this.#text
  }
  toString(): string {
    return SHOWN
  }
  toJSON(): string {
    return SHOWN
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return SHOWN
  }
}
