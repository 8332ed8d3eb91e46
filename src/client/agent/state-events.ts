import type { Instant } from '../../shared/base/time.ts'
import { isReplyWord, PLAIN_NOUNS, remedyFor } from '../../shared/protocol/reply.ts'
import { saidText, waitText } from '../../shared/protocol/said-text.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { pacedIn, stopOf } from '../decide/next-action.ts'
import { type AccountState, accountOf, hostOf, type State, type Stop } from '../decide/state.ts'
import type { AgentEvent } from './events.ts'
import type { LoopState } from './loop-state.ts'

/** By account key: the end of the delay that was reported last. */
export type ReportedDelays = Readonly<Record<string, Instant>>

/** The updates that the pace delays: one event for each end of a delay, even if the address changes several times. */
export function paceEvents(
  reported: ReportedDelays,
  { state, world, jobs, action }: LoopState,
  now: Instant,
): { readonly reported: ReportedDelays; readonly events: readonly AgentEvent[] } {
  const events = jobs.flatMap(({ desired }) => {
    // What is sent next is not delayed.
    if (action.kind === 'send' && action.account === desired.account) return []
    const delay = pacedIn(state, desired, { world, now })
    return delay === undefined || delay.until === reported[desired.account]
      ? []
      : [{ kind: 'paced', account: desired.account, ...delay } as const]
  })
  const delays = Object.fromEntries(events.map(({ account, until }) => [account, until]))
  return { reported: { ...reported, ...delays }, events }
}

/** The stops, waits and retries that are new in the second state. */
export function stateEvents(
  before: State,
  current: State,
  { desiredStates, now }: { readonly desiredStates: readonly DesiredState[]; readonly now: Instant },
): readonly AgentEvent[] {
  return desiredStates.flatMap((desired): readonly AgentEvent[] => {
    const change = {
      desired,
      was: accountOf(before, desired.account),
      is: accountOf(current, desired.account),
    }
    const stop = stopOf(change.is, desired)
    if (stop === undefined) return [...hostStops(change), ...offlineRefusal(change), ...delays(change, now)]
    return stopOf(change.was, desired) === undefined ? [stopped(desired, stop)] : []
  })
}

interface AccountChange {
  readonly desired: DesiredState
  readonly was: AccountState
  readonly is: AccountState
}

function stopped({ account, nouns = PLAIN_NOUNS }: DesiredState, stop: Stop) {
  const { because, since, said } = stop
  const remedy = remedyFor(because, said, nouns)
  return {
    kind: 'stopped',
    account,
    because,
    since,
    ...(said !== undefined && { said }),
    text: saidText(stop, nouns),
    ...(remedy !== undefined && { remedy }),
  } as const
}

/** Where a stop of one hostname stops the account, `stopOf` has found none. */
const hostStops = ({ desired, was, is }: AccountChange): readonly AgentEvent[] =>
  desired.nohostStops === 'account'
    ? []
    : desired.hostnames.flatMap((hostname) => {
        const stop = hostOf(is, hostname).stopped
        return stop === undefined || hostOf(was, hostname).stopped !== undefined
          ? []
          : [{ ...stopped(desired, stop), hostname }]
      })

const offlineRefusal = ({ desired, was, is }: AccountChange): readonly AgentEvent[] =>
  is.offlineRefused !== undefined && was.offlineRefused === undefined
    ? [{ kind: 'offlineRefused', account: desired.account }]
    : []

function delays({ desired, was, is }: AccountChange, now: Instant): readonly AgentEvent[] {
  const { account, nouns = PLAIN_NOUNS } = desired
  const { status } = is
  if (status === was.status) return []
  if (status.kind === 'waiting') {
    const { until, because, detail } = status
    const text = isReplyWord(because) ? waitText(because, detail, nouns) : undefined
    return [{ kind: 'waiting', account, until, because, detail, ...(text !== undefined && { text }) }]
  }
  // The next endpoint is tried immediately: that is no delay.
  if (status.kind !== 'retrying' || status.until <= now) return []
  return [{ kind: 'retrying', account, until: status.until, because: status.detail }]
}
