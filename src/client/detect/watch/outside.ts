import {
  after,
  between,
  type Duration,
  type Instant,
  milliseconds,
  minutes,
  seconds,
  withJitter,
} from '../../../shared/base/time.ts'
import type { Address, Family } from '../../../shared/base/address.ts'
import { networkOf } from '../../../shared/base/network.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import { sleepOrNotified, type WatcherContext, type WatcherState } from './watcher.ts'

/** The safety net: the interval depends on what else notices a change. */
const INTERVALS: Readonly<Record<'near' | 'probe' | 'lines' | 'alone', Duration>> = {
  near: minutes(5),
  probe: minutes(1),
  // Two lines that the router has, and a change of line a short while ago: nothing near shows which one it uses.
  lines: seconds(4),
  alone: seconds(25),
}
/** While no outside source answers: each second for a minute, because that is when a new address comes; then less often. */
const OFFLINE = { interval: seconds(1), constantFailures: 60, growth: 1.1 } as const
/** A published address may still be right. */
const MAX_OFFLINE_INTERVAL = { unpublished: seconds(10), published: seconds(30) } as const
/** After a change of this host's network nothing near may watch the address yet: the router is not proven again. */
const SETTLING = { span: seconds(15), interval: seconds(2) } as const
const LOOK_TIMEOUT: Duration = seconds(3)
const NO_ROUTE_INTERVAL: Duration = minutes(1)
/** A family that this network does not have: nothing of it was ever seen, and the other one is known. */
const ABSENT = { after: minutes(10), interval: minutes(6) } as const

/** Asks one of the cheap outside sources at intervals, in turn. */
export async function watchOutside(
  context: WatcherContext,
  state: WatcherState,
  family: Family,
): Promise<void> {
  const { clock, hint, signal } = context
  const outside = state.outside.filter(({ families }) => families.includes(family))
  if (outside.length === 0) return
  let previous: Sighting | undefined
  let failing: Failing | undefined
  let changed: Instant | undefined
  const onChange = (): void => void (changed = clock.now())
  state.kernelListeners.add(onChange)
  signal.addEventListener('abort', () => state.kernelListeners.delete(onChange), { once: true })
  for (let turn = 0; !signal.aborted; turn++) {
    const interval = intervalAfter(failing, family, { context, state, changed })
    // A round without an agreement is repeated often, and does not end a long pause.
    const isAlone = !isNear(state, family) && !isSure(state)
    const listeners = [
      ...(interval === ABSENT.interval ? [] : [state.recheckListeners]),
      ...(interval === ABSENT.interval || isAlone ? [state.kernelListeners] : []),
    ]
    await sleepOrNotified(context, interval, listeners)
    if (signal.aborted) return
    // Without a route no outside source can answer; the kernel notifies of a new one.
    if ((await context.ports.outboundRoute(family)) === undefined) {
      await clock.sleep(after(clock.now(), NO_ROUTE_INTERVAL), signal)
      continue
    }
    const source = outside[turn % outside.length]
    const current = await source?.look(family, AbortSignal.any([signal, clock.deadline(LOOK_TIMEOUT)]))
    if (current === undefined) continue
    failing =
      current.kind === 'seen'
        ? undefined
        : { since: failing?.since ?? clock.now(), count: (failing?.count ?? 0) + 1 }
    const known = { published: state.published(family), isOpen: state.isOpen(family) }
    if (isNews(previous, current, known)) hint('outside-differs', family)
    previous = current
  }
}

/** Questions in a row without an answer. */
interface Failing {
  readonly since: Instant
  readonly count: number
}

interface Known {
  readonly published: Address | undefined
  /** The last round had no agreement and is repeated by a timer, so the same answer again needs no hint. */
  readonly isOpen: boolean
}

/**
 * The first answer after a failure, the first failure, or another address than is published, or than before where nothing
 * is; over IPv6, another /64.
 */
function isNews(previous: Sighting | undefined, current: Sighting, { published, isOpen }: Known): boolean {
  if (current.kind !== 'seen') return previous?.kind === 'seen'
  if (previous?.kind !== 'seen')
    return previous !== undefined || published === undefined || isOther(published, current)
  const isRepeated = (isOpen || published === undefined) && !isOther(previous.address, current)
  return !isRepeated && isOther(published ?? previous.address, current)
}

/** Outside sources may see a temporary address of the same network (RFC 8981). */
const isOther = (known: Address, { address }: Extract<Sighting, { kind: 'seen' }>): boolean =>
  networkOf(known) !== networkOf(address)

interface OutsideWatch {
  readonly context: Pick<WatcherContext, 'random' | 'clock'>
  readonly state: WatcherState
  /** When the network of this host changed last. */
  readonly changed: Instant | undefined
}

const isNear = ({ doesRouterReport }: WatcherState, family: Family): boolean =>
  family === 'v6' || doesRouterReport

function kindOf(state: WatcherState, family: Family): keyof typeof INTERVALS {
  if (isNear(state, family)) return 'near'
  if (isSure(state)) return 'probe'
  return state.isProbed && state.otherLine === 'recent' ? 'lines' : 'alone'
}

/** The probe notices each change of the line. */
const isSure = ({ isProbed, otherLine }: WatcherState): boolean => isProbed && otherLine === 'no'

function intervalAfter(
  failing: Failing | undefined,
  family: Family,
  { context, state, changed }: OutsideWatch,
): Duration {
  const isUnpublished = state.published(family) === undefined
  // A round without an agreement counts like a failure, as does the time before the first round.
  if (failing !== undefined || state.isOpen(family)) {
    const { since = context.clock.now(), count = 0 } = failing ?? {}
    const other = family === 'v4' ? 'v6' : 'v4'
    const isOtherKnown = state.published(other) !== undefined && !state.isOpen(other)
    if (isUnpublished && isOtherKnown && between(since, context.clock.now()) >= ABSENT.after)
      return ABSENT.interval
    const grown = OFFLINE.interval * OFFLINE.growth ** Math.max(0, count - OFFLINE.constantFailures)
    return milliseconds(
      Math.min(grown, isUnpublished ? MAX_OFFLINE_INTERVAL.unpublished : MAX_OFFLINE_INTERVAL.published),
    )
  }
  const kind = kindOf(state, family)
  const isSettling = changed !== undefined && between(changed, context.clock.now()) < SETTLING.span
  return withJitter(
    kind === 'alone' && isSettling ? SETTLING.interval : INTERVALS[kind],
    0.1,
    context.random(),
  )
}
