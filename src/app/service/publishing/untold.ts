import { after, instant, type Instant, seconds } from '../../../base/time.ts'
import { steadyClock, systemClock } from '../../../platform/clock/clock.ts'
import { repeat } from '../../../platform/clock/repeat.ts'
import { isRendered } from '../../../server/publish/answer.ts'
import type { ToldZone } from '../../../server/publish/notify.ts'
import type { PublishSettings } from '../../../server/publish/settings.ts'
import type { PublishedZone } from '../../../server/store/published.ts'
import type { Store } from '../../../server/store/store.ts'
import type { ToldSecondary } from '../../../server/publish/status.ts'
import type { NotifySender } from './notify-sender.ts'

/**
 * In milliseconds: changes of this time before a start may not have been
 * notified. Secondaries refresh after five minutes.
 */
const BEFORE_START = 600_000
/** How often a node looks for changes that another node published, and perhaps ended before it sent NOTIFY. */
const LOOK_INTERVAL = seconds(10)
/** In milliseconds: younger changes are notified by the node that published them. */
const WINDOW = { oldest: 40_000, youngest: 5000 } as const
/** The maximum for one look. */
const MAX_ZONES = 1000

/** Of a start: all that a store of this size publishes in that time. */
const MAX_AT_START = 1_000_000

/** The catalog has its name by a setting. */
export const toldZone = ({ id, apex, serial }: PublishedZone, { catalog }: PublishSettings): ToldZone => ({
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

export async function untoldAtStart(store: Store, settings: PublishSettings): Promise<readonly ToldZone[]> {
  const since = instant(systemClock.now() - BEFORE_START)
  const zones = await changedSince(store, since, MAX_AT_START)
  return zones.map((zone) => toldZone(zone, settings))
}

/** Whether every secondary was told this serial by this node, or has it. */
const isTold = ({ id, serial }: PublishedZone, secondaries: readonly ToldSecondary[]): boolean =>
  secondaries.every(({ zones }) =>
    zones.some((zone) => zone.id === id && [zone.told, zone.fetched, zone.served].includes(serial)),
  )

interface TellingParts {
  readonly store: Store
  readonly settings: () => PublishSettings
  readonly ending: AbortSignal
  readonly notifier: NotifySender
}

/** Notifies secondaries of changes by other nodes that are some seconds old. */
export function keepTelling({ store, settings, ending, notifier }: TellingParts): void {
  const tell = async (): Promise<void> => {
    const now = systemClock.now()
    const zones = await changedSince(store, instant(now - WINDOW.oldest))
    const busy = new Set((await changedSince(store, instant(now - WINDOW.youngest))).map(({ id }) => id))
    const secondaries = notifier.status()
    notifier.changed(
      zones
        .filter((zone) => !busy.has(zone.id) && !isTold(zone, secondaries))
        .map((zone) => toldZone(zone, settings())),
      'repeated',
    )
  }
  // A start compares them.
  void steadyClock
    .sleep(after(steadyClock.now(), LOOK_INTERVAL), ending)
    .then(async () => repeat(LOOK_INTERVAL, ending, tell))
}
