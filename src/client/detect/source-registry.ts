import { between } from '../../base/time.ts'
import type { Family } from '../../net/address.ts'
import { explainRange } from '../../net/special.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AddressSource } from '../sources/source.ts'
import type { Agreement, SourceVote } from './agree.ts'
import type { Finding } from './finding.ts'
import {
  type BudgetReason,
  healthOf,
  isQuarantined,
  mayAsk,
  newSourceRecords,
  withAgreement,
  withBudgetSpent,
  withDisagreement,
  withQuarantine,
  withRequest,
} from './source-health.ts'

/** Keeps what we hold of each source over the rounds, and says what should be known of it. */
export interface SourceRegistry {
  /** Those outside that may be asked now, in order. */
  available(able: readonly AddressSource[], family: Family): readonly AddressSource[]
  /** Whether another round may ask the outside for this reason; counts it. */
  spendBudget(reason: BudgetReason): boolean
  recordRequest(source: AddressSource, family: Family): void
  recordAnswers(votes: readonly SourceVote[]): void
  recordAgreement(verdict: Extract<Agreement, { kind: 'agreed' }>, votes: readonly SourceVote[]): void
}

export function sourceRegistry(clock: Clock, tell: (finding: Finding) => void): SourceRegistry {
  let trust = newSourceRecords(clock.now())
  let turn = 0
  let silent = 0
  const told = new Set<string>()
  const quarantined = (source: string, because: string): void => {
    const { quarantinedUntil } = healthOf(trust, source)
    if (quarantinedUntil !== undefined)
      tell({ kind: 'quarantined', source, leftAloneFor: between(clock.now(), quarantinedUntil), because })
  }
  return {
    available: (able, family) => {
      const now = clock.now()
      const willing = able.filter((one) => one.vantage === 'outside' && mayAsk(trust, one, family, now))
      return rotated(willing, turn++)
    },
    spendBudget: (reason) => {
      const left = withBudgetSpent(trust, reason, clock.now())
      trust = left ?? trust
      return left !== undefined
    },
    recordRequest: ({ name }, family) => {
      trust = withRequest(trust, name, family, clock.now())
    },
    recordAnswers: (votes) => {
      for (const { source, sighting } of votes) {
        if (sighting.kind === 'unknown' && sighting.isRefusal) {
          trust = withQuarantine(trust, source.name, clock.now())
          quarantined(source.name, sighting.because)
        }
        if (source.vantage !== 'router' || sighting.kind !== 'none') continue
        const { instead } = sighting
        if (instead === undefined || told.has(instead)) continue
        told.add(instead)
        tell({ kind: 'behindAnother', router: instead, because: explainRange(instead) })
      }
    },
    recordAgreement: ({ by, against, address }, votes) => {
      // A router that is dialling says so too, for a moment.
      silent = votes.some(isUnnamed) ? silent + 1 : 0
      if (silent === UNNAMED_LIMIT) tell({ kind: 'behindAnother', router: 'none', because: BEHIND })
      for (const name of by) trust = withAgreement(trust, name)
      for (const { source, sighting } of against) {
        if (sighting.kind !== 'seen') continue
        trust = withDisagreement(trust, source.name, clock.now())
        tell({ kind: 'liar', source: source.name, said: sighting.address, agreed: address })
        if (isQuarantined(trust, source.name, clock.now()))
          quarantined(source.name, `it said ${sighting.address} where others agree on ${address}`)
      }
    },
  }
}

/** It answered that it has no address, and not what it has instead. */
const isUnnamed = ({ source, sighting }: SourceVote): boolean =>
  source.vantage === 'router' && sighting.kind === 'none' && sighting.instead === undefined
const UNNAMED_LIMIT = 3
const BEHIND = 'your provider shares the outside address among customers, or another router stands in front'

/** Another of the cheap ones first each time, so that one that always says the same does not speak for all. */
function rotated(all: readonly AddressSource[], turn: number): readonly AddressSource[] {
  const [first, others] = [all.filter(({ isFirst }) => isFirst), all.filter(({ isFirst }) => !isFirst)]
  const least = Math.min(...others.map(({ cooldown }) => cooldown))
  const cheap = others.filter(({ cooldown }) => cooldown === least)
  const by = cheap.length === 0 ? 0 : turn % cheap.length
  const rest = others.filter((one) => !cheap.includes(one))
  return [...first, ...cheap.slice(by), ...cheap.slice(0, by), ...rest]
}
