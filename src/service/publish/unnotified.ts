import { after, instant, type Instant, seconds } from '../../shared/base/time.ts'
import { systemClock } from '../../shared/platform/clock/clock.ts'
import { isRendered } from './answer.ts'
import type { NotifiedZone } from './notify.ts'
import type { PublishSettings } from './settings.ts'
import type { PublishedZone } from '../store/published.ts'
import type { Store } from '../store/store.ts'
import type { NotifySender } from './notify-sender.ts'
import { repeat } from '../../shared/platform/clock/repeat.ts'

/**
 * In milliseconds: changes of this time before a start may not have been
 * notified. Secondaries refresh after five minutes.
 */
const BEFORE_START = 600_000
/** How often a node looks for changes that another node published. */
const LOOK_INTERVAL = seconds(1)
/** The other node sends the NOTIFY; this one takes over after this time, because the other may have ended. */
const NOTIFY_DELAY = seconds(10)
/** In milliseconds: how far a look goes back, because a flush has the time of its start, and clocks differ. */
const OVERLAP = 5000
/** The maximum for one look. */
const MAX_ZONES = 1000

/** Of a start: all that a store of this size publishes in that time. */
const MAX_AT_START = 1_000_000

/** The catalog has its name by a setting. */
export const notifiedZone = (
  { id, apex, serial }: PublishedZone,
  { catalog }: PublishSettings,
): NotifiedZone => ({
  id,
  apex: apex === '' ? catalog : apex,
  serial,
})

/** Without zones that cannot be fetched yet, such as the catalog before the first flush. */
const changedSince = async (
  store: Store,
  since: Instant,
  limit = MAX_ZONES,
): Promise<readonly PublishedZone[]> =>
  (await store.read(async (r) => r.zonesChangedSince(since, limit))).filter(isRendered)

export async function unnotifiedAtStart(
  store: Store,
  settings: PublishSettings,
): Promise<readonly NotifiedZone[]> {
  const since = instant(systemClock.now() - BEFORE_START)
  const zones = await changedSince(store, since, MAX_AT_START)
  return zones.map((zone) => notifiedZone(zone, settings))
}

interface NotifyParts {
  readonly store: Store
  readonly settings: () => PublishSettings
  readonly ending: AbortSignal
  readonly notifier: NotifySender
}

/**
 * Looks for changes that other nodes published: secondaries count as behind from then on, and get a NOTIFY for what they
 * still do not have after some seconds.
 */
export function notifyForOthers({ store, settings, ending, notifier }: NotifyParts): void {
  let since = instant(systemClock.now() - OVERLAP)
  void repeat(LOOK_INTERVAL, ending, async () => {
    const now = systemClock.now()
    const zones = await changedSince(store, since)
    since = instant(now - OVERLAP)
    notifier.noticed(
      zones.map((zone) => notifiedZone(zone, settings())),
      after(now, NOTIFY_DELAY),
    )
  })
}
