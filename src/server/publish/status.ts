import { formatInstant, type Instant } from '../../base/time.ts'
import { isBehind, isStuck, type ZoneAtSecondary } from './notify.ts'
import type { Secondary } from './secondary.ts'

/** The fact of the store in which a running service keeps its status. */
export const STATUS_FACT = 'publishing_status'
/** Zones that the status of a secondary names. */
const MAX_ZONES = 20

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

export const publishingStatus = (
  all: readonly { readonly secondary: Secondary; readonly zones: readonly ZoneAtSecondary[] }[],
  now: Instant,
): PublishingStatus => ({
  at: formatInstant(now),
  secondaries: all.map(({ secondary, zones }) => statusOf(secondary, zones, now)),
})
