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
import { type AddressHistory, isOtherLine, isReturning, NO_HISTORY, passOrHold } from './flip.ts'

/** The host has no route of this family, or the outside did not answer for so long that it is asked rarely. */
export type Unasked = 'route' | 'rest'

/** What a round showed besides its agreement. */
export interface RoundResult {
  readonly votes: readonly SourceVote[]
  /** Why no outside source was asked. */
  readonly unasked?: Unasked
  /** The router answers at the address, whatever it reports. */
  readonly isAtRouter: boolean
  /** The line of outside queries, if it must not be published. */
  readonly through?: string
  /** The line that may be published, where it is known. */
  readonly line?: string
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
  /** Lines that were reported since the last agreement without one. */
  readonly #reported = new Set<string>()
  #told: { readonly line: string; readonly at: Instant } | undefined
  #history: AddressHistory = NO_HISTORY

  constructor(options: FlipGuardOptions, secondRound: SecondRound) {
    this.#options = options
    this.#secondRound = secondRound
  }

  get current(): Address | undefined {
    return this.#history.current
  }

  /** Whether only the time since it was replaced speaks against the address. */
  holdsBack(
    agreement: Agreement,
    line: string | undefined,
  ): agreement is Extract<Agreement, { kind: 'agreed' }> {
    const { clock } = this.#options
    return (
      agreement.kind === 'agreed' &&
      !agreement.hasNear &&
      !isOtherLine(this.#history, line) &&
      isReturning(this.#history, agreement.address, clock.now())
    )
  }

  /** A tunnel takes some questions, and the round still waits for sources that may not answer. */
  async reportStrays(votes: readonly SourceVote[], ends: readonly AbortSignal[]): Promise<void> {
    const { clock } = this.#options
    await clock.sleep(after(clock.now(), STRAY_DELAY), ...ends)
    const [through] = straysIn(votes)
    if (through === undefined || ends.some(({ aborted }) => aborted) || this.#reported.has(through)) return
    this.#tell({ kind: 'elsewhere', through }, through)
  }

  /** A recurring line is reported in full at most every ten minutes. */
  #tell(finding: Extract<Finding, { kind: 'elsewhere' }>, line: string): void {
    const { clock, report } = this.#options
    const last = this.#told
    const isAgain = last?.line === line && isBefore(clock.now(), after(last.at, TOLD_AGAIN))
    this.#reported.add(line)
    if (!isAgain) this.#told = { line, at: clock.now() }
    report({ ...finding, ...(isAgain && { isAgain }) })
  }

  sightingOf(agreement: Agreement, round: RoundResult): Sighting {
    if (agreement.kind === 'none') return { kind: 'none' }
    const { through } = round
    // The line watch reports what a route shows.
    if (through === undefined) this.#reportElsewhere(agreement, round.votes)
    const held = through === undefined ? {} : { lineHeld: through }
    if (agreement.kind === 'open') {
      const reason = round.unasked ?? (agreement.isUnasked ? 'budget' : undefined)
      const unasked = reason === undefined ? '' : `; ${UNASKED[reason]}`
      return { kind: 'unknown', ...reasonOf(round, unasked), ...pageIn(round), ...held }
    }
    return { ...this.#passOrHold(agreement, round), ...pageIn(round), ...held }
  }

  #passOrHold(
    { address, by, hasNear }: Extract<Agreement, { kind: 'agreed' }>,
    { isAtRouter, line }: Pick<RoundResult, 'isAtRouter' | 'line'>,
  ): Sighting {
    const { clock, report } = this.#options
    const before = this.#history
    const { history, heldUntil } = passOrHold(before, address, {
      now: clock.now(),
      hasNear: hasNear || isAtRouter,
      ...(line !== undefined && { line }),
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
   * Once for each line that outside services see, until they see this one again. Where no question shows it, the line may
   * have changed between the answers of one round, so a second round must see the same.
   */
  #reportElsewhere(agreement: Exclude<Agreement, { kind: 'none' }>, votes: readonly SourceVote[]): void {
    const [through] = straysIn(votes)
    const outside = agreement.isElsewhere ? agreement.elsewhere : undefined
    const line = through ?? outside
    // The next one is told again.
    if (agreement.kind === 'agreed' && !agreement.isElsewhere && through === undefined) this.#reported.clear()
    const isNew = line !== undefined && !this.#reported.has(line)
    const isSeenTwice = this.#secondRound.isConfirmed(isNew && through === undefined ? outside : undefined)
    if (!isNew || (through === undefined && !isSeenTwice)) return
    this.#tell(
      {
        kind: 'elsewhere',
        ...(agreement.kind === 'agreed' && { published: agreement.address }),
        ...(outside !== undefined && { outside }),
        ...(through !== undefined && { through }),
      },
      line,
    )
  }
}

const TOLD_AGAIN: Duration = minutes(10)
/** A router that answers does so in a fraction of this, and is part of the message then. */
const STRAY_DELAY: Duration = seconds(1)

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
    const cause = `traffic leaves through ${through}, which is not the line whose address is published`
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
