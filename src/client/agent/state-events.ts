import type { Instant } from '../../base/time.ts'
import { FAMILIES } from '../../net/address.ts'
import { actionOf } from '../../protocol/reply.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import { unechoedOf } from '../decide/confirmation.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import { pacedIn, stopOf } from '../decide/next-action.ts'
import type { Observation } from '../decide/observation.ts'
import { accountOf, hostOf, type State, type Stop } from '../decide/state.ts'
import type { AgentEvent } from './events.ts'
import type { LoopState } from './loop-state.ts'

/** What an exchange showed, as facts for the operator. */
export function exchangeEvents(seen: Observation, sent: UpdateRequest): readonly AgentEvent[] {
  if (seen.kind === 'answered')
    return seen.replies.flatMap((reply, at): readonly AgentEvent[] => {
      const about = { account: seen.account, hostname: sent.hostnames[at] ?? '', reply, sent }
      if (actionOf(reply.word).kind !== 'settled') return [{ kind: 'refused', ...about }]
      const kind = 'addresses' in reply && differs(reply.addresses, sent) ? 'confirmedDifferent' : 'settled'
      const unechoed = unechoedOf(sent.addresses, reply).map(
        (family) => ({ kind: 'unechoed', family, ...about }) as const,
      )
      return [{ kind, ...about }, ...unechoed]
    })
  if (seen.kind === 'unreached')
    return [{ kind: 'unreached', account: seen.account, because: seen.because, sent }]
  if (seen.kind !== 'notUnderstood') return []
  const { account, because } = seen
  const fact = { kind: 'notUnderstood', account, because, sent } as const
  return seen.looksLikePortal ? [fact, { kind: 'captivePortal', account, because }] : [fact]
}

const differs = (answered: readonly string[], { addresses }: UpdateRequest): boolean =>
  answered.some((address) => !FAMILIES.some((family) => addresses[family] === address)) &&
  FAMILIES.some((family) => addresses[family] !== undefined)

/** Until when each account was told to be held back by the pace. */
export type ReportedDelays = Readonly<Record<string, Instant>>

/** What the pace holds back, once for each moment that it is held until, however often the address changes meanwhile. */
export function paceEvents(
  told: ReportedDelays,
  { state, world, jobs }: Pick<LoopState, 'state' | 'world' | 'jobs'>,
  now: Instant,
): { readonly told: ReportedDelays; readonly events: readonly AgentEvent[] } {
  const events = jobs.flatMap(({ desired }) => {
    const held = pacedIn(state, desired, world, now)
    return held === undefined || held.until === told[desired.account]
      ? []
      : [{ kind: 'paced', account: desired.account, ...held } as const]
  })
  return {
    told: { ...told, ...Object.fromEntries(events.map(({ account, until }) => [account, until])) },
    events,
  }
}

/** What changed for the worse between two states. */
export function stateEvents(
  old: State,
  current: State,
  { desiredStates, now }: { readonly desiredStates: readonly DesiredState[]; readonly now: Instant },
): readonly AgentEvent[] {
  return desiredStates.flatMap((desired): readonly AgentEvent[] => {
    const { account } = desired
    const [was, is] = [accountOf(old, account), accountOf(current, account)]
    const stop = stopOf(is, desired)
    const stoppedAs = ({ because, since, said }: Stop) =>
      ({ kind: 'stopped', account, because, since, ...(said !== undefined && { said }) }) as const
    if (stop !== undefined) return stopOf(was, desired) === undefined ? [stoppedAs(stop)] : []
    const narrowed = desired.hostnames.flatMap((hostname) => {
      const [before, now] = [hostOf(was, hostname).stopped, hostOf(is, hostname).stopped]
      return now === undefined || before !== undefined ? [] : [{ ...stoppedAs(now), hostname }]
    })
    const refused = is.offlineRefused !== undefined && was.offlineRefused === undefined
    const isTurned = is.standing !== was.standing
    const waits = is.standing.kind === 'waiting' && isTurned ? [is.standing] : []
    // Another endpoint that is tried at once is no news.
    const retries =
      is.standing.kind === 'retrying' && isTurned && is.standing.until > now ? [is.standing] : []
    return [
      ...narrowed,
      ...(refused ? [{ kind: 'offlineRefused', account } as const] : []),
      ...waits.map(
        ({ until, because, detail }) => ({ kind: 'waiting', account, until, because, detail }) as const,
      ),
      ...retries.map(({ until, detail }) => ({ kind: 'retrying', account, until, because: detail }) as const),
    ]
  })
}
