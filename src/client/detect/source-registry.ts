import type { Address, Family } from '../../net/address.ts'
import { explainRange } from '../../net/special.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AddressSource } from '../sources/source.ts'
import type { Agreement, SourceVote } from './agree.ts'
import type { Finding } from './finding.ts'
import {
  type BudgetReason,
  mayAsk,
  NEW_RECORDS,
  quarantineLeft,
  type SourceRecords,
  withAgreement,
  withBudgetSpent,
  withDisagreement,
  withQuarantine,
  withRequest,
} from './source-health.ts'

/** A router that redials has no address either, for a moment; so many rounds without one are a finding. */
const ADDRESSLESS_LIMIT = 3
const ADDRESSLESS =
  'your provider shares the outside address among customers, or another router is in front of yours'

/** The records of all sources over the rounds; reports what users should learn about a source. */
export class SourceRegistry {
  readonly #clock: Clock
  readonly #report: (finding: Finding) => void
  /** Router addresses that were reported. */
  readonly #reported = new Set<string>()
  #records: SourceRecords = NEW_RECORDS
  #turn = 0
  #addresslessRounds = 0

  constructor(clock: Clock, report: (finding: Finding) => void) {
    this.#clock = clock
    this.#report = report
  }

  /** The outside sources that may be asked now, in the order of use. */
  available(sources: readonly AddressSource[], family: Family): readonly AddressSource[] {
    const now = this.#clock.now()
    const available = sources.filter(
      (source) => source.vantage === 'outside' && mayAsk(this.#records, { source, family }, now),
    )
    return rotated(available, this.#turn++)
  }

  /** Whether another round of this family may ask outside sources for this reason; counts the round. */
  spendBudget(family: Family, reason: BudgetReason): boolean {
    const records = withBudgetSpent(this.#records, { family, reason }, this.#clock.now())
    this.#records = records ?? this.#records
    return records !== undefined
  }

  recordRequest(source: AddressSource, family: Family): void {
    this.#records = withRequest(this.#records, { source, family }, this.#clock.now())
  }

  recordVotes(votes: readonly SourceVote[]): void {
    for (const { source, sighting } of votes) {
      if (sighting.kind === 'unknown' && sighting.isRefusal) {
        this.#records = withQuarantine(this.#records, source.name, this.#clock.now())
        this.#reportQuarantine(source.name, sighting.because)
      }
      if (source.vantage === 'router' && sighting.kind === 'none') this.#reportRouter(sighting.instead)
    }
  }

  recordAgreement(
    { by, against, address }: Extract<Agreement, { kind: 'agreed' }>,
    votes: readonly SourceVote[],
  ): void {
    this.#addresslessRounds = votes.some(isAddressless) ? this.#addresslessRounds + 1 : 0
    if (this.#addresslessRounds === ADDRESSLESS_LIMIT)
      this.#report({ kind: 'behindAnother', router: 'none', because: ADDRESSLESS })
    for (const name of by) this.#records = withAgreement(this.#records, name)
    for (const { source, sighting } of against) {
      this.#records = withDisagreement(this.#records, source.name, this.#clock.now())
      this.#report({ kind: 'outlier', source: source.name, reported: sighting.address, agreed: address })
      this.#reportQuarantine(source.name, `it reports ${sighting.address} where others agree on ${address}`)
    }
  }

  #reportQuarantine(source: string, because: string): void {
    const duration = quarantineLeft(this.#records, source, this.#clock.now())
    if (duration > 0) this.#report({ kind: 'quarantined', source, duration, because })
  }

  #reportRouter(address: Address | undefined): void {
    if (address === undefined || this.#reported.has(address)) return
    this.#reported.add(address)
    this.#report({ kind: 'behindAnother', router: address, because: explainRange(address) })
  }
}

/** A router without an address, not even a private one. */
const isAddressless = ({ source, sighting }: SourceVote): boolean =>
  source.vantage === 'router' && sighting.kind === 'none' && sighting.instead === undefined

/** Starts with another one of the cheapest sources each time, so that a stale source does not decide every round. */
function rotated(all: readonly AddressSource[], turn: number): readonly AddressSource[] {
  const [first, others] = [all.filter(({ isFirst }) => isFirst), all.filter(({ isFirst }) => !isFirst)]
  const minCooldown = Math.min(...others.map(({ cooldown }) => cooldown))
  const cheap = others.filter(({ cooldown }) => cooldown === minCooldown)
  // NaN where there is none; every part of nothing is empty.
  const start = turn % cheap.length
  const costly = others.filter((one) => !cheap.includes(one))
  return [...first, ...cheap.slice(start), ...cheap.slice(0, start), ...costly]
}
