import type { Instant } from '../../base/time.ts'
import { FAMILIES } from '../../net/address.ts'
import { mandateOf } from '../../protocol/reply.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import { unechoedOf } from '../decide/confirmation.ts'
import { pacedIn, stopOf } from '../decide/next.ts'
import type { Observation } from '../decide/observation.ts'
import type { Plan } from '../decide/plan.ts'
import { type State, type Stop, accountOf, hostOf } from '../decide/state.ts'
import type { AgentEvent } from './events.ts'
import type { Rest } from './run.ts'

/** What an exchange showed, as facts for the operator. */
export function factsOf(seen: Observation, sent: UpdateRequest): readonly AgentEvent[] {
  if (seen.kind === 'answered')
    return seen.replies.flatMap((reply, at): readonly AgentEvent[] => {
      const about = { account: seen.account, hostname: sent.hostnames[at] ?? '', reply, sent }
      if (mandateOf(reply.word).kind !== 'settled') return [{ kind: 'refused', ...about }]
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
export type Paced = Readonly<Record<string, Instant>>

/** What the pace holds back, once for each moment that it is held until, however often the address changes meanwhile. */
export function paceNews(
  told: Paced,
  { state, view, charges }: Pick<Rest, 'state' | 'view' | 'charges'>,
  now: Instant,
): { readonly told: Paced; readonly events: readonly AgentEvent[] } {
  const events = charges.flatMap(({ plan }) => {
    const held = pacedIn(state, plan, view, now)
    return held === undefined || held.until === told[plan.account]
      ? []
      : [{ kind: 'paced', account: plan.account, ...held } as const]
  })
  return {
    told: { ...told, ...Object.fromEntries(events.map(({ account, until }) => [account, until])) },
    events,
  }
}

/** What changed for the worse between two states. */
export function turnsOf(
  old: State,
  current: State,
  { plans, now }: { readonly plans: readonly Plan[]; readonly now: Instant },
): readonly AgentEvent[] {
  return plans.flatMap((plan): readonly AgentEvent[] => {
    const { account } = plan
    const [was, is] = [accountOf(old, account), accountOf(current, account)]
    const stop = stopOf(is, plan)
    const stoppedAs = ({ because, since, said }: Stop) =>
      ({ kind: 'stopped', account, because, since, ...(said !== undefined && { said }) }) as const
    if (stop !== undefined) return stopOf(was, plan) === undefined ? [stoppedAs(stop)] : []
    const narrowed = plan.hostnames.flatMap((hostname) => {
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
