import { type Instant, after, isBefore, milliseconds } from '../../base/time.ts'
import { type Address, FAMILIES, type Family } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AddressSource } from '../sources/source.ts'
import type { Witness } from '../sources/witness.ts'
import { type Hinted, type Verdict, type Vote, voicesOf } from './agree.ts'
import { confirm } from './confirm.ts'
import type { Finding } from './finding.ts'
import { publisher } from './publisher.ts'
import { type Register, register } from './register.ts'

/** The public address as several witnesses agree on it. Itself a source: who uses it need not know how many there are. */
export interface Detector extends AddressSource {
  /**
   * Something may have changed: the next look asks anew, and one that is under way begins again. With a doubt, even the
   * router's word that nothing did is not enough.
   */
  hint(isDoubt: boolean): void
  /** What was last agreed on. */
  current(family: Family): Address | undefined
}

export interface Parts {
  readonly witnesses: readonly Witness[]
  /** Even time, in milliseconds; need not be the time of day. */
  readonly clock: Clock
  readonly tell: (finding: Finding) => void
  /** `one`: whoever answers is believed. */
  readonly agreement: 'two' | 'one'
  /** Called when an address that was held back may go out, so that somebody looks. */
  readonly release: () => void
}

/** An answer so young, with no hint since, is not asked for again. */
const FRESH = milliseconds(1000)
/** A round that began so shortly before a hint has asked late enough. */
const YOUNG = milliseconds(30)
/** Hints begin a round anew so often at most, so that a storm of them does not keep it from ending. */
const MOST_RESTARTS = 3

interface Counts {
  readonly hints: number
  readonly doubts: number
}

export function detector(parts: Parts): Detector {
  const trust = register(parts.clock, parts.tell)
  let counts: Counts = { hints: 0, doubts: 0 }
  const watches = {
    v4: watchOf('v4', parts, trust, () => counts),
    v6: watchOf('v6', parts, trust, () => counts),
  }
  return {
    name: parts.witnesses.map(({ name }) => name).join(', '),
    look: async (family, signal) => watches[family].look(signal),
    current: (family) => watches[family].current(),
    hint: (isDoubt) => {
      counts = { hints: counts.hints + 1, doubts: counts.doubts + (isDoubt ? 1 : 0) }
      for (const family of FAMILIES) watches[family].disturb()
    },
  }
}

interface Round {
  readonly since: Instant
  readonly again: AbortController
  readonly votes: readonly Vote[]
}

/** One family: what was agreed on, and the round that is under way. */
function watchOf(family: Family, { witnesses, ...parts }: Parts, trust: Register, now: () => Counts) {
  const { clock, agreement } = parts
  const able = witnesses.filter(({ families }) => families.includes(family))
  const near = able.filter(({ standpoint }) => standpoint !== 'outside')
  const hasOwn = near.some(({ standpoint }) => standpoint === 'own')
  const voices = agreement === 'one' ? 1 : voicesOf(able, family)
  const published = publisher(parts, trust)
  let latest: (Counts & { readonly sighting: Sighting; readonly at: Instant }) | undefined
  let underWay: Promise<Sighting> | undefined
  let round: Round | undefined

  const ask = async (votes: Vote[], signal: AbortSignal): Promise<Verdict> => {
    const previous = published.current()
    const hint = hintFor(latest, now())
    const question = { family, hint, voices, hasOwn, ...(previous !== undefined && { previous }) }
    const outside = trust.willing(able, family, hint !== 'no')
    const onAsk = (witness: Witness): void => trust.note(witness, family)
    return confirm({ question, near, outside }, { clock, onAsk, signal, votes })
  }
  const settle = async (signal: AbortSignal): Promise<Sighting> => {
    for (let restarts = 0; ; restarts++) {
      const [again, votes, before] = [new AbortController(), [] as Vote[], now()]
      round = restarts < MOST_RESTARTS ? { since: clock.now(), again, votes } : undefined
      const verdict = await ask(votes, AbortSignal.any([signal, again.signal]))
      round = undefined
      if (again.signal.aborted && !signal.aborted) continue
      const sighting = published.weigh(verdict, votes)
      latest = { ...before, sighting, at: clock.now() }
      return sighting
    }
  }
  return {
    current: () => published.current(),
    look: async (signal: AbortSignal): Promise<Sighting> => {
      if (underWay !== undefined) return underWay
      const isFresh = latest?.hints === now().hints && isBefore(clock.now(), after(latest.at, FRESH))
      if (isFresh && latest !== undefined) return latest.sighting
      underWay = settle(signal).finally(() => (underWay = undefined))
      return underWay
    },
    disturb: (): void => {
      if (round !== undefined && isBetterAnew(round, published.current(), clock.now())) round.again.abort()
    },
  }
}

const hintFor = (latest: Counts | undefined, now: Counts): Hinted => {
  if (latest === undefined) return 'hinted'
  if (latest.doubts !== now.doubts) return 'doubted'
  return latest.hints === now.hints ? 'no' : 'hinted'
}

/** Not one that has just begun, and not one that is on the trail of a new address already. */
function isBetterAnew({ since, votes }: Round, current: Address | undefined, now: Instant): boolean {
  const isOnTrail = votes.some(
    ({ witness, sighting }) =>
      witness.standpoint !== 'outside' && sighting.kind === 'seen' && sighting.address !== current,
  )
  return !isOnTrail && !isBefore(now, after(since, YOUNG))
}
