import { after, type Duration, milliseconds } from '../../base/time.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AddressSource } from '../sources/source.ts'
import { type Agreement, type AgreementQuestion, agree, type SourceVote } from './agree.ts'

/**
 * When the outside sources start, one after the other, while those before have not settled it. Beside the router or an
 * own interface one outside voice is enough; without, two start together.
 */
// biome-ignore format: a table
const STARTS: { readonly besideNear: readonly Duration[]; readonly alone: readonly Duration[] } = {
  besideNear: [10, 120, 250, 500].map(milliseconds),
  alone:      [0, 0, 250, 500].map(milliseconds),
}
/** What is near answers within milliseconds: if it says that nothing changed, nobody outside is asked. */
const HEAD_START = STARTS.besideNear[0]
const EVERY_FURTHER = milliseconds(500)

/** A round is over then, whoever has not answered. */
const GIVE_UP = milliseconds(5000)

export interface ConfirmationRound {
  readonly question: AgreementQuestion
  readonly near: readonly AddressSource[]
  /** In the order in which they are to be asked. */
  readonly outside: readonly AddressSource[]
}

export interface RoundContext {
  readonly clock: Clock
  /** Whether this source may be asked now, given what was said so far; it is asked then. */
  readonly mayAsk: (source: AddressSource) => boolean
  readonly signal: AbortSignal
  /** What was said so far; for who wonders whether to begin anew. */
  readonly votes: SourceVote[]
}

/** Asks until it is settled, cheap ones first; what is still under way then is broken off. */
export async function confirmAddress(
  { question, near, outside }: ConfirmationRound,
  { clock, mayAsk, signal, votes }: RoundContext,
): Promise<Agreement> {
  const [settled, kick] = [new AbortController(), new AbortController()]
  const over = AbortSignal.any([signal, settled.signal, clock.deadline(GIVE_UP)])
  const start = clock.now()
  let verdict: Agreement = { kind: 'open' }
  const hear = (source: AddressSource, sighting: Sighting): void => {
    if (settled.signal.aborted) return
    votes.push({ source, sighting })
    verdict = agree(votes, question)
    if (verdict.kind === 'agreed' || isHopeless(question, votes)) settled.abort()
    // Worth confirming, or nobody near can tell.
    else if (sighting.kind === 'seen' || votes.length >= near.length) kick.abort()
  }
  const ask = async (source: AddressSource, at: Duration): Promise<void> => {
    // One of its own for each: Node 20 takes eleven listeners of one signal for a leak, and says so on standard error.
    const end = AbortSignal.any([over])
    if (at > 0)
      await clock.sleep(after(start, at), at === HEAD_START ? AbortSignal.any([end, kick.signal]) : end)
    if (end.aborted || !mayAsk(source)) return
    const sighting = await Promise.race([source.look(question.family, end), silence(end)])
    if (sighting !== undefined) hear(source, sighting)
  }
  const starts = near.length > 0 ? STARTS.besideNear : STARTS.alone
  await Promise.all([
    ...near.map(async (source) => ask(source, milliseconds(0))),
    ...outside.map(async (source, at) => ask(source, startOf(starts, at))),
  ])
  return verdict
}

const startOf = (starts: readonly Duration[], at: number): Duration => {
  const last = starts.at(-1) ?? milliseconds(0)
  return starts[at] ?? milliseconds(last + EVERY_FURTHER * (at - starts.length + 1))
}

/** Over IPv6 only an address of this host is published: where it has none, nothing outside need be asked. */
const isHopeless = ({ family, hasOwn }: AgreementQuestion, votes: readonly SourceVote[]): boolean =>
  family === 'v6' &&
  hasOwn &&
  votes.some(({ source, sighting }) => source.vantage === 'own' && sighting.kind === 'none') &&
  !votes.some(({ source, sighting }) => source.vantage !== 'outside' && sighting.kind === 'seen')

/** A source that does not heed the signal is not waited for. */
const silence = async (signal: AbortSignal): Promise<undefined> =>
  new Promise((done) => {
    if (signal.aborted) done(undefined)
    else signal.addEventListener('abort', () => done(undefined), { once: true })
  })
