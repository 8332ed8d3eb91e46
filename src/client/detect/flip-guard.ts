import {
  after,
  type Duration,
  type Instant,
  isBefore,
  milliseconds,
  minutes,
  seconds,
  wholeSeconds,
} from '../../shared/base/time.ts'
import type { Address } from '../../shared/base/address.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { type Agreement, type SourceVote, straysIn } from './agree.ts'
import type { Finding } from './finding.ts'
import { NO_DEFAULT_ROUTE } from './sources/nat-pmp.ts'
import type { SecondRound } from './second-round.ts'
import { type AddressHistory, isReturning, NO_HISTORY, passOrHold } from './flip.ts'

/** The host has no route of this family, or the outside did not answer for so long that it is asked rarely. */
export type Unasked = 'route' | 'rest'

/** What a round showed besides its agreement. */
export interface RoundResult {
  readonly votes: readonly SourceVote[]
  /** Why no outside source was asked. */
  readonly unasked?: Unasked
  /** The router answers at the address, whatever it reports. */
  readonly isAtRouter: boolean
  /** The interface of outside queries, where it is not the one to the router. */
  readonly through?: string
}

interface FlipGuardOptions {
  readonly clock: Clock
  readonly report: (finding: Finding) => void
  /** Called when an address that was held back may be published. */
  readonly requestLook: () => void
  readonly signal: AbortSignal
}

/** Turns the agreements of one family into sightings. An address that flips is held back. */
export class FlipGuard {
  readonly #options: FlipGuardOptions
  readonly #secondRound: SecondRound
  /** Uplinks that were reported since the last agreement without one. */
  readonly #reported = new Set<string>()
  #told: { readonly uplink: string; readonly at: Instant } | undefined
  #history: AddressHistory = NO_HISTORY

  constructor(options: FlipGuardOptions, secondRound: SecondRound) {
    this.#options = options
    this.#secondRound = secondRound
  }

  get current(): Address | undefined {
    return this.#history.current
  }

  /** Whether only the time since it was replaced speaks against the address. */
  holdsBack(agreement: Agreement): agreement is Extract<Agreement, { kind: 'agreed' }> {
    const { clock } = this.#options
    return (
      agreement.kind === 'agreed' &&
      !agreement.hasNear &&
      isReturning(this.#history, agreement.address, clock.now())
    )
  }

  /** The route shows a VPN, or a vote does, and the round still waits for sources that may not answer. */
  async reportVpn(
    { votes, through }: Pick<RoundResult, 'votes' | 'through'>,
    ends: readonly AbortSignal[],
  ): Promise<void> {
    const { clock } = this.#options
    await clock.sleep(after(clock.now(), VPN_DELAY), ...ends)
    const uplink = through ?? straysIn(votes)[0]
    if (uplink === undefined || ends.some(({ aborted }) => aborted) || this.#reported.has(uplink)) return
    this.#tell(
      { kind: 'elsewhere', through: uplink, ...(through === undefined && { isPartly: true }) },
      uplink,
    )
  }

  /** A VPN that goes and comes is told in full once in a while. */
  #tell(finding: Extract<Finding, { kind: 'elsewhere' }>, uplink: string): void {
    const { clock, report } = this.#options
    const last = this.#told
    const isAgain = last?.uplink === uplink && isBefore(clock.now(), after(last.at, TOLD_AGAIN))
    this.#reported.add(uplink)
    if (!isAgain) this.#told = { uplink, at: clock.now() }
    report({ ...finding, ...(isAgain && { isAgain }) })
  }

  sightingOf(agreement: Agreement, round: RoundResult): Sighting {
    if (agreement.kind === 'none') return { kind: 'none' }
    this.#reportUplink(agreement, round)
    if (agreement.kind === 'open') {
      const reason = round.unasked ?? (agreement.isUnasked ? 'budget' : undefined)
      const unasked = reason === undefined ? '' : `; ${UNASKED[reason]}`
      return { kind: 'unknown', ...reasonOf(round, unasked), ...pageIn(round) }
    }
    return { ...this.#passOrHold(agreement, round.isAtRouter), ...pageIn(round) }
  }

  #passOrHold(
    { address, by, hasNear }: Extract<Agreement, { kind: 'agreed' }>,
    isAtRouter: boolean,
  ): Sighting {
    const { clock, report } = this.#options
    const before = this.#history
    const { history, heldUntil } = passOrHold(before, address, {
      now: clock.now(),
      hasNear: hasNear || isAtRouter,
    })
    this.#history = history
    if (heldUntil === undefined) return { kind: 'seen', address, by: by.join(' and ') }
    if (before.returning?.since !== history.returning?.since) {
      report({ kind: 'flipping', address, heldFor: wholeSeconds(milliseconds(heldUntil - clock.now())) })
      void this.#lookAt(heldUntil)
    }
    const because = `${address} returned too soon; it is held back until it stays`
    return { kind: 'unknown', because, isHeld: true }
  }

  async #lookAt(at: Instant): Promise<void> {
    const { clock, signal, requestLook } = this.#options
    await clock.sleep(at, signal)
    if (!signal.aborted) requestLook()
  }

  /**
   * Once for each uplink that outside services see, until they see this one again. Where no route shows it, the line may
   * have changed between the answers of one round, so a second round must see the same.
   */
  #reportUplink(
    agreement: Exclude<Agreement, { kind: 'none' }>,
    { votes, through: ofRoute }: Pick<RoundResult, 'votes' | 'through'>,
  ): void {
    const stray = ofRoute === undefined ? straysIn(votes)[0] : undefined
    const through = ofRoute ?? stray
    const outside = agreement.isElsewhere ? agreement.elsewhere : undefined
    const uplink = through ?? outside
    // The next VPN is told again.
    if (agreement.kind === 'agreed' && !agreement.isElsewhere && stray === undefined) this.#reported.clear()
    const isNew =
      (agreement.isElsewhere || stray !== undefined) && uplink !== undefined && !this.#reported.has(uplink)
    const isSeenTwice = this.#secondRound.isConfirmed(isNew && through === undefined ? outside : undefined)
    if (!isNew || (through === undefined && !isSeenTwice)) return
    this.#tell(
      {
        kind: 'elsewhere',
        ...(agreement.kind === 'agreed' && { published: agreement.address }),
        ...(outside !== undefined && { outside }),
        ...(through !== undefined && { through }),
        ...(stray !== undefined && { isPartly: true }),
      },
      uplink,
    )
  }
}

const TOLD_AGAIN: Duration = minutes(10)
/** A router that answers does so in a fraction of this, and is part of the message then. */
const VPN_DELAY: Duration = seconds(1)

// biome-ignore format: a table
const UNASKED: { readonly [U in Unasked | 'budget']: string } = {
  budget: 'outside sources were asked too often in the last few minutes and must wait',
  route:  'this host has no internet route for this family',
  rest:   'no outside source has answered for a while; they are asked each hour, and when something changes',
}

const pageIn = ({ votes }: RoundResult): { readonly isPage?: true } =>
  votes.some(({ sighting }) => sighting.kind === 'unknown' && sighting.isPage === true)
    ? { isPage: true }
    : {}

/** One sentence for people; what each source answered is for those who ask for it. */
function reasonOf(
  { votes, through }: RoundResult,
  unasked: string,
): Pick<Extract<Sighting, { kind: 'unknown' }>, 'because' | 'cause' | 'answers'> {
  if (votes.length === 0) return { because: `no source answered${unasked}` }
  const answers = { answers: answersOf(votes) }
  const reporting = votes.filter(({ sighting }) => sighting.kind === 'seen')
  const lacking = votes.find(({ sighting }) => sighting.kind === 'unknown' && sighting.lacksInterface)
  if (reporting.length === 0 && lacking?.sighting.kind === 'unknown')
    return { because: lacking.sighting.because, ...answers }
  if (reporting.length === 0 && answers.answers.includes(NO_DEFAULT_ROUTE))
    return { because: `${NO_DEFAULT_ROUTE}${unasked}`, ...answers }
  if (reporting.length > 0 && through !== undefined) {
    const cause = `outside queries leave through ${through}, as with a VPN, and cannot confirm the address of the router`
    return { because: `${cause}${unasked}`, cause, ...answers }
  }
  const [what, which] =
    reporting.length === 0 ? ['no source reports an address', votes] : [lackIn(reporting), reporting]
  const detail = answersOf(which)
  const short = detail.length <= MAX_DETAIL ? `: ${detail}` : ` (of ${which.length})`
  return { because: `${what}${short}${unasked}`, ...answers }
}

/** Of near sources the outside is asked to confirm them, also after a hint where they report what is published. */
function lackIn(reporting: readonly SourceVote[]): string {
  if (reporting.every(({ source }) => source.vantage !== 'outside'))
    return 'no outside source confirms the address'
  return reporting.length === 1 ? 'one source alone is not enough' : 'no two sources agree'
}

/** In characters, so that the sentence stays one line. */
const MAX_DETAIL = 80

const answersOf = (votes: readonly SourceVote[]): string =>
  votes
    .map(({ source, sighting }) => {
      if (sighting.kind === 'seen') return `${source.name} reports ${sighting.address}`
      return `${source.name}: ${sighting.kind === 'none' ? 'none' : sighting.because}`
    })
    .join('; ')
