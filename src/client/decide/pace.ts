import {
  after,
  before,
  type Duration,
  type Instant,
  isBefore,
  longest,
  minutes,
  seconds,
} from '../../shared/base/time.ts'
import { type Address, FAMILIES, type Family, familyOf, listed } from '../../shared/base/address.ts'
import { networkOf } from '../../shared/base/network.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
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

/** By family. Hostnames of an account may have different host parts in one prefix. */
const networksOf = ({ addresses }: Sent): Partial<Record<Family, string>> =>
  Object.fromEntries(
    addresses
      .split(',')
      .filter((text) => text !== '')
      .map((text) => [familyOf(text as Address), networkOf(text as Address)]),
  )

/** When a line comes back, its IPv6 address is usable later than the IPv4 one (RFC 4862 §5.4). */
const ONE_RECONNECT = seconds(15)

/** The first request of each change of address. */
function changesIn(sent: readonly Sent[]): readonly Sent[] {
  let networks: ReturnType<typeof networksOf> = {}
  const changes: { readonly first: Sent; readonly families: readonly Family[] }[] = []
  for (const one of sent) {
    const present = networksOf(one)
    const changed = FAMILIES.filter(
      (family) => present[family] !== undefined && present[family] !== networks[family],
    )
    networks = { ...networks, ...present }
    const last = changes.at(-1)
    const isOfLast =
      last !== undefined &&
      isBefore(one.at, after(last.first.at, ONE_RECONNECT)) &&
      !changed.some((family) => last.families.includes(family))
    if (isOfLast) changes.splice(-1, 1, { ...last, families: [...last.families, ...changed] })
    else if (changed.length > 0) changes.push({ first: one, families: changed })
  }
  return changes.map(({ first }) => first)
}

/**
 * The delay of a request; undefined where it may be sent. A request for another network than the requests before is a
 * change of address, so several names that move to the same network are one change, as are both families of one reconnect.
 */
export function paceDelay(
  recent: readonly Sent[],
  request: UpdateRequest,
  { pace, minGap, now }: Pace,
): PaceDelay | undefined {
  const counted = recent.filter(({ at }) => isBefore(before(now, WINDOW), at))
  const changes = changesIn(counted)
  const isChange = changesIn([...counted, sentOf(request, now)]).length > changes.length
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
