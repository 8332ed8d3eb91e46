import type { Nat } from '../../shared/base/nat.ts'
import type { Address } from '../../shared/base/address.ts'
import { isGlobal } from '../../shared/base/special.ts'
import type { Agreement, SourceVote } from './agree.ts'
import type { DetectorOptions } from './detector-options.ts'
import type { RoundResult } from './flip-guard.ts'
import { natOf } from './nat.ts'
import { SecondRound } from './second-round.ts'

/** Reports once what is between this network and the internet over IPv4. */
export class NatReporter {
  readonly #options: Pick<DetectorOptions, 'report'>
  readonly #secondRound: SecondRound
  readonly #reported = new Set<string>()
  #last: Nat | undefined
  #line: string | undefined

  constructor(options: Pick<DetectorOptions, 'clock' | 'requestLook' | 'signal' | 'report'>) {
    this.#options = options
    this.#secondRound = new SecondRound(options)
  }

  /** See `SecondRound.isOpen`. */
  get isInDoubt(): boolean {
    return this.#secondRound.isOpen
  }

  /** Drops what was seen on another line. */
  forLine(line: string | undefined): void {
    if (line === this.#line) return
    this.#line = line
    this.#last = undefined
    this.#secondRound.isConfirmed(undefined)
  }

  /** Handles a router answer that arrived after the round; true if it shows a shared address for certain. */
  late(votes: readonly SourceVote[], agreed: Address): boolean {
    const nat = natOf(votes, agreed)
    if (nat?.address === undefined || isGlobal(nat.address) || !votes.some(isOfRouter)) return false
    this.#last = nat
    this.#reportOnce(nat, agreed)
    return true
  }

  /** By one round. What rests on a word of the router that may be out of date, a second round must show too. */
  of(agreement: Agreement, { votes, through }: RoundResult): Nat | undefined {
    const isOfLine = agreement.kind === 'agreed' && !agreement.isElsewhere && through === undefined
    if (!isOfLine) return undefined
    // Two outside services may be faster than the router.
    if (!agreement.hasNear && !votes.some(isOfRouter)) return this.#last
    const nat = natOf(votes, agreement.address)
    this.#last = nat
    const key = JSON.stringify(nat)
    const isNew = nat !== undefined && !this.#reported.has(key)
    const isCertain = nat?.address !== undefined && !isGlobal(nat.address)
    // A router is late at each change of the line: behind another one, the same is seen at the same address.
    const isSeenTwice = this.#secondRound.isConfirmed(
      isNew && !isCertain ? `${key} ${agreement.address}` : undefined,
    )
    if (isNew && (isCertain || isSeenTwice)) this.#reportOnce(nat, agreement.address)
    return nat
  }

  #reportOnce(nat: Nat, outside: Address): void {
    const key = JSON.stringify(nat)
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.#options.report({ kind: 'behindAnother', nat, outside })
  }
}

export const hasRouterVote = (votes: readonly SourceVote[]): boolean => votes.some(isOfRouter)

/** The router has said something, and not only that it starts; or this host has what shows it without a router. */
const isOfRouter = ({ source, sighting }: SourceVote): boolean =>
  (source.vantage === 'router' && sighting.kind !== 'unknown' && sighting.isEarly !== true) ||
  (source.vantage === 'own' && sighting.kind === 'none' && sighting.instead !== undefined)
