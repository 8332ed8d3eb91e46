import { after, minutes, seconds } from '../../../base/time.ts'
import { steadyClock, systemClock } from '../../../platform/clock/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { ServiceMetrics } from '../../../server/metrics/service-metrics.ts'
import type { ToldZone } from '../../../server/publish/notify.ts'
import type { Secondary } from '../../../server/publish/secondary.ts'
import type { PublishSettings } from '../../../server/publish/settings.ts'
import { isBelievable, isNewer, nextSerial } from '../../../server/publish/soa.ts'
import type { PublishedZone } from '../../../server/store/published.ts'
import type { Store } from '../../../server/store/store.ts'
import { toldZone } from './untold.ts'

/** Zones whose serial one secondary is asked for at the same time. */
const AT_ONCE = 32
/** Zones that are read together. */
const PAGE_SIZE = 512
/** After all zones were compared: a database may have failed over to an older one. */
const COMPARE_INTERVAL = minutes(10)
/** After a secondary that said nothing. */
const SILENT_INTERVAL = seconds(10)

export interface NewerSerialsParts {
  readonly store: Store
  readonly settings: () => PublishSettings
  readonly ending: AbortSignal
  readonly log: Log
  readonly metrics: Pick<ServiceMetrics, 'raised'>
  /** Publishes the raised serials. */
  readonly onRaised: () => void
}

/** What a secondary serves, by its own answer; undefined without one. */
export type AskServed = (secondary: Secondary, zone: ToldZone) => Promise<number | undefined>

/**
 * A store that went back in time, as a snapshot or a restored copy does, would give numbers again that secondaries have seen
 * with other content: they would ask for nothing, and serve it for good. Where a secondary has a newer serial, this
 * service raises its own above it; once for each zone and start, because a secondary that signs has numbers of its own.
 */
export class NewerSerials {
  readonly #parts: NewerSerialsParts
  readonly #raised = new Set<string>()
  readonly #toldOf = new Set<Secondary>()

  constructor(parts: NewerSerialsParts) {
    this.#parts = parts
  }

  /** A secondary has this serial of a zone. */
  async seen(
    secondary: Secondary,
    { id, apex }: Pick<ToldZone, 'id' | 'apex'>,
    serial: number,
  ): Promise<void> {
    const key = `${secondary.name} ${id}`
    if (secondary.signs || this.#raised.has(key)) return
    const { store, metrics, onRaised } = this.#parts
    const zone = await store.read(async (r) => (await r.publishedZones(id - 1, 1))[0])
    if (zone?.id !== id || !isNewer(serial, zone.serial)) return
    const isRaised = isBelievable(serial, zone.serial, systemClock.now())
    if (isRaised) this.#raised.add(key)
    this.#tell({ secondary, apex, serial: zone.serial, newer: serial, isRaised })
    if (!isRaised) return
    await store.write(async (w) => w.raiseSerial(id, nextSerial(serial)))
    metrics.raised(secondary.name)
    onRaised()
  }

  /** Compares all zones with what a secondary serves, at the start and now and then. */
  async compare(secondary: Secondary, ask: AskServed): Promise<void> {
    const { ending } = this.#parts
    while (!secondary.signs && !ending.aborted) {
      // A store that cannot be read is compared later.
      const hasAnswered = await this.#compareAll(secondary, ask).catch(() => false)
      const span = hasAnswered ? COMPARE_INTERVAL : SILENT_INTERVAL
      await steadyClock.sleep(after(steadyClock.now(), span), ending)
    }
  }

  /** False if the secondary says nothing. */
  async #compareAll(secondary: Secondary, ask: AskServed): Promise<boolean> {
    const { store, settings, ending } = this.#parts
    let hasAnswered = true
    let page: readonly PublishedZone[] = []
    for (let last = -1; hasAnswered && !ending.aborted; last = page.at(-1)?.id ?? last) {
      page = await store.read(async (r) => r.publishedZones(last, PAGE_SIZE))
      if (page.length === 0) return true
      for (let at = 0; at < page.length && hasAnswered; at += AT_ONCE) {
        const zones = page.slice(at, at + AT_ONCE).map((zone) => toldZone(zone, settings()))
        const answers = await Promise.all(zones.map(async (zone) => this.#compareOne(secondary, zone, ask)))
        hasAnswered = answers.some((one) => one)
      }
    }
    return hasAnswered
  }

  async #compareOne(secondary: Secondary, zone: ToldZone, ask: AskServed): Promise<boolean> {
    const serial = await ask(secondary, zone)
    if (serial !== undefined) await this.seen(secondary, zone, serial)
    return serial !== undefined
  }

  /** Once for each secondary: a whole store goes back in time. */
  #tell({ secondary, apex, serial, newer, isRaised }: NewerSerial): void {
    if (this.#toldOf.has(secondary)) return
    this.#toldOf.add(secondary)
    const what = isRaised
      ? 'was a backup, a snapshot or another copy of the store restored? Each such serial is raised above it'
      : 'it is too far ahead of the clock, and stays: transfer the zone on the secondary again'
    this.#parts.log('error', 'secondary is newer', {
      fields: { secondary: secondary.name, zone: apex, serial, newer },
      line: `${secondary.name} has serial ${newer} of ${apex}, newer than ${serial} here: ${what}`,
    })
  }
}

interface NewerSerial {
  readonly secondary: Secondary
  readonly apex: string
  readonly serial: number
  readonly newer: number
  readonly isRaised: boolean
}
