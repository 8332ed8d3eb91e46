import type { Instant } from '../../shared/base/time.ts'
import { APEX, parentOf, relativeTo } from '../model/dns-name.ts'
import {
  type DirtyName,
  dirtyShare,
  type FlushedZone,
  MAX_DIRTY_ZONES,
  type NameInZone,
} from '../store/published.ts'
import type { StoreWrites } from '../store/store.ts'
import type { PublishSettings } from './settings.ts'

/** The name that stands for the SOA among dirty names. */
export const SOA_ALONE = ''

/** A name that a bug keeps from being rendered: its published records stay, and other names do not wait. */
export interface NameFault extends NameInZone {
  readonly fqdn: string
  readonly error: unknown
}

export interface FlushContext {
  readonly settings: PublishSettings
  readonly now: Instant
  /** Of this flush. */
  readonly maxNames: number
  readonly onNameFault: (fault: NameFault) => void
  /** The last serial of each zone that this process has published, by the id of the zone. */
  readonly published?: ReadonlyMap<number, number>
}

/** The names of one flush. What depends on them is added while there is room, and else deferred to later flushes. */
interface Batch {
  readonly zones: Map<number, ZoneNames>
  room: number
  /** Dirty names that it has no room for, by zone. */
  readonly left: Map<number, ReadonlySet<string>>
  /** There may be more names for another flush. */
  isOver: boolean
}

interface ZoneNames {
  readonly changed: Set<string>
  /** What depends on them is deferred too: they are only rendered again. */
  readonly deferred: Set<string>
  /** Those of both that are not dirty themselves. */
  readonly added: Set<string>
}

export function flushBatch(dirty: readonly DirtyName[], maxNames: number): Batch {
  const batch: Batch = {
    zones: new Map(),
    room: Math.max(0, maxNames - dirty.length),
    left: new Map(),
    isOver: false,
  }
  for (const { zoneId, name, isDeferred } of dirty)
    namesIn(batch, zoneId)[isDeferred ? 'deferred' : 'changed'].add(name)
  const zones = [...batch.zones.values()]
  const share = dirtyShare(maxNames, zones.length)
  batch.isOver =
    zones.length >= MAX_DIRTY_ZONES ||
    zones.some(({ changed, deferred }) => changed.size + deferred.size >= share)
  return batch
}

export function namesIn({ zones }: Batch, zoneId: number): ZoneNames {
  const names = zones.get(zoneId) ?? { changed: new Set(), deferred: new Set(), added: new Set() }
  zones.set(zoneId, names)
  return names
}

/**
 * A zone that comes or goes is a cut in the zones above it: the names there are in its shadow, or come out of it. So are the
 * cuts of the zones beneath it.
 */
export async function addCut(w: StoreWrites, apex: string, batch: Batch): Promise<void> {
  for (let above = apex; above.includes('.'); ) {
    above = parentOf(above)
    const zone = await w.publishedZone(above)
    if (zone === undefined) continue
    const { changed, added } = namesIn(batch, zone.id)
    const add = (name: string): void => {
      if (!changed.has(name)) added.add(name)
      changed.add(name)
    }
    add(relativeTo(apex, above) ?? APEX)
    const names = await w.namesFrom(zone.id, apex, batch.room + 1)
    if (names.length > batch.room) {
      batch.isOver = true
      await w.deferNamesFrom(zone.id, apex)
      continue
    }
    batch.room -= names.length
    names.forEach(add)
  }
}

/** The part of a flush in one zone. */
export interface ZoneFlush extends FlushContext {
  readonly zone: FlushedZone
  readonly names: ZoneNames
  readonly batch: Batch
}
