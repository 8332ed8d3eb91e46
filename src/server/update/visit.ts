import { type Instant, after, isBefore } from '../../base/time.ts'
import { type Reply, formatReply } from '../../protocol/reply-codec.ts'
import { type BareWord, mandateOf } from '../../protocol/reply.ts'
import type { Verdict } from '../../protocol/user-agent.ts'
import type { Principal, Usage } from '../model/rows.ts'
import type { Reading, Writing } from '../store/store.ts'
import type { Inbound } from './inbound.ts'
import type { Limits } from './limits.ts'
import { counted, exceeds } from './tally.ts'

/** One request of somebody whom we know. */
export interface Visit {
  readonly who: Principal
  readonly inbound: Inbound
  readonly verdict: Verdict
  readonly limits: Limits
  readonly now: Instant
}

export const only = (word: BareWord): readonly Reply[] => [{ word }]

export const isBlocked = ({ blockedUntil }: Usage, now: Instant): boolean =>
  blockedUntil !== undefined && isBefore(now, blockedUntil)

/** Whether this peer has failed so often that nobody looks at its logins any more. */
export async function isDeafTo(r: Reading, network: string, now: Instant): Promise<boolean> {
  const { deafUntil } = await r.failuresOf(network)
  return deafUntil !== undefined && isBefore(now, deafUntil)
}

export async function countFailure(w: Writing, network: string, limits: Limits, now: Instant): Promise<void> {
  const known = await w.failuresOf(network)
  // Logins under way side by side: one that comes after the last straw must not take the deafness back.
  if (known.deafUntil !== undefined && isBefore(now, known.deafUntil)) return
  const moments = counted(known.moments, now, limits.badauth)
  const isTooMany = exceeds(moments, limits.badauth)
  await w.putFailures(
    network,
    isTooMany ? { moments: [], deafUntil: after(now, limits.deafness) } : { moments },
  )
}

/** Counts one `nochg`; true when it was one too many. */
export async function countNochg(
  w: Writing,
  { who, limits, now }: Visit,
  hostname: string,
): Promise<boolean> {
  const moments = counted(await w.nochgsOf(who, hostname), now, limits.nochg)
  const isTooMany = exceeds(moments, limits.nochg)
  await w.putNochgs(who, hostname, isTooMany ? [] : moments)
  return isTooMany
}

/** The last thing of every visit: what it adds to the counts, and when and how it was. Gives what is answered. */
export async function keep(
  w: Writing,
  visit: Visit,
  usage: Usage,
  replies: readonly Reply[],
): Promise<readonly Reply[]> {
  const { who, inbound, verdict, limits, now } = visit
  const isRefused = !isBlocked(usage, now) && replies.some(({ word }) => mandateOf(word).kind === 'stop')
  const refusals = isRefused ? counted(usage.refusals, now, limits.refusals) : usage.refusals
  const isTooMany = isRefused && exceeds(refusals, limits.refusals)
  const answers = isTooMany ? only('abuse') : replies
  const [first] = answers
  const block = isTooMany ? { refusals: [], blockedUntil: after(now, limits.longBlock) } : { refusals }
  const undescriptive = usage.undescriptive + (verdict === 'undescriptive' ? 1 : 0)
  const agent = (inbound.agent ?? '').slice(0, LONGEST_AGENT)
  const last = { at: now, agent, peer: inbound.peer, reply: first === undefined ? '' : formatReply(first) }
  await w.putUsage(who, { ...usage, ...block, undescriptive }, last)
  return answers
}

/** As much of a User-Agent as is worth keeping. */
const LONGEST_AGENT = 256
