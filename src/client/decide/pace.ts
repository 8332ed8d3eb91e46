import { type Instant, after, before, isBefore, latest, minutes } from '../../base/time.ts'
import { listed } from '../../net/address.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { Sent } from './state.ts'

/** A service counts the requests of a key (ours blocks after 30 in five minutes), whatever the line does. */
const WINDOW = minutes(5)

/** How many changes of address of one name fit into a pace of so many requests: 10 of 25. */
const changesIn = (pace: number): number => Math.max(1, Math.floor((pace * 2) / 5))

export const sentOf = ({ hostnames: [hostname = ''], addresses }: UpdateRequest, at: Instant): Sent => ({
  at,
  hostname,
  addresses: listed(addresses).join(','),
})

/** The requests that still count, with this one; no more than the pace can ask for. */
export const remembered = (
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

/** Before when this request may not go out; undefined where it may. */
export function pacedUntil(
  recent: readonly Sent[],
  request: UpdateRequest,
  { pace, now }: Pace,
): Instant | undefined {
  const counted = recent.filter(({ at }) => isBefore(before(now, WINDOW), at))
  const { hostname, addresses } = sentOf(request, now)
  const mine = counted.filter((one) => one.hostname === hostname)
  const changes = mine.filter((one, at) => one.addresses !== mine[at - 1]?.addresses)
  const isChange = mine.at(-1)?.addresses !== addresses
  const ends = [endOf(counted, pace), ...(isChange ? [endOf(changes, changesIn(pace))] : [])].flatMap(
    (end) => end ?? [],
  )
  const [first, ...others] = ends
  return first === undefined ? undefined : latest(first, ...others)
}

/** When the oldest of too many no longer counts. */
function endOf(counted: readonly Sent[], most: number): Instant | undefined {
  const oldest = counted.at(-most)
  return counted.length < most || oldest === undefined ? undefined : after(oldest.at, WINDOW)
}
