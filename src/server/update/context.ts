import { after, type Instant, isBefore } from '../../base/time.ts'
import { actionOf, type BareWord } from '../../protocol/reply.ts'
import { formatReply, type Reply } from '../../protocol/reply-codec.ts'
import type { UserAgentClass } from '../../protocol/user-agent.ts'
import type { AbuseLimits } from '../abuse/limits.ts'
import { exceeds, withEvent } from '../abuse/sliding-window.ts'
import type { IncomingRequest } from '../http/request.ts'
import type { Principal, Usage } from '../model/rows.ts'
import type { StoreWrites } from '../store/store.ts'

/** One request of somebody whom we know. */
export interface UpdateContext {
  readonly who: Principal
  readonly inbound: IncomingRequest
  readonly userAgentClass: UserAgentClass
  readonly limits: AbuseLimits
  readonly now: Instant
}

export const only = (word: BareWord): readonly Reply[] => [{ word }]

export const isBlocked = ({ blockedUntil }: Usage, now: Instant): boolean =>
  blockedUntil !== undefined && isBefore(now, blockedUntil)

/** Counts one `nochg`; true when it was one too many. */
export async function countNochg(
  w: StoreWrites,
  { who, limits, now }: UpdateContext,
  hostname: string,
): Promise<boolean> {
  const moments = withEvent(await w.nochgsOf(who, hostname), now, limits.nochg)
  const isTooMany = exceeds(moments, limits.nochg)
  await w.putNochgs(who, hostname, isTooMany ? [] : moments)
  return isTooMany
}

/** The last thing of every visit: what it adds to the counts, and when and how it was. Gives what is answered. */
export async function recordUsage(
  w: StoreWrites,
  visit: UpdateContext,
  usage: Usage,
  replies: readonly Reply[],
): Promise<readonly Reply[]> {
  const { who, inbound, userAgentClass, limits, now } = visit
  const isRefused = !isBlocked(usage, now) && replies.some(({ word }) => actionOf(word).kind === 'stop')
  const refusals = isRefused ? withEvent(usage.refusals, now, limits.refusals) : usage.refusals
  const isTooMany = isRefused && exceeds(refusals, limits.refusals)
  const answers = isTooMany ? only('abuse') : replies
  const [first] = answers
  const block = isTooMany ? { refusals: [], blockedUntil: after(now, limits.longBlock) } : { refusals }
  const undescriptive = usage.undescriptive + (userAgentClass === 'undescriptive' ? 1 : 0)
  const agent = (inbound.userAgent ?? '').slice(0, MAX_AGENT_LENGTH)
  const last = { at: now, agent, peer: inbound.peer, reply: first === undefined ? '' : formatReply(first) }
  await w.putUsage(who, { ...usage, ...block, undescriptive }, last)
  return answers
}

/** As much of a User-Agent as is worth keeping. */
const MAX_AGENT_LENGTH = 256
