import { formatInstant, type Instant } from '../../shared/base/time.ts'
import type { Address, Family } from '../../shared/base/address.ts'
import type { Sighting } from '../../shared/base/sighting.ts'

/** The last answer of one source for one family. */
export interface LastAnswer {
  readonly source: string
  readonly family: Family
  readonly result: Sighting['kind']
  readonly address: Address | null
  readonly because: string | null
  /** The others agreed before it answered. */
  readonly isUnneeded: boolean
  /** RFC 3339. */
  readonly at: string
}

const MAX_SOURCES = 100

/** The last answers of all sources that were asked. */
export class SourceAnswers {
  readonly #answers = new Map<string, LastAnswer>()

  record(
    source: string,
    family: Family,
    { sighting, now }: { readonly sighting: Sighting; readonly now: Instant },
  ): void {
    const key = `${source} ${family}`
    if (this.#answers.size >= MAX_SOURCES && !this.#answers.has(key)) return
    this.#answers.set(key, {
      source,
      family,
      result: sighting.kind,
      address: sighting.kind === 'seen' ? sighting.address : null,
      because: sighting.kind === 'unknown' ? sighting.because : null,
      isUnneeded: sighting.kind === 'unknown' && sighting.isUnneeded === true,
      at: formatInstant(now),
    })
  }

  get all(): readonly LastAnswer[] {
    return [...this.#answers.values()]
  }
}
