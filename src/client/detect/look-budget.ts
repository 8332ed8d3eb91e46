import type { Address } from '../../shared/base/address.ts'
import type { AddressSource } from './sources/source.ts'
import type { AgreementQuestion, SourceVote } from './agree.ts'
import type { SourceRegistry } from './source-registry.ts'

/** A look takes one token, however many outside sources its rounds ask. */
export interface LookBudget {
  isSpent: boolean
  /** A token that comes back during the look would allow only some of the questions. */
  isRefused: boolean
}

/** A near source reports another address. */
export const hasNews = (votes: readonly SourceVote[], current: Address | undefined): boolean =>
  votes.some(
    ({ source, sighting }) =>
      source.vantage !== 'outside' && sighting.kind === 'seen' && sighting.address !== current,
  )

interface RoundLimit {
  readonly mayAsk: (source: AddressSource) => boolean
  /** Whether an outside source was not asked. */
  readonly isReached: () => boolean
}

interface LimitedRound {
  readonly question: AgreementQuestion
  readonly budget: LookBudget
}

/** Looks of the schedule take no token. */
export function limitedTo(
  { question: { family, hint }, budget }: LimitedRound,
  registry: SourceRegistry,
): RoundLimit {
  let isReached = false
  const mayAsk = (source: AddressSource): boolean => {
    const isOutside = source.vantage === 'outside'
    if (isOutside && hint !== 'no' && !budget.isSpent && !budget.isRefused) {
      budget.isSpent = registry.spendBudget(family)
      budget.isRefused = !budget.isSpent
    }
    isReached = isOutside && hint !== 'no' && !budget.isSpent
    if (isReached) return false
    registry.recordRequest(source, family)
    return true
  }
  return { mayAsk, isReached: () => isReached }
}
