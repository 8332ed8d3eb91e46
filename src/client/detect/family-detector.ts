import { after, type Duration, type Instant, isBefore, milliseconds } from '../../shared/base/time.ts'
import { WAIT_ENDED } from '../../shared/base/concurrency.ts'
import type { Address, Family } from '../../shared/base/address.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import type { AddressSource } from './sources/source.ts'
import {
  type Agreement,
  type AgreementQuestion,
  type HintLevel,
  quorumOf,
  type SourceVote,
  type UplinkView,
} from './agree.ts'
import { confirmAddress } from './confirm.ts'
import { hasNews, limitedTo, type LookBudget } from './look-budget.ts'
import { hasRouterVote, NatReporter } from './nat-reporter.ts'
import type { DetectorOptions } from './detector-options.ts'
import { FlipGuard, type RoundResult, type Unasked } from './flip-guard.ts'
import type { LineEvidence } from './line/line-watch.ts'
import { type RecheckTimer, recheckTimer } from './recheck-timer.ts'
import { Rest } from './rest.ts'
import type { SourceRegistry } from './source-registry.ts'
import { SecondRound } from './second-round.ts'
import { type UplinkTracker, uplinkTracker } from './uplink.ts'

/** In milliseconds: a younger answer without a later hint is reused. A suspend makes it older. */
const MAX_ANSWER_AGE = 1000
/** A hint does not restart a round that is younger than this. */
const MIN_ROUND_AGE = milliseconds(30)
/** A search for UPnP takes seconds. */
const LATE_TIMEOUT = milliseconds(4000)
/** Limits the restarts of one look, so that a burst of hints does not keep it from ending. */
const MAX_RESTARTS = { withOwn: 6, alone: 3 } as const

/** See `HINTS`. */
export type HintKind = 'plain' | 'doubt' | 'line'

/** Hints since the start of the detector. */
export interface HintCounts {
  readonly all: number
  readonly doubts: number
}

export interface DetectorContext {
  readonly registry: SourceRegistry
  readonly hints: () => HintCounts
  /** This host has a public address of the other family. */
  readonly isOtherKnown: () => boolean
}

interface LatestResult {
  readonly sighting: Sighting
  /** Since the boot. */
  readonly at: Duration
  /** The hints that this result answers. */
  readonly answers: HintCounts
}

interface RoundStart {
  /** Filled while the round runs. */
  readonly votes: SourceVote[]
  readonly uplink: UplinkView | undefined
  readonly unasked: Unasked | undefined
  readonly budget: LookBudget
  readonly signal: AbortSignal
}

/** See `RoundResult`. */
interface RoundLine {
  readonly through: string | undefined
  readonly line: string | undefined
}

interface DetectionRound {
  readonly since: Instant
  readonly line: RoundLine
  readonly restart: AbortController
  /** Else only another line restarts it. */
  readonly mayRestart: boolean
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
  readonly #secondRound: SecondRound
  readonly #nat: NatReporter
  readonly #guard: FlipGuard
  readonly #rest: Rest
  readonly #rechecks: RecheckTimer
  readonly #uplink: UplinkTracker
  #latest: LatestResult | undefined
  #isOpen = false
  /** The address for which the router was asked after the round. */
  #askedLate: Address | undefined
  /** The last agreement was of outside sources alone. */
  #isWithoutNear = false
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
    this.#secondRound = new SecondRound(options)
    this.#guard = new FlipGuard(options, this.#secondRound)
    this.#nat = new NatReporter(options)
    this.#rest = new Rest(family, options, context.isOtherKnown)
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
    const now = this.#options.uptime()
    if (this.#latest !== undefined && isFresh(this.#latest, this.#context.hints(), now))
      return this.#latest.sighting
    this.#pending = this.#settle(signal).finally(() => (this.#pending = undefined))
    return this.#pending
  }

  /** Something may have changed. */
  hint(kind: HintKind): void {
    this.#rechecks.reset()
    const round = this.#round
    if (round === undefined) return
    const restart = (): void => round.restart.abort(WAIT_ENDED)
    const isDue = round.mayRestart && shouldRestart(round, this.current, this.#options.clock.now())
    if (kind === 'line' || isDue) restart()
    // Answers to questions that left by another line may never arrive.
    else void this.#isStill(round.line).then((isStill) => isStill || restart(), restart)
  }

  async #settle(signal: AbortSignal): Promise<Sighting> {
    const maxRestarts = this.#hasOwn ? MAX_RESTARTS.withOwn : MAX_RESTARTS.alone
    const budget: LookBudget = { isSpent: false, isRefused: false }
    for (let restarts = 0; ; restarts++) {
      const sighting = await this.#runRound(signal, { mayRestart: restarts < maxRestarts, budget })
      if (sighting === undefined) continue
      this.#round = undefined
      return sighting
    }
  }

  /** undefined where a hint restarts the round, or where its answers came through different uplinks. */
  async #runRound(
    signal: AbortSignal,
    { mayRestart, budget }: { readonly mayRestart: boolean; readonly budget: LookBudget },
  ): Promise<Sighting | undefined> {
    const { clock, uptime } = this.#options
    const [restart, votes, hints] = [new AbortController(), [] as SourceVote[], this.#context.hints()]
    const { uplink, through, line } = await this.#uplink.now()
    this.#nat.forLine(line)
    this.#round = { since: clock.now(), line: { through, line }, restart, mayRestart, votes }
    const end = AbortSignal.any([signal, restart.signal])
    const unasked = await this.#unasked(hints)
    const over = new AbortController()
    if (uplink !== undefined) void this.#guard.reportStrays(votes, [end, over.signal])
    const agreement = await this.#confirm({ votes, uplink, unasked, budget, signal: end })
    over.abort(WAIT_ENDED)
    const isAtRouter = await this.#isAtRouter(agreement, { through, line }, end)
    if (agreement.kind === 'agreed') await this.#options.beforeRecord?.(this.#family)
    if (restart.signal.aborted || !(await this.#isStill({ through, line }))) return undefined
    if (unasked === undefined) this.#rest.record(votes, hints.all)
    const sighting = this.#record(agreement, {
      votes,
      isAtRouter,
      ...(through !== undefined && { through }),
      ...(line !== undefined && { line }),
      ...(unasked !== undefined && { unasked }),
    })
    this.#isOpen = agreement.kind === 'open'
    this.#isWithoutNear = agreement.kind === 'agreed' && !agreement.hasNear
    this.#latest = { answers: answered(hints, this.#isOpen, this.#latest), sighting, at: uptime() }
    if (this.#isOpen) this.#rechecks.schedule()
    else this.#rechecks.reset()
    return sighting
  }

  /** If outside services were faster than the router, asks it once per address whether the address is shared. */
  async #askLate(agreed: Address): Promise<void> {
    if (this.#askedLate === agreed) return
    this.#askedLate = agreed
    const { clock, signal, requestLook } = this.#options
    const votes = await Promise.all(
      this.#near.map(async (source) => {
        const end = AbortSignal.any([signal, clock.deadline(LATE_TIMEOUT)])
        return { source, sighting: await source.look('v4', end) }
      }),
    )
    if (!signal.aborted && this.current === agreed && this.#nat.late(votes, agreed)) requestLook()
  }

  /** A VPN comes up in steps: the route may change after it was read, and before the outside answers. */
  async #isStill({ through, line }: RoundLine): Promise<boolean> {
    const now = await this.#uplink.now()
    return now.through === through && (line === undefined || now.line === line)
  }

  /**
   * Of two lines that alternate behind the router, it has the one that is in use: an address that returns, and that only
   * outside sources report, need not stay for a while then. Through a VPN, its server would answer in its place.
   */
  async #isAtRouter(
    agreement: Agreement,
    { through, line }: RoundLine,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.#family !== 'v4' || through !== undefined || !this.#guard.holdsBack(agreement, line))
      return false
    return this.#options.isAtRouter(agreement.address, signal)
  }

  /** Why no outside source is asked in this round. */
  async #unasked({ all }: HintCounts): Promise<Unasked | undefined> {
    return this.#rest.reason(all, await this.#options.hasRoute(this.#family))
  }

  async #confirm({ votes, uplink, unasked, budget, signal }: RoundStart): Promise<Agreement> {
    const { registry, hints } = this.#context
    const previous = this.current
    const level = hintLevel(this.#latest?.answers, hints())
    const question: AgreementQuestion = {
      family: this.#family,
      hint: this.#secondRound.isOpen || this.#nat.isInDoubt ? 'doubted' : level,
      quorum: this.#quorum,
      hasOwn: this.#hasOwn,
      hasOutside: this.#sources.some(({ vantage }) => vantage === 'outside'),
      ...(previous !== undefined && { previous }),
      ...(uplink !== undefined && { uplink }),
    }
    const outside = unasked === undefined ? registry.available(this.#sources, this.#family) : []
    // A round that is repeated because of the router waits for it.
    const isFaster = level === 'doubted' && this.#isWithoutNear && !this.#nat.isInDoubt
    const isAlone = this.#near.length === 0 || isFaster
    const order =
      this.#options.agreement === 'one'
        ? { order: this.#sources.filter((one) => this.#near.includes(one) || outside.includes(one)) }
        : {}
    const round = { question, near: this.#near, outside, isAlone, ...order }
    const limit = limitedTo({ question, budget }, registry)
    const agreement = await confirmAddress(round, {
      clock: this.#options.clock,
      mayAsk: limit.mayAsk,
      signal,
      votes,
    })
    return agreement.kind === 'open' && limit.isReached() ? { ...agreement, isUnasked: true } : agreement
  }

  #record(agreement: Agreement, round: RoundResult): Sighting {
    const { registry } = this.#context
    registry.recordVotes(round.votes)
    if (agreement.kind === 'agreed') registry.recordAgreement(agreement)
    const sighting = this.#guard.sightingOf(agreement, round)
    this.#uplink.record(agreement, round.votes)
    this.#options.onRound?.(this.#family, evidenceIn(agreement, round))
    const nat = this.#family === 'v4' ? this.#nat.of(agreement, round) : undefined
    if (
      this.#family === 'v4' &&
      agreement.kind === 'agreed' &&
      !agreement.hasNear &&
      !hasRouterVote(round.votes)
    )
      void this.#askLate(agreement.address)
    return nat !== undefined && sighting.kind === 'seen' ? { ...sighting, nat } : sighting
  }
}

const evidenceIn = (agreement: Agreement, { votes, through }: RoundResult): LineEvidence => ({
  hasWord:
    through === undefined &&
    votes.some(({ source, sighting }) => source.vantage === 'router' && sighting.kind === 'seen'),
  isAgreed: through === undefined && agreement.kind === 'agreed' && agreement.isElsewhere !== true,
  ...(through !== undefined &&
    agreement.kind !== 'none' &&
    agreement.elsewhere !== undefined && { elsewhere: agreement.elsewhere }),
})

const isFresh = ({ answers, at }: LatestResult, { all }: HintCounts, now: Duration): boolean =>
  answers.all === all && now - at < MAX_ANSWER_AGE

const UNANSWERED = -1

/** A round without an agreement answers no hint, and keeps the doubt that it started with. */
const answered = (hints: HintCounts, isOpen: boolean, latest: LatestResult | undefined): HintCounts =>
  isOpen ? { all: UNANSWERED, doubts: latest?.answers.doubts ?? hints.doubts } : hints

function hintLevel(answers: HintCounts | undefined, now: HintCounts): HintLevel {
  if (answers !== undefined && answers.doubts !== now.doubts) return 'doubted'
  return answers?.all === now.all ? 'no' : 'hinted'
}

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
