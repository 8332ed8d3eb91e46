import { after, type Duration, milliseconds, minutes, seconds, withJitter } from '../../base/time.ts'
import type { Address, Family } from '../../net/address.ts'
import { withHostPart } from '../../net/prefix.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Random } from '../../ports/clock.ts'
import type { WatcherContext, WatcherState } from './watcher.ts'

/** The safety net: how often the outside is asked, by what else would notice a change. */
const EVERY: Readonly<Record<'near' | 'probe' | 'alone', Duration>> = {
  near: minutes(5),
  probe: minutes(1),
  alone: seconds(25),
}
/** While the outside does not answer: each second at first, because that is when a new address comes. */
const OFFLINE = { first: seconds(1), growth: 1.1, steady: 60 } as const
/** Less often where something is published that may well be right. */
const LONGEST = { unpublished: seconds(10), published: seconds(30) } as const
const PATIENCE: Duration = seconds(3)
const NO_ADDRESS: Duration = minutes(1)

/** Asks one of the cheap outside sources now and then, another each time. */
export async function watchOutside(
  watching: WatcherContext,
  shared: WatcherState,
  { family, random }: { readonly family: Family; readonly random: Random },
): Promise<void> {
  const { clock, hint, signal } = watching
  const outside = shared.outside.filter(({ families }) => families.includes(family))
  if (outside.length === 0) return
  let last: Sighting | undefined
  for (let [turn, failures] = [0, 0]; !signal.aborted; turn++) {
    await pause(watching, shared, pauseOf(failures, { family, shared, random }))
    if (signal.aborted) return
    // A host without a route over this family need not ask; the kernel tells when it has one.
    if (family === 'v6' && (await watching.ports.outboundRoute(family)) === undefined) {
      await clock.sleep(after(clock.now(), NO_ADDRESS), signal)
      continue
    }
    const now = await outside[turn % outside.length]?.look(
      family,
      AbortSignal.any([signal, clock.deadline(PATIENCE)]),
    )
    if (now === undefined) continue
    failures = now.kind === 'seen' ? 0 : failures + 1
    if (isNews(last, now, shared.published(family))) hint('outside-differs')
    last = now
  }
}

/** Until then, or until a round comes to nothing. */
async function pause(
  { clock, signal }: WatcherContext,
  { recheckListeners }: WatcherState,
  span: Duration,
): Promise<void> {
  const bell = new AbortController()
  const ring = (): void => bell.abort()
  recheckListeners.add(ring)
  await clock.sleep(after(clock.now(), span), AbortSignal.any([signal, bell.signal]))
  recheckListeners.delete(ring)
}

/** An end of the silence, or another address than before or than the one that is published; over IPv6, another network. */
function isNews(last: Sighting | undefined, now: Sighting, published: string | undefined): boolean {
  if (now.kind !== 'seen') return last?.kind === 'seen'
  const isFirst = last === undefined ? published === undefined : last.kind !== 'seen'
  const isOther = (known: string | undefined): boolean =>
    known !== undefined && networkOf(known) !== networkOf(now.address)
  return isFirst || isOther(published) || isOther(last?.kind === 'seen' ? last.address : undefined)
}

/** The outside may see a temporary address of the same network (RFC 8981). */
const networkOf = (address: string): string =>
  address.includes(':') ? withHostPart(address as Address, 64, '::' as Address) : address

interface Pace {
  readonly family: Family
  readonly shared: WatcherState
  readonly random: Random
}

function pauseOf(failures: number, { family, shared, random }: Pace): Duration {
  const isUnpublished = shared.published(family) === undefined
  // Before anything is known, and after a round that came to nothing, as while the outside is silent.
  if (failures > 0 || shared.isOpen(family)) {
    const grown = OFFLINE.first * OFFLINE.growth ** Math.max(0, failures - OFFLINE.steady)
    return milliseconds(Math.min(grown, isUnpublished ? LONGEST.unpublished : LONGEST.published))
  }
  const isNear = family === 'v6' || shared.doesRouterAnswer
  return withJitter(EVERY[isNear ? 'near' : shared.isProbed ? 'probe' : 'alone'], 0.1, random())
}
