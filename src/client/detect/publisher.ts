import { milliseconds } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Verdict, Vote } from './agree.ts'
import type { Finding } from './finding.ts'
import { NO_HISTORY, pass } from './flip.ts'
import type { Register } from './register.ts'

export interface Publisher {
  current(): Address | undefined
  /** What a round came to, as a sighting; an address that flips is held back. */
  weigh(verdict: Verdict, votes: readonly Vote[]): Sighting
}

interface Parts {
  readonly clock: Clock
  readonly tell: (finding: Finding) => void
  readonly release: () => void
}

export function publisher({ clock, tell, release }: Parts, trust: Register): Publisher {
  let history = NO_HISTORY
  const admit = (address: Address, by: readonly string[]): Sighting => {
    const { history: next, heldUntil } = pass(history, address, clock.now())
    const isNews = history.returning?.since !== next.returning?.since
    history = next
    if (heldUntil === undefined) return { kind: 'seen', address, by: by.join(' and ') }
    if (isNews) {
      tell({ kind: 'flipping', address, heldFor: milliseconds(heldUntil - clock.now()) })
      void clock.sleep(heldUntil, new AbortController().signal).then(release)
    }
    return { kind: 'unknown', because: `${address} came back too soon; it is held back until it stays` }
  }
  return {
    current: () => history.current,
    weigh: (verdict, votes) => {
      trust.hear(votes)
      if (verdict.kind === 'none') return { kind: 'none' }
      if (verdict.kind === 'open') return { kind: 'unknown', because: becauseOf(votes) }
      trust.judge(verdict, votes)
      return admit(verdict.address, verdict.by)
    },
  }
}

const becauseOf = (votes: readonly Vote[]): string => {
  if (votes.length === 0) return 'nobody was asked, or nobody answered'
  const said = votes.map(({ witness, sighting }) => {
    if (sighting.kind === 'seen') return `${witness.name} says ${sighting.address}`
    return `${witness.name}: ${sighting.kind === 'none' ? 'none' : sighting.because}`
  })
  return `${votes.length === 1 ? 'nobody agrees' : 'no two agree'}: ${said.join('; ')}`
}
