import { wholeSeconds } from '../../shared/base/time.ts'
import type { Family } from '../../shared/base/address.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { AddressSource } from './sources/source.ts'
import { type Agreement, independentOf, type SourceVote } from './agree.ts'
import type { Finding } from './finding.ts'
import {
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

/** The records of all sources over the rounds; reports what users should learn about a source. */
export class SourceRegistry {
  readonly #clock: Clock
  readonly #report: (finding: Finding) => void
  #records: SourceRecords = NEW_RECORDS
  #turn = 0

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

  /** Whether another look of this family outside the schedule may ask outside sources; counts it. */
  spendBudget(family: Family): boolean {
    const records = withBudgetSpent(this.#records, family, this.#clock.now())
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
    }
  }

  recordAgreement({ by, against, address }: Extract<Agreement, { kind: 'agreed' }>): void {
    for (const name of by) this.#records = withAgreement(this.#records, name)
    for (const { source, sighting } of against) {
      this.#records = withDisagreement(this.#records, source.name, this.#clock.now())
      this.#report({ kind: 'outlier', source: source.name, reported: sighting.address, agreed: address })
      this.#reportQuarantine(source.name, `it reports ${sighting.address}, but others agree on ${address}`)
    }
  }

  #reportQuarantine(source: string, because: string): void {
    const left = quarantineLeft(this.#records, source, this.#clock.now())
    const duration = wholeSeconds(left)
    if (duration > 0) this.#report({ kind: 'quarantined', source, duration, because })
  }
}

/** Starts with another one of the cheapest sources each time, so that a stale source does not decide every round. */
function rotated(all: readonly AddressSource[], turn: number): readonly AddressSource[] {
  const [first, others] = [all.filter(({ isFirst }) => isFirst), all.filter(({ isFirst }) => !isFirst)]
  const minCooldown = Math.min(...others.map(({ cooldown }) => cooldown))
  const cheap = others.filter(({ cooldown }) => cooldown === minCooldown)
  // NaN where there is none; every part of nothing is empty.
  const start = turn % cheap.length
  const costly = others.filter((one) => !cheap.includes(one))
  return [...inTurns([...first, ...cheap.slice(start), ...cheap.slice(0, start)]), ...costly]
}

/** Two that start together are two votes. */
function inTurns(sources: readonly AddressSource[]): readonly AddressSource[] {
  const [ordered, rest]: [AddressSource[], AddressSource[]] = [[], [...sources]]
  while (rest.length > 0) {
    const at = rest.findIndex((one) => independentOf([...ordered, one]) > independentOf(ordered))
    ordered.push(...rest.splice(Math.max(at, 0), 1))
  }
  return ordered
}
