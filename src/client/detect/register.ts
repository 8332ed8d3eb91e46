import { between } from '../../base/time.ts'
import type { Family } from '../../net/address.ts'
import { explainRange } from '../../net/special.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Witness } from '../sources/witness.ts'
import type { Verdict, Vote } from './agree.ts'
import type { Finding } from './finding.ts'
import {
  type Reason,
  asked,
  benched,
  blamed,
  isBenched,
  mayAsk,
  newTrust,
  praised,
  spent,
  standingOf,
} from './trust.ts'

/** Keeps what we hold of each source over the rounds, and says what should be known of it. */
export interface Register {
  /** Those outside that may be asked now, in order. */
  willing(able: readonly Witness[], family: Family): readonly Witness[]
  /** Whether another round may ask the outside for this reason; counts it. */
  spend(reason: Reason): boolean
  note(witness: Witness, family: Family): void
  hear(votes: readonly Vote[]): void
  judge(verdict: Extract<Verdict, { kind: 'agreed' }>, votes: readonly Vote[]): void
}

export function register(clock: Clock, tell: (finding: Finding) => void): Register {
  let trust = newTrust(clock.now())
  let turn = 0
  let silent = 0
  const told = new Set<string>()
  const quarantined = (source: string, because: string): void => {
    const { benchedUntil } = standingOf(trust, source)
    if (benchedUntil !== undefined)
      tell({ kind: 'quarantined', source, leftAloneFor: between(clock.now(), benchedUntil), because })
  }
  return {
    willing: (able, family) => {
      const now = clock.now()
      const willing = able.filter((one) => one.standpoint === 'outside' && mayAsk(trust, one, family, now))
      return rotated(willing, turn++)
    },
    spend: (reason) => {
      const left = spent(trust, reason, clock.now())
      trust = left ?? trust
      return left !== undefined
    },
    note: ({ name }, family) => {
      trust = asked(trust, name, family, clock.now())
    },
    hear: (votes) => {
      for (const { witness, sighting } of votes) {
        if (sighting.kind === 'unknown' && sighting.isRefusal) {
          trust = benched(trust, witness.name, clock.now())
          quarantined(witness.name, sighting.because)
        }
        if (witness.standpoint !== 'router' || sighting.kind !== 'none') continue
        const { instead } = sighting
        if (instead === undefined || told.has(instead)) continue
        told.add(instead)
        tell({ kind: 'behindAnother', router: instead, because: explainRange(instead) })
      }
    },
    judge: ({ by, against, address }, votes) => {
      // A router that is dialling says so too, for a moment.
      silent = votes.some(isNameless) ? silent + 1 : 0
      if (silent === NAMELESS) tell({ kind: 'behindAnother', router: 'none', because: BEHIND })
      for (const name of by) trust = praised(trust, name)
      for (const { witness, sighting } of against) {
        if (sighting.kind !== 'seen') continue
        trust = blamed(trust, witness.name, clock.now())
        tell({ kind: 'liar', source: witness.name, said: sighting.address, agreed: address })
        if (isBenched(trust, witness.name, clock.now()))
          quarantined(witness.name, `it said ${sighting.address} where others agree on ${address}`)
      }
    },
  }
}

/** It answered that it has no address, and not what it has instead. */
const isNameless = ({ witness, sighting }: Vote): boolean =>
  witness.standpoint === 'router' && sighting.kind === 'none' && sighting.instead === undefined
const NAMELESS = 3
const BEHIND = 'your provider shares the outside address among customers, or another router stands in front'

/** Another of the cheap ones first each time, so that one that always says the same does not speak for all. */
function rotated(all: readonly Witness[], turn: number): readonly Witness[] {
  const [first, others] = [all.filter(({ isFirst }) => isFirst), all.filter(({ isFirst }) => !isFirst)]
  const least = Math.min(...others.map(({ restsFor }) => restsFor))
  const cheap = others.filter(({ restsFor }) => restsFor === least)
  const by = cheap.length === 0 ? 0 : turn % cheap.length
  const rest = others.filter((one) => !cheap.includes(one))
  return [...first, ...cheap.slice(by), ...cheap.slice(0, by), ...rest]
}
