import { type Duration, after, milliseconds, minutes, seconds, stretched } from '../../base/time.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { Dice } from '../../ports/clock.ts'
import type { Shared, Watching } from './parts.ts'

/** The safety net: how often the outside is asked, by what else would notice a change. */
const EVERY: Readonly<Record<'router' | 'probe' | 'alone', Duration>> = {
  router: minutes(5),
  probe: minutes(1),
  alone: seconds(25),
}
/** While nobody answers: each second at first, because that is when a new address comes. */
const OFFLINE = { first: seconds(1), growth: 1.1, longest: seconds(30), steady: 60 } as const

/** Asks one of the cheap outside sources now and then, another each time. */
export async function watchOutside(
  { clock, hint, signal }: Watching,
  shared: Shared,
  dice: Dice,
): Promise<void> {
  const { outside } = shared
  if (outside.length === 0) return
  let last: Sighting | undefined
  for (let [turn, failures] = [0, 0]; !signal.aborted; turn++) {
    await clock.sleep(after(clock.now(), pauseOf(failures, shared, dice)), signal)
    if (signal.aborted) return
    const now = await outside[turn % outside.length]?.look(
      'v4',
      AbortSignal.any([signal, clock.deadline(seconds(3))]),
    )
    if (now === undefined) continue
    failures = now.kind === 'seen' ? 0 : failures + 1
    if (isNews(last, now, shared)) hint('the outside sees something else')
    last = now
  }
}

/** Another address than before, or than the one that is published; or an end of the silence. */
function isNews(last: Sighting | undefined, now: Sighting, { published }: Shared): boolean {
  if (now.kind !== 'seen') return last?.kind === 'seen'
  const known = published()
  return (
    (last !== undefined && last.kind !== 'seen') ||
    now.address !== (known ?? now.address) ||
    isOther(last, now)
  )
}

const isOther = (last: Sighting | undefined, now: Sighting): boolean =>
  last?.kind === 'seen' && now.kind === 'seen' && last.address !== now.address

function pauseOf(failures: number, { doesRouterAnswer, isProbed }: Shared, dice: Dice): Duration {
  if (failures > 0) {
    const grown = OFFLINE.first * OFFLINE.growth ** Math.max(0, failures - OFFLINE.steady)
    return milliseconds(Math.min(grown, OFFLINE.longest))
  }
  const by = doesRouterAnswer ? 'router' : isProbed ? 'probe' : 'alone'
  return stretched(EVERY[by], 0.1, dice())
}
