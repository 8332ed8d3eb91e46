import { after, type Duration, hours, type Instant, isBefore, minutes } from '../../shared/base/time.ts'
import type { Address, Family } from '../../shared/base/address.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { SourceVote } from './agree.ts'
import type { Unasked } from './flip-guard.ts'

/** Without an answer for so long, outside sources are asked so often, and at each hint; without a route, from then on. */
const REST: { readonly after: Duration; readonly interval: Duration } = {
  after: minutes(10),
  interval: hours(1),
}

interface RestOptions {
  readonly clock: Clock
  readonly published: (family: Family) => readonly Address[]
}

/** A family that this network does not have costs no questions: the other one is known, and nothing of it is published. */
export class Rest {
  readonly #family: Family
  readonly #options: RestOptions
  readonly #isOtherKnown: () => boolean
  /** Since when no outside source answers. */
  #since: Instant | undefined
  /** When they were asked last, and the hints until then. */
  #asked: { readonly at: Instant; readonly hints: number } | undefined

  constructor(family: Family, options: RestOptions, isOtherKnown: () => boolean) {
    this.#family = family
    this.#options = options
    this.#isOtherKnown = isOtherKnown
  }

  /** Why the next round asks no outside source; `hints` are those since the start. */
  reason(hints: number, hasRoute: boolean): Unasked | undefined {
    const { clock, published } = this.#options
    const now = clock.now()
    const isRecent = this.#asked !== undefined && isBefore(now, after(this.#asked.at, REST.interval))
    if (this.#since === undefined || !isRecent || this.#asked?.hints !== hints) return undefined
    // By a proxy, or in the network itself, a source may answer without a route: it was asked.
    if (!hasRoute) return 'route'
    const isLong = !isBefore(now, after(this.#since, REST.after))
    return isLong && this.#isOtherKnown() && published(this.#family).length === 0 ? 'rest' : undefined
  }

  /** The votes of a round that asked outside sources. */
  record(votes: readonly SourceVote[], hints: number): void {
    const now = this.#options.clock.now()
    this.#asked = { at: now, hints }
    const isAnswered = votes.some(
      ({ source, sighting }) => source.vantage === 'outside' && sighting.kind === 'seen',
    )
    this.#since = isAnswered ? undefined : (this.#since ?? now)
  }
}
