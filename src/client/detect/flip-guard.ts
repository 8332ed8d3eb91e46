import { type Instant, milliseconds } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Agreement, SourceVote } from './agree.ts'
import type { Finding } from './finding.ts'
import { NO_HISTORY, passOrHold } from './flip.ts'
import type { SourceRegistry } from './source-registry.ts'

export interface FlipGuard {
  current(): Address | undefined
  /** What a round came to, as a sighting; an address that flips is held back. */
  weigh(verdict: Agreement, round: RoundAnswers): Sighting
}

export interface RoundAnswers {
  readonly votes: readonly SourceVote[]
  /** The interface that questions left through, where it is not the one to the router. */
  readonly through?: string
}

interface FlipGuardOptions {
  readonly clock: Clock
  readonly tell: (finding: Finding) => void
  /** Something may go out now that was held back. */
  readonly look: () => void
  readonly signal: AbortSignal
}

export function flipGuard({ clock, tell, look, signal }: FlipGuardOptions, trust: SourceRegistry): FlipGuard {
  let history = NO_HISTORY
  const release = async (at: Instant): Promise<void> => {
    await clock.sleep(at, signal)
    if (!signal.aborted) look()
  }
  const admit = ({ address, by, isStated }: Extract<Agreement, { kind: 'agreed' }>): Sighting => {
    const { history: next, heldUntil } = passOrHold(history, address, { now: clock.now(), isStated })
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
  const tellElsewhere = (
    verdict: Exclude<Agreement, { kind: 'none' }>,
    through: string | undefined,
  ): void => {
    if (!verdict.isElsewhere) return
    const { elsewhere: outside } = verdict
    const uplink = through ?? outside
    if (uplink === undefined || told.has(uplink)) return
    told.add(uplink)
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
      trust.recordAnswers(votes)
      if (verdict.kind === 'none') return { kind: 'none' }
      tellElsewhere(verdict, through)
      if (verdict.kind === 'open') return { kind: 'unknown', because: becauseOf(votes, through) }
      // Who sees another line tells the truth about that.
      if (!verdict.isElsewhere) trust.recordAgreement(verdict, votes)
      return admit(verdict)
    },
  }
}

const becauseOf = (votes: readonly SourceVote[], through: string | undefined): string => {
  if (votes.length === 0) return 'no source answered'
  const said = votes.map(({ source, sighting }) => {
    if (sighting.kind === 'seen') return `${source.name} says ${sighting.address}`
    return `${source.name}: ${sighting.kind === 'none' ? 'none' : sighting.because}`
  })
  const isAnySeen = votes.some(({ sighting }) => sighting.kind === 'seen')
  if (!isAnySeen) return `no source knows the address: ${said.join('; ')}`
  if (through !== undefined)
    return `outside services are asked through ${through}, as with a VPN, and cannot confirm what the router states: ${said.join('; ')}`
  return `${votes.length === 1 ? 'one source alone is not believed' : 'no two sources agree'}: ${said.join('; ')}`
}
