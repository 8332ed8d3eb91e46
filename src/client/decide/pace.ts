import { after, before, type Duration, type Instant, isBefore, longest, minutes } from '../../base/time.ts'
import { type Address, listed } from '../../net/address.ts'
import { networkOf } from '../../net/network.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { Sent } from './state.ts'

/** The window in which services count the requests of a key (Holdfast's blocks after 30). */
const WINDOW = minutes(5)

/** The maximum number of address changes at a pace: 10 at 25. */
const maxChanges = (pace: number): number => Math.max(1, Math.floor((pace * 2) / 5))

export const sentOf = ({ hostnames: [hostname = ''], addresses }: UpdateRequest, at: Instant): Sent => ({
  at,
  hostname,
  addresses: listed(addresses).join(','),
})

/** The requests in the window, with this one; no more than the pace allows. */
export const withSent = (
  recent: readonly Sent[],
  request: UpdateRequest,
  { pace, minGap, now }: Pace,
): readonly Sent[] =>
  [
    ...recent.filter(({ at }) => isBefore(before(now, longest(WINDOW, minGap)), at)),
    sentOf(request, now),
  ].slice(-pace)

interface Pace {
  /** The maximum number of requests in the window. */
  readonly pace: number
  /** The least time between two requests; zero: none. */
  readonly minGap: Duration
  readonly now: Instant
}

/** A request that the pace holds back. */
export interface PaceDelay {
  readonly until: Instant
  /** `gap`: the least time between two requests. */
  readonly limit: 'requests' | 'changes of address' | 'gap'
  /** The maximum in the window; of `gap`, one. */
  readonly max: number
}

/** Hostnames of an account may have different host parts in one prefix. */
const networksOf = ({ addresses }: Sent): string =>
  addresses
    .split(',')
    .map((text) => networkOf(text as Address))
    .join()

/**
 * The delay of a request; undefined where it may be sent. A request for another network than the request before is a
 * change of address, so several names that move to the same network are one change.
 */
export function paceDelay(
  recent: readonly Sent[],
  request: UpdateRequest,
  { pace, minGap, now }: Pace,
): PaceDelay | undefined {
  const counted = recent.filter(({ at }) => isBefore(before(now, WINDOW), at))
  const networks = [...counted, sentOf(request, now)].map(networksOf)
  const isOther = (_: unknown, at: number): boolean => networks[at] !== networks[at - 1]
  const changes = counted.filter(isOther)
  const isChange = isOther(request, counted.length)
  const byRequests = delayBy('requests', counted, pace)
  const byChanges = isChange ? delayBy('changes of address', changes, maxChanges(pace)) : undefined
  const delays = [byRequests, byChanges, delayByGap(recent, minGap, now)].filter((one) => one !== undefined)
  return delays.reduce<PaceDelay | undefined>(
    (last, one) => (last === undefined || isBefore(last.until, one.until) ? one : last),
    undefined,
  )
}

function delayByGap(recent: readonly Sent[], minGap: Duration, now: Instant): PaceDelay | undefined {
  const last = recent.at(-1)
  // A later moment is that of a state whose clock was ahead.
  if (last === undefined || isBefore(now, last.at)) return undefined
  const until = after(last.at, minGap)
  return isBefore(now, until) ? { until, limit: 'gap', max: 1 } : undefined
}

/** Until the oldest request leaves the window. */
function delayBy(limit: PaceDelay['limit'], counted: readonly Sent[], max: number): PaceDelay | undefined {
  const oldest = counted.at(-max)
  if (oldest === undefined) return undefined
  return { until: after(oldest.at, WINDOW), limit, max }
}
