import { after, type Instant, isBefore, milliseconds } from '../../base/time.ts'
import { type Address, FAMILIES, type Family } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { AddressProvider } from '../sources/provider.ts'
import type { AddressSource } from '../sources/source.ts'
import {
  type Agreement,
  type AgreementQuestion,
  type HintLevel,
  quorumOf,
  type SourceVote,
  type UplinkView,
} from './agree.ts'
import { confirmAddress } from './confirm.ts'
import type { Finding } from './finding.ts'
import { flipGuard } from './flip-guard.ts'
import { recheckTimer } from './recheck-timer.ts'
import { type SourceRegistry, sourceRegistry } from './source-registry.ts'
import { type OutsideRoute, uplinkTracker } from './uplink.ts'

/** The public address as several sources agree on it. Itself a source: who uses it need not know how many there are. */
export interface Detector extends AddressProvider {
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

export interface DetectorOptions {
  readonly sources: readonly AddressSource[]
  /** Even time, in milliseconds; need not be the time of day. */
  readonly clock: Clock
  readonly random: Random
  readonly tell: (finding: Finding) => void
  /** `one`: the first answer is believed. */
  readonly agreement: 'two' | 'one'
  /** Called when there is a reason to look that no watcher brings: a pause between rounds is over. */
  readonly look: () => void
  /** What the service holds for this host, as far as it is remembered. */
  readonly published: (family: Family) => readonly Address[]
  /** How the outside is reached; undefined where it does not matter what line the outside sees. */
  readonly outboundRoute: ((family: Family) => Promise<OutsideRoute>) | undefined
  readonly signal: AbortSignal
}

/** An answer so young, with no hint since, is not asked for again. */
const FRESH = milliseconds(1000)
/** A round that began so shortly before a hint has asked late enough. */
const YOUNG = milliseconds(30)
/** Hints begin a round again so often at most, so that a storm of them does not keep it from ending. */
const MAX_RESTARTS = { withOwn: 6, alone: 3 } as const

const maxRestarts = (hasOwn: boolean): number => (hasOwn ? MAX_RESTARTS.withOwn : MAX_RESTARTS.alone)

interface Counts {
  readonly hints: number
  readonly doubts: number
}

export function detector(parts: DetectorOptions): Detector {
  const trust = sourceRegistry(parts.clock, parts.tell)
  let counts: Counts = { hints: 0, doubts: 0 }
  const watches = {
    v4: familyDetector('v4', parts, trust, () => counts),
    v6: familyDetector('v6', parts, trust, () => counts),
  }
  return {
    name: parts.sources.map(({ name }) => name).join(', '),
    look: async (family, signal) => watches[family].look(signal),
    current: (family) => watches[family].current(),
    isOpen: (family) => watches[family].isOpen(),
    hint: (isDoubt) => {
      counts = { hints: counts.hints + 1, doubts: counts.doubts + (isDoubt ? 1 : 0) }
      for (const family of FAMILIES) watches[family].disturb()
    },
  }
}

interface DetectionRound {
  readonly since: Instant
  readonly again: AbortController
  readonly votes: readonly SourceVote[]
}

/** One family: what was agreed on, and the round that is under way. */
function familyDetector(
  family: Family,
  { sources, ...parts }: DetectorOptions,
  trust: SourceRegistry,
  now: () => Counts,
) {
  const { clock, agreement } = parts
  const able = sources.filter(({ families }) => families.includes(family))
  const near = able.filter(({ vantage }) => vantage !== 'outside')
  const hasOwn = near.some(({ vantage }) => vantage === 'own')
  const quorum = agreement === 'one' ? 1 : quorumOf(able, family)
  const published = flipGuard(parts, trust)
  const rechecks = recheckTimer(parts, parts.look)
  let latest: (Counts & { readonly sighting: Sighting; readonly at: Instant }) | undefined
  const way = uplinkTracker(family, parts)
  let isOpen = false
  let underWay: Promise<Sighting> | undefined
  let round: DetectionRound | undefined

  const ask = async (
    votes: SourceVote[],
    uplink: UplinkView | undefined,
    signal: AbortSignal,
  ): Promise<Agreement> => {
    const base = { family, hint: hintFor(latest, now()), quorum, hasOwn }
    const [question, outside] = [questionOf(base, published.current(), uplink), trust.available(able, family)]
    const mayAsk = rationed(question, votes, trust)
    return confirmAddress({ question, near, outside }, { clock, mayAsk, signal, votes })
  }
  const settle = async (signal: AbortSignal): Promise<Sighting> => {
    for (let restarts = 0; ; restarts++) {
      const [again, votes, before] = [new AbortController(), [] as SourceVote[], now()]
      const { uplink, through } = await way.now()
      round = restarts < maxRestarts(hasOwn) ? { since: clock.now(), again, votes } : undefined
      const verdict = await ask(votes, uplink, AbortSignal.any([signal, again.signal]))
      round = undefined
      if (again.signal.aborted && !signal.aborted) continue
      const sighting = published.weigh(verdict, { votes, ...(through !== undefined && { through }) })
      way.record(verdict)
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
      if (latest !== undefined && isFresh(latest, now(), clock.now())) return latest.sighting
      underWay = settle(signal).finally(() => (underWay = undefined))
      return underWay
    },
    disturb: (): void => {
      rechecks.reset()
      if (round !== undefined && isBetterAgain(round, published.current(), clock.now())) round.again.abort()
    },
  }
}

const questionOf = (
  base: Omit<AgreementQuestion, 'previous' | 'uplink'>,
  previous: Address | undefined,
  uplink: UplinkView | undefined,
): AgreementQuestion => ({
  ...base,
  ...(previous !== undefined && { previous }),
  ...(uplink !== undefined && { uplink }),
})

/** One round is one confirmation, however many it asks; what the schedule asks costs nothing. */
function rationed(
  { family, hint, previous }: AgreementQuestion,
  votes: readonly SourceVote[],
  trust: SourceRegistry,
): (source: AddressSource) => boolean {
  let isPaid = hint === 'no'
  return (source) => {
    const isOutside = source.vantage === 'outside'
    if (isOutside)
      isPaid ||= trust.spendBudget(hint === 'doubted' || hasNews(votes, previous) ? 'news' : 'hint')
    if (isOutside && !isPaid) return false
    trust.recordRequest(source, family)
    return true
  }
}

const isFresh = (latest: Counts & { readonly at: Instant }, { hints }: Counts, now: Instant): boolean =>
  latest.hints === hints && isBefore(now, after(latest.at, FRESH))

const NOT_ANSWERED = -1

/** What came to nothing is still to be answered, with the doubt that it began with. */
const stillAsked = (isOpen: boolean, before: Counts, latest: Counts | undefined): Counts =>
  isOpen ? { hints: NOT_ANSWERED, doubts: latest?.doubts ?? before.doubts } : before

const hintFor = (latest: Counts | undefined, now: Counts): HintLevel => {
  if (latest === undefined) return 'hinted'
  if (latest.doubts !== now.doubts) return 'doubted'
  return latest.hints === now.hints ? 'no' : 'hinted'
}

/** The router or an interface said something else when we asked it. */
const hasNews = (votes: readonly SourceVote[], current: Address | undefined): boolean =>
  votes.some(
    ({ source, sighting }) =>
      source.vantage !== 'outside' && sighting.kind === 'seen' && sighting.address !== current,
  )

/**
 * Not one that has just begun, and not one that is on the trail of a new address of the router. What the interfaces said may be
 * out of date by the next hint: a new IPv6 address is usable only after a second or two (RFC 4862 §5.4).
 */
function isBetterAgain(
  { since, votes }: DetectionRound,
  current: Address | undefined,
  now: Instant,
): boolean {
  const isOnTrail = hasNews(
    votes.filter(({ source }) => source.vantage !== 'own'),
    current,
  )
  return !isOnTrail && !isBefore(now, after(since, YOUNG))
}
