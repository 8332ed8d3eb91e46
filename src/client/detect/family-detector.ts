import { after, type Instant, isBefore, milliseconds } from '../../base/time.ts'
import { WAIT_ENDED } from '../../base/wait-ended.ts'
import type { Address, Family } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
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
import type { DetectorOptions } from './detector-options.ts'
import { FlipGuard } from './flip-guard.ts'
import { type RecheckTimer, recheckTimer } from './recheck-timer.ts'
import type { SourceRegistry } from './source-registry.ts'
import { type UplinkTracker, uplinkTracker } from './uplink.ts'

/** A younger answer without a later hint is reused. */
const MAX_ANSWER_AGE = milliseconds(1000)
/** A hint does not restart a round that is younger than this. */
const MIN_ROUND_AGE = milliseconds(30)
/** Limits the restarts of one look, so that a burst of hints does not keep it from ending. */
const MAX_RESTARTS = { withOwn: 6, alone: 3 } as const

/** Hints since the start of the detector. */
export interface HintCounts {
  readonly hints: number
  readonly doubts: number
}

interface DetectorContext {
  readonly registry: SourceRegistry
  readonly hints: () => HintCounts
}

interface LatestResult {
  readonly sighting: Sighting
  readonly at: Instant
  /** The hints that this result answers. */
  readonly answers: HintCounts
}

interface DetectionRound {
  readonly since: Instant
  readonly restart: AbortController
  readonly votes: readonly SourceVote[]
}

/** The rounds of one family. Concurrent looks share one round. */
export class FamilyDetector {
  readonly #family: Family
  readonly #options: DetectorOptions
  readonly #context: DetectorContext
  readonly #sources: readonly AddressSource[]
  readonly #near: readonly AddressSource[]
  readonly #hasOwn: boolean
  readonly #quorum: number
  readonly #guard: FlipGuard
  readonly #rechecks: RecheckTimer
  readonly #uplink: UplinkTracker
  #latest: LatestResult | undefined
  #isOpen = false
  #pending: Promise<Sighting> | undefined
  /** The last round that a hint may restart; one that is over does not start again. */
  #round: DetectionRound | undefined

  constructor(family: Family, options: DetectorOptions, context: DetectorContext) {
    this.#family = family
    this.#options = options
    this.#context = context
    this.#sources = options.sources.filter(({ families }) => families.includes(family))
    this.#near = this.#sources.filter(({ vantage }) => vantage !== 'outside')
    this.#hasOwn = this.#near.some(({ vantage }) => vantage === 'own')
    this.#quorum = options.agreement === 'one' ? 1 : quorumOf(this.#sources, family)
    this.#guard = new FlipGuard(options)
    this.#rechecks = recheckTimer(options, options.requestLook)
    this.#uplink = uplinkTracker(family, options)
  }

  get current(): Address | undefined {
    return this.#guard.current
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  async look(signal: AbortSignal): Promise<Sighting> {
    if (this.#pending !== undefined) return this.#pending
    const { clock } = this.#options
    if (this.#latest !== undefined && isFresh(this.#latest, this.#context.hints(), clock.now()))
      return this.#latest.sighting
    this.#pending = this.#settle(signal).finally(() => (this.#pending = undefined))
    return this.#pending
  }

  /** Something may have changed. */
  hint(): void {
    this.#rechecks.reset()
    if (this.#round !== undefined && shouldRestart(this.#round, this.current, this.#options.clock.now()))
      this.#round.restart.abort(WAIT_ENDED)
  }

  async #settle(signal: AbortSignal): Promise<Sighting> {
    const maxRestarts = this.#hasOwn ? MAX_RESTARTS.withOwn : MAX_RESTARTS.alone
    for (let restarts = 0; ; restarts++) {
      const sighting = await this.#runRound(signal, restarts < maxRestarts)
      if (sighting !== undefined) return sighting
    }
  }

  /** undefined where a hint restarts the round, or where its answers came through different uplinks. */
  async #runRound(signal: AbortSignal, mayRestart: boolean): Promise<Sighting | undefined> {
    const { clock } = this.#options
    const [restart, votes, hints] = [new AbortController(), [] as SourceVote[], this.#context.hints()]
    const { uplink, through } = await this.#uplink.now()
    this.#round = mayRestart ? { since: clock.now(), restart, votes } : undefined
    const agreement = await this.#confirm(votes, uplink, AbortSignal.any([signal, restart.signal]))
    if (restart.signal.aborted || !(await this.#isStillThrough(through))) return undefined
    const sighting = this.#record(agreement, votes, through)
    this.#isOpen = agreement.kind === 'open'
    this.#latest = { answers: answered(hints, this.#isOpen, this.#latest), sighting, at: clock.now() }
    if (this.#isOpen) this.#rechecks.schedule()
    else this.#rechecks.reset()
    return sighting
  }

  /** A VPN comes up in steps: the route may change after it was read, and before the outside answers. */
  async #isStillThrough(before: string | undefined): Promise<boolean> {
    return (await this.#uplink.now()).through === before
  }

  async #confirm(
    votes: SourceVote[],
    uplink: UplinkView | undefined,
    signal: AbortSignal,
  ): Promise<Agreement> {
    const { registry, hints } = this.#context
    const previous = this.current
    const question: AgreementQuestion = {
      family: this.#family,
      hint: hintLevel(this.#latest?.answers, hints()),
      quorum: this.#quorum,
      hasOwn: this.#hasOwn,
      hasOutside: this.#sources.some(({ vantage }) => vantage === 'outside'),
      ...(previous !== undefined && { previous }),
      ...(uplink !== undefined && { uplink }),
    }
    const round = { question, near: this.#near, outside: registry.available(this.#sources, this.#family) }
    const mayAsk = limitedTo(question, votes, registry)
    return confirmAddress(round, { clock: this.#options.clock, mayAsk, signal, votes })
  }

  #record(agreement: Agreement, votes: readonly SourceVote[], through: string | undefined): Sighting {
    const { registry } = this.#context
    registry.recordVotes(votes)
    if (agreement.kind === 'agreed') registry.recordAgreement(agreement, votes)
    const sighting = this.#guard.sightingOf(agreement, {
      votes,
      ...(through !== undefined && { through }),
    })
    this.#uplink.record(agreement)
    return sighting
  }
}

/** A round takes one token, however many outside sources it asks; rounds of the schedule take none. */
function limitedTo(
  { family, hint, previous }: AgreementQuestion,
  votes: readonly SourceVote[],
  registry: SourceRegistry,
): (source: AddressSource) => boolean {
  let isPaid = hint === 'no'
  return (source) => {
    const isOutside = source.vantage === 'outside'
    if (isOutside)
      isPaid ||= registry.spendBudget(hint === 'doubted' || hasNews(votes, previous) ? 'news' : 'hint')
    if (isOutside && !isPaid) return false
    registry.recordRequest(source, family)
    return true
  }
}

const isFresh = ({ answers, at }: LatestResult, { hints }: HintCounts, now: Instant): boolean =>
  answers.hints === hints && isBefore(now, after(at, MAX_ANSWER_AGE))

const UNANSWERED = -1

/** A round without an agreement answers no hint, and keeps the doubt that it started with. */
const answered = (hints: HintCounts, isOpen: boolean, latest: LatestResult | undefined): HintCounts =>
  isOpen ? { hints: UNANSWERED, doubts: latest?.answers.doubts ?? hints.doubts } : hints

function hintLevel(answers: HintCounts | undefined, now: HintCounts): HintLevel {
  if (answers !== undefined && answers.doubts !== now.doubts) return 'doubted'
  return answers?.hints === now.hints ? 'no' : 'hinted'
}

/** A near source reports another address. */
const hasNews = (votes: readonly SourceVote[], current: Address | undefined): boolean =>
  votes.some(
    ({ source, sighting }) =>
      source.vantage !== 'outside' && sighting.kind === 'seen' && sighting.address !== current,
  )

/**
 * Not a round that has just started, and not one that confirms a new address of the router. The answer of the interfaces may
 * be outdated at the next hint: a new IPv6 address is usable only after a second or two (RFC 4862 §5.4).
 */
function shouldRestart(
  { since, votes }: DetectionRound,
  current: Address | undefined,
  now: Instant,
): boolean {
  const hasNewAddress = hasNews(
    votes.filter(({ source }) => source.vantage !== 'own'),
    current,
  )
  return !hasNewAddress && !isBefore(now, after(since, MIN_ROUND_AGE))
}
