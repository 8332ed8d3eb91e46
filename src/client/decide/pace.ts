import { after, before, type Instant, isBefore, minutes } from '../../base/time.ts'
import { type Address, listed } from '../../net/address.ts'
import { withHostPart } from '../../net/prefix.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { Sent } from './state.ts'

/** A service counts the requests of a key (ours blocks after 30 in five minutes), whatever the line does. */
const WINDOW = minutes(5)

/** How many changes of address fit into a pace of so many requests: 10 of 25. */
const changesIn = (pace: number): number => Math.max(1, Math.floor((pace * 2) / 5))

export const sentOf = ({ hostnames: [hostname = ''], addresses }: UpdateRequest, at: Instant): Sent => ({
  at,
  hostname,
  addresses: listed(addresses).join(','),
})

/** The requests that still count, with this one; no more than the pace can ask for. */
export const withSent = (
  recent: readonly Sent[],
  request: UpdateRequest,
  { pace, now }: Pace,
): readonly Sent[] =>
  [...recent.filter(({ at }) => isBefore(before(now, WINDOW), at)), sentOf(request, now)].slice(-pace)

interface Pace {
  /** The most requests in five minutes. */
  readonly pace: number
  readonly now: Instant
}

/** What keeps a request from going out, and until when. */
export interface PaceDelay {
  readonly until: Instant
  readonly limit: 'requests' | 'changes of address'
  /** How many of them go out in five minutes. */
  readonly most: number
}

/** Of IPv6 its network: the names of an account may each have a host part of their own, and all follow one prefix. */
const lineOf = ({ addresses }: Sent): string =>
  addresses
    .split(',')
    .map((text) => (text.includes(':') ? withHostPart(text as Address, NETWORK, '::' as Address) : text))
    .join()
const NETWORK = 64

/**
 * What holds this request back; undefined where it may go. A change of address is a request for another line than that of the
 * request before it, so that names that follow one another to the same line are one change.
 */
export function paceDelay(
  recent: readonly Sent[],
  request: UpdateRequest,
  { pace, now }: Pace,
): PaceDelay | undefined {
  const counted = recent.filter(({ at }) => isBefore(before(now, WINDOW), at))
  const lines = [...counted, sentOf(request, now)].map(lineOf)
  const isOther = (_: unknown, at: number): boolean => lines[at] !== lines[at - 1]
  const changes = counted.filter(isOther)
  const isChange = isOther(request, counted.length)
  const byRequests = heldBy('requests', counted, pace)
  const byChanges = isChange ? heldBy('changes of address', changes, changesIn(pace)) : undefined
  if (byRequests === undefined || byChanges === undefined) return byRequests ?? byChanges
  return isBefore(byRequests.until, byChanges.until) ? byChanges : byRequests
}

/** Until the oldest of too many no longer counts. */
function heldBy(limit: PaceDelay['limit'], counted: readonly Sent[], most: number): PaceDelay | undefined {
  const oldest = counted.at(-most)
  if (oldest === undefined) return undefined
  return { until: after(oldest.at, WINDOW), limit, most }
}
