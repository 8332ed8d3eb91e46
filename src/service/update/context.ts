import { after, type Instant, longest } from '../../shared/base/time.ts'
import { actionOf, type BareWord } from '../../shared/protocol/reply.ts'
import type { UserAgentClass } from '../../shared/protocol/user-agent.ts'
import { blockEnd, endInherited } from '../auth/sanctions.ts'
import type { AbuseLimits } from '../auth/limits.ts'
import { exceeds, withEvent } from '../auth/sliding-window.ts'
import type { IncomingRequest } from '../http/request.ts'
import type { Buckets, Login, Usage } from '../model/rows.ts'
import { mergedBuckets } from '../store/sanctions.ts'
import type { StoreWrites } from '../store/store.ts'
import { formatReply, type Reply } from '../../shared/protocol/reply-codec.ts'

/** One authenticated update request. */
export interface UpdateContext {
  readonly principal: Login
  /** Of the login. */
  readonly username: string
  readonly request: IncomingRequest
  /** What it names in the place of addresses, and is none. */
  readonly unreadable: string
  readonly userAgentClass: UserAgentClass
  readonly limits: AbuseLimits
  readonly now: Instant
}

export const singleReply = (word: BareWord): readonly Reply[] => [{ word }]

export const isBlocked = (usage: Usage, { limits, now }: Pick<UpdateContext, 'limits' | 'now'>): boolean =>
  blockEnd(usage, now, longest(limits.longBlock, limits.shortBlock)) !== undefined

/** Counts one `nochg`; returns whether the limit is exceeded. */
export async function countNochg(
  w: StoreWrites,
  { principal, limits, now }: UpdateContext,
  {
    hostname,
    subject,
    inherited,
  }: {
    readonly hostname: string
    /** Of what deleted keys have left. */
    readonly subject: string
    readonly inherited: Buckets
  },
): Promise<boolean> {
  const before = mergedBuckets(await w.nochgsOf(principal, hostname), inherited)
  const buckets = withEvent(before, now, limits.nochg)
  const isExceeded = exceeds(buckets, limits.nochg)
  await w.putNochgs(principal, hostname, isExceeded ? [] : buckets)
  if (isExceeded) await endInherited(w, principal, { subject, counts: 'nochgs' })
  return isExceeded
}

/** What the checks found: the replies, and the usage before this request's refusals are counted. */
export interface UpdateOutcome {
  readonly usage: Usage
  readonly replies: readonly Reply[]
  /** All that it asks for is blocked: as for a key that is blocked, nothing is counted. */
  readonly isSanctioned?: true
  /** Only a block of a hostname refused what it asks for: it may be that of another device. */
  readonly isExcused?: boolean
}

/** Stores the counters and the last use at the end of every request. Returns the replies to send. */
export async function recordUsage(
  w: StoreWrites,
  { principal, request, unreadable, userAgentClass, limits, now }: UpdateContext,
  { usage, replies, isSanctioned, isExcused = false }: UpdateOutcome,
): Promise<readonly Reply[]> {
  // The operator ends a suspension, and requests that it refused must not start another block.
  const isSuspended = principal.isSuspended || isSanctioned === true || isBlocked(usage, { limits, now })
  const isRefused = !isSuspended && !isExcused && replies.some(({ word }) => actionOf(word).kind === 'stop')
  const refusals = isRefused ? withEvent(usage.refusals, now, limits.refusals) : usage.refusals
  const isAbuse = isRefused && exceeds(refusals, limits.refusals)
  if (isAbuse) await endInherited(w, principal, { subject: '', counts: 'refusals' })
  const sent = isAbuse ? singleReply('abuse') : replies
  const [first] = sent
  const block = isAbuse ? { refusals: [], blockedUntil: after(now, limits.longBlock) } : { refusals }
  const nondescriptive = usage.nondescriptive + (userAgentClass === 'nondescriptive' ? 1 : 0)
  const agent = (request.userAgent ?? '').slice(0, MAX_AGENT_LENGTH)
  const last = { at: now, agent, peer: request.peer, reply: replyText(first, unreadable) }
  await w.putUsage(principal, { ...usage, ...block, nondescriptive }, last)
  return sent
}

/** With what its person should correct. */
const replyText = (first: Reply | undefined, unreadable: string): string =>
  `${first === undefined ? '' : formatReply(first)}${unreadable === '' ? '' : ` (unreadable: ${unreadable})`}`

/** A longer User-Agent is stored in part. */
const MAX_AGENT_LENGTH = 256
