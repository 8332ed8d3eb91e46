import { type Instant, milliseconds } from '../../base/time.ts'
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
  weigh(verdict: Verdict, round: Heard): Sighting
}

export interface Heard {
  readonly votes: readonly Vote[]
  /** The interface that questions left through, where it is not the one to the router. */
  readonly through?: string
}

interface Parts {
  readonly clock: Clock
  readonly tell: (finding: Finding) => void
  /** Something may go out now that was held back. */
  readonly look: () => void
  readonly signal: AbortSignal
}

export function publisher({ clock, tell, look, signal }: Parts, trust: Register): Publisher {
  let history = NO_HISTORY
  const release = async (at: Instant): Promise<void> => {
    await clock.sleep(at, signal)
    if (!signal.aborted) look()
  }
  const admit = ({ address, by, isStated }: Extract<Verdict, { kind: 'agreed' }>): Sighting => {
    const { history: next, heldUntil } = pass(history, address, { now: clock.now(), isStated })
    const isNews = history.returning?.since !== next.returning?.since
    history = next
    if (heldUntil === undefined) return { kind: 'seen', address, by: by.join(' and ') }
    if (isNews) {
      tell({ kind: 'flipping', address, heldFor: milliseconds(heldUntil - clock.now()) })
      void release(heldUntil)
    }
    const because = `${address} came back too soon; it is held back until it stays`
    return { kind: 'unknown', because, isHeld: true }
  }
  const told = new Set<string>()
  /** Said once for each line that the outside sees. */
  const tellElsewhere = (verdict: Exclude<Verdict, { kind: 'none' }>, through: string | undefined): void => {
    if (!verdict.isElsewhere) return
    const { elsewhere: outside } = verdict
    const line = through ?? outside
    if (line === undefined || told.has(line)) return
    told.add(line)
    tell({
      kind: 'elsewhere',
      ...(verdict.kind === 'agreed' && { published: verdict.address }),
      ...(outside !== undefined && { outside }),
      ...(through !== undefined && { through }),
    })
  }
  return {
    current: () => history.current,
    weigh: (verdict, { votes, through }) => {
      trust.hear(votes)
      if (verdict.kind === 'none') return { kind: 'none' }
      tellElsewhere(verdict, through)
      if (verdict.kind === 'open') return { kind: 'unknown', because: becauseOf(votes, through) }
      // Who sees another line tells the truth about that.
      if (!verdict.isElsewhere) trust.judge(verdict, votes)
      return admit(verdict)
    },
  }
}

const becauseOf = (votes: readonly Vote[], through: string | undefined): string => {
  if (votes.length === 0) return 'no source answered'
  const said = votes.map(({ witness, sighting }) => {
    if (sighting.kind === 'seen') return `${witness.name} says ${sighting.address}`
    return `${witness.name}: ${sighting.kind === 'none' ? 'none' : sighting.because}`
  })
  const isAnySeen = votes.some(({ sighting }) => sighting.kind === 'seen')
  if (!isAnySeen) return `no source knows the address: ${said.join('; ')}`
  if (through !== undefined)
    return `outside services are asked through ${through}, as with a VPN, and cannot confirm what the router states: ${said.join('; ')}`
  return `${votes.length === 1 ? 'one source alone is not believed' : 'no two sources agree'}: ${said.join('; ')}`
}
