import { formatInstant, type Instant } from '../../shared/base/time.ts'
import type { Answerer, LateZones } from '../model/publication.ts'
import { CATALOG_ID } from '../store/published.ts'
import { isBehind, isLate, isStuck, type ZoneAtSecondary } from './notify.ts'
import type { Secondary } from './settings.ts'

/** The fact of the store in which a running service keeps its status. */
export const STATUS_FACT = 'publishing_status'
/** Zones that the status of a secondary names. */
const MAX_ZONES = 20
/** Zones listed in `late`; beyond this limit, zones count as behind. */
const MAX_LISTED = 1000

/** What is known of one secondary. Serials are those of the service. */
export interface SecondaryStatus {
  readonly name: string
  readonly address: string
  /** Zones that it was told of, has fetched or was asked for since the service started. */
  readonly zones: number
  /** Zones that it was told of and has not fetched yet. */
  readonly behind: number
  readonly stuck: number
  /** In seconds: how long the longest of them has waited. */
  readonly lag: number
  readonly late: readonly {
    readonly zone: string
    readonly told: number | null
    readonly fetched: number | null
    readonly served: number | null
    readonly is_stuck: boolean
  }[]
}

export interface PublishingStatus {
  /** RFC 3339. */
  readonly at: string
  readonly answerer: Answerer
  readonly late: LateZones<string>
  readonly secondaries: readonly SecondaryStatus[]
}

function statusOf(
  { name, address, port }: Secondary,
  zones: readonly ZoneAtSecondary[],
  now: Instant,
): SecondaryStatus {
  const behind = zones
    .filter(isBehind)
    .toSorted((one, other) => Number(one.toldAt ?? now) - Number(other.toldAt ?? now))
  return {
    name,
    address: `${address}#${port}`,
    zones: zones.length,
    behind: behind.length,
    stuck: behind.filter((zone) => isStuck(zone, now)).length,
    lag: Math.max(0, Math.round((now - Number(behind[0]?.toldAt ?? now)) / 1000)),
    late: behind.slice(0, MAX_ZONES).map((zone) => ({
      zone: zone.apex,
      told: zone.told ?? null,
      fetched: zone.fetched ?? null,
      served: zone.served ?? null,
      is_stuck: isStuck(zone, now),
    })),
  }
}

/** Zones of one secondary since the start; with `isEachCompared`, zones without an entry are up to date. */
export interface NotifiedSecondary {
  readonly secondary: Secondary
  readonly zones: readonly ZoneAtSecondary[]
  readonly isEachCompared: boolean
}

/** Zones that are not known to be up to date at every secondary. */
function lateZones(all: readonly NotifiedSecondary[]): LateZones<ZoneAtSecondary> {
  const byId = all.map(
    ({ zones }) => new Map(zones.flatMap((zone) => (zone.id === CATALOG_ID ? [] : [[zone.id, zone]]))),
  )
  const known = [...new Map(byId.flatMap((zones) => [...zones])).values()]
  const isBehindAt = ({ id }: ZoneAtSecondary): boolean =>
    all.some(({ isEachCompared }, at) => {
      const zone = byId[at]?.get(id)
      return zone === undefined ? !isEachCompared : isLate(zone)
    })
  return all.every(({ isEachCompared }) => isEachCompared)
    ? { zones: known.filter(isBehindAt), areBehind: true }
    : { zones: known.filter((zone) => !isBehindAt(zone)), areBehind: false }
}

const named = ({ zones, areBehind }: LateZones<ZoneAtSecondary>): LateZones<string> =>
  areBehind && zones.length > MAX_LISTED
    ? { zones: [], areBehind: false }
    : { zones: zones.slice(0, MAX_LISTED).map(({ apex }) => apex), areBehind }

export function publishingStatus(
  all: readonly NotifiedSecondary[],
  { answerer, now }: { readonly answerer: Answerer; readonly now: Instant },
): PublishingStatus {
  return {
    at: formatInstant(now),
    answerer,
    late: named(lateZones(all)),
    secondaries: all.map(({ secondary, zones }) => statusOf(secondary, zones, now)),
  }
}

/** The same, as ids. */
export function lateIds(all: readonly NotifiedSecondary[]): LateZones<number> {
  const { zones, areBehind } = lateZones(all)
  return { zones: zones.map(({ id }) => id), areBehind }
}
