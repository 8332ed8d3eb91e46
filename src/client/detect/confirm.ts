import { after, type Duration, type Instant, milliseconds } from '../../shared/base/time.ts'
import { WAIT_ENDED } from '../../shared/base/concurrency.ts'
import type { Sighting } from '../../shared/base/sighting.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { AddressSource } from './sources/source.ts'
import { type Agreement, type AgreementQuestion, agree, isHopeless, type SourceVote } from './agree.ts'
import { agreeInOrder } from './in-order.ts'

/**
 * When the outside sources start while the earlier ones have not settled the round. With a router or an interface, one
 * outside source is enough; without, two start together.
 */
// biome-ignore format: a table
const STARTS: { readonly withNear: readonly Duration[]; readonly alone: readonly Duration[] } = {
  withNear: [10, 120, 250, 500].map(milliseconds),
  alone:    [0, 0, 250, 500].map(milliseconds),
}
/** Near sources answer within milliseconds: if they report no change, no outside source is asked. */
const HEAD_START = STARTS.withNear[0]
const FURTHER_INTERVAL = milliseconds(500)
const ROUND_TIMEOUT = milliseconds(5000)

interface ConfirmationRound {
  readonly question: AgreementQuestion
  readonly near: readonly AddressSource[]
  /** In the order of use. */
  readonly outside: readonly AddressSource[]
  /** No near source confirms an address here, so that two outside sources are needed: they start together. */
  readonly isAlone: boolean
  /** With `agreement = "one"`: all of them, in the order of the list. */
  readonly order?: readonly AddressSource[]
}

interface RoundContext {
  readonly clock: Clock
  /** Whether this source may be asked now, given the votes so far; counts the request. */
  readonly mayAsk: (source: AddressSource) => boolean
  readonly signal: AbortSignal
  /** The votes so far; the caller reads them while the round runs. */
  readonly votes: SourceVote[]
}

/** Asks the sources, cheap ones first, until the question is settled. Requests that still run then are aborted. */
export async function confirmAddress(
  { question, near, outside, isAlone, order }: ConfirmationRound,
  context: RoundContext,
): Promise<Agreement> {
  const { clock, signal, votes } = context
  const [settled, headStart] = [new AbortController(), new AbortController()]
  const end = AbortSignal.any([signal, settled.signal, clock.deadline(ROUND_TIMEOUT)])
  const agreementOf = (isOver: boolean): Agreement =>
    order === undefined ? agree(votes, question) : agreeInOrder(votes, { question, order, isOver })
  let agreement = { kind: 'open' } as Agreement
  const record = (source: AddressSource, sighting: Sighting): void => {
    if (settled.signal.aborted) return
    votes.push({ source, sighting, at: clock.now() })
    agreement = agreementOf(false)
    if (agreement.kind === 'agreed' || isHopeless(question, votes)) settled.abort(WAIT_ENDED)
    // There is a new address to confirm, or no near source reports one.
    else if (sighting.kind === 'seen' || votes.length >= near.length) headStart.abort(WAIT_ENDED)
  }
  const over = aborted(end)
  const round = { question, context, end, over, headStart: headStart.signal, record, start: clock.now() }
  const starts = isAlone ? STARTS.alone : STARTS.withNear
  await Promise.all([
    ...near.map(async (source) => ask(source, milliseconds(0), round)),
    ...outside.map(async (source, at) => ask(source, startOf(starts, at), round)),
  ])
  return order === undefined || agreement.kind === 'agreed' || votes.length === 0
    ? agreement
    : agreementOf(true)
}

interface RunningRound {
  readonly question: AgreementQuestion
  readonly context: RoundContext
  readonly start: Instant
  readonly end: AbortSignal
  /** Resolves at the end: the round does not wait for a source that ignores the signal. */
  readonly over: Promise<undefined>
  readonly headStart: AbortSignal
  readonly record: (source: AddressSource, sighting: Sighting) => void
}

/** Asks one source at its offset from the start of the round. */
async function ask(
  source: AddressSource,
  offset: Duration,
  { question, context: { clock, mayAsk }, start, end: roundEnd, over, headStart, record }: RunningRound,
): Promise<void> {
  // One signal for each source: Node 20 reports eleven listeners of one signal as a leak.
  const end = AbortSignal.any([roundEnd])
  if (offset > 0) await clock.sleep(after(start, offset), end, ...(offset === HEAD_START ? [headStart] : []))
  if (end.aborted || !mayAsk(source)) return
  const sighting = await Promise.race([source.look(question.family, end), over])
  if (sighting !== undefined) record(source, sighting)
}

const startOf = (starts: readonly Duration[], at: number): Duration => {
  const last = starts.at(-1) ?? milliseconds(0)
  return starts[at] ?? milliseconds(last + FURTHER_INTERVAL * (at - starts.length + 1))
}

const aborted = async (signal: AbortSignal): Promise<undefined> =>
  new Promise((done) => signal.addEventListener('abort', () => done(undefined)))
