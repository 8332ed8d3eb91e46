import { type Instant, after, isBefore, milliseconds } from '../../base/time.ts'
import { type Address, FAMILIES, type Family } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Clock, Dice } from '../../ports/clock.ts'
import type { AddressSource } from '../sources/source.ts'
import type { Witness } from '../sources/witness.ts'
import { type Hinted, type Line, type Question, type Verdict, type Vote, voicesOf } from './agree.ts'
import { confirm } from './confirm.ts'
import type { Finding } from './finding.ts'
import { type Way, lineKnown } from './line.ts'
import { publisher } from './publisher.ts'
import { recheck } from './recheck.ts'
import { type Register, register } from './register.ts'

/** The public address as several witnesses agree on it. Itself a source: who uses it need not know how many there are. */
export interface Detector extends AddressSource {
  /**
   * Something may have changed: the next look asks again, and one that is under way begins again. With a doubt, even the
   * router's word that nothing did is not enough.
   */
  hint(isDoubt: boolean): void
  /** What was last agreed on. */
  current(family: Family): Address | undefined
  /** The last round came to nothing. */
  isOpen(family: Family): boolean
}

export interface Parts {
  readonly witnesses: readonly Witness[]
  /** Even time, in milliseconds; need not be the time of day. */
  readonly clock: Clock
  readonly dice: Dice
  readonly tell: (finding: Finding) => void
  /** `one`: the first answer is believed. */
  readonly agreement: 'two' | 'one'
  /** Called when there is a reason to look that no watcher brings: a pause between rounds is over. */
  readonly look: () => void
  /** What the service holds for this host, as far as it is remembered. */
  readonly published: (family: Family) => readonly Address[]
  /** How the outside is reached; undefined where it does not matter what line the outside sees. */
  readonly wayOut: ((family: Family) => Promise<Way>) | undefined
  readonly signal: AbortSignal
}

/** An answer so young, with no hint since, is not asked for again. */
const FRESH = milliseconds(1000)
/** A round that began so shortly before a hint has asked late enough. */
const YOUNG = milliseconds(30)
/** Hints begin a round again so often at most, so that a storm of them does not keep it from ending. */
const MOST_RESTARTS = { withOwn: 6, alone: 3 } as const

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
    isOpen: (family) => watches[family].isOpen(),
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
  const mostRestarts = hasOwn ? MOST_RESTARTS.withOwn : MOST_RESTARTS.alone
  const voices = agreement === 'one' ? 1 : voicesOf(able, family)
  const published = publisher(parts, trust)
  const rechecks = recheck(parts, parts.look)
  let latest: (Counts & { readonly sighting: Sighting; readonly at: Instant }) | undefined
  const way = lineKnown(family, parts)
  let isOpen = false
  let underWay: Promise<Sighting> | undefined
  let round: Round | undefined

  const ask = async (votes: Vote[], line: Line | undefined, signal: AbortSignal): Promise<Verdict> => {
    const previous = published.current()
    const known = { ...(previous !== undefined && { previous }), ...(line !== undefined && { line }) }
    const question = { family, hint: hintFor(latest, now()), voices, hasOwn, ...known }
    const outside = trust.willing(able, family)
    const mayAsk = rationed(question, votes, trust)
    return confirm({ question, near, outside }, { clock, mayAsk, signal, votes })
  }
  const settle = async (signal: AbortSignal): Promise<Sighting> => {
    for (let restarts = 0; ; restarts++) {
      const [again, votes, before] = [new AbortController(), [] as Vote[], now()]
      const { line, through } = await way.now()
      round = restarts < mostRestarts ? { since: clock.now(), again, votes } : undefined
      const verdict = await ask(votes, line, AbortSignal.any([signal, again.signal]))
      round = undefined
      if (again.signal.aborted && !signal.aborted) continue
      const sighting = published.weigh(verdict, { votes, ...(through !== undefined && { through }) })
      way.learn(verdict)
      isOpen = verdict.kind === 'open'
      latest = { ...stillAsked(isOpen, before, latest), sighting, at: clock.now() }
      if (!isOpen) rechecks.reset()
      else if (!signal.aborted) rechecks.again()
      return sighting
    }
  }
  return {
    current: () => published.current(),
    isOpen: () => isOpen,
    look: async (signal: AbortSignal): Promise<Sighting> => {
      if (underWay !== undefined) return underWay
      const isFresh = latest?.hints === now().hints && isBefore(clock.now(), after(latest.at, FRESH))
      if (isFresh && latest !== undefined) return latest.sighting
      underWay = settle(signal).finally(() => (underWay = undefined))
      return underWay
    },
    disturb: (): void => {
      rechecks.reset()
      if (round !== undefined && isBetterAgain(round, published.current(), clock.now())) round.again.abort()
    },
  }
}

/** One round is one confirmation, however many it asks; what the schedule asks costs nothing. */
function rationed(
  { family, hint, previous }: Question,
  votes: readonly Vote[],
  trust: Register,
): (witness: Witness) => boolean {
  let isPaid = hint === 'no'
  return (witness) => {
    const isOutside = witness.standpoint === 'outside'
    if (isOutside) isPaid ||= trust.spend(hint === 'doubted' || hasNews(votes, previous) ? 'news' : 'hint')
    if (isOutside && !isPaid) return false
    trust.note(witness, family)
    return true
  }
}

const NOT_ANSWERED = -1

/** What came to nothing is still to be answered, with the doubt that it began with. */
const stillAsked = (isOpen: boolean, before: Counts, latest: Counts | undefined): Counts =>
  isOpen ? { hints: NOT_ANSWERED, doubts: latest?.doubts ?? before.doubts } : before

const hintFor = (latest: Counts | undefined, now: Counts): Hinted => {
  if (latest === undefined) return 'hinted'
  if (latest.doubts !== now.doubts) return 'doubted'
  return latest.hints === now.hints ? 'no' : 'hinted'
}

/** The router or an interface said something else when we asked it. */
const hasNews = (votes: readonly Vote[], current: Address | undefined): boolean =>
  votes.some(
    ({ witness, sighting }) =>
      witness.standpoint !== 'outside' && sighting.kind === 'seen' && sighting.address !== current,
  )

/**
 * Not one that has just begun, and not one that is on the trail of a new address of the router. What the interfaces said may be
 * out of date by the next hint: a new IPv6 address is usable only after a second or two (RFC 4862 §5.4).
 */
function isBetterAgain({ since, votes }: Round, current: Address | undefined, now: Instant): boolean {
  const isOnTrail = hasNews(
    votes.filter(({ witness }) => witness.standpoint !== 'own'),
    current,
  )
  return !isOnTrail && !isBefore(now, after(since, YOUNG))
}
