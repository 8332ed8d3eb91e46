import { systemClock } from '../../../shared/platform/clock/clock.ts'
import type { Log } from '../../../shared/ports/log.ts'
import type { ServiceMetrics } from '../service-metrics.ts'
import type { NotifiedZone } from '../../publish/notify.ts'
import type { Secondary } from '../../publish/settings.ts'
import { isBelievable, isNewer, nextSerial } from '../../publish/soa.ts'
import type { Store } from '../../store/store.ts'

interface NewerSerialsParts {
  readonly store: Store
  readonly log: Log
  readonly metrics: Pick<ServiceMetrics, 'raised'>
  /** Publishes the raised serials. */
  readonly onRaised: () => void
}

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

  /** After all serials were raised: what a secondary has then is another event. */
  forget(): void {
    this.#raised.clear()
    this.#toldOf.clear()
  }

  /** A secondary has this serial of a zone. */
  async seen(
    secondary: Secondary,
    { id, apex, serial: known }: Pick<NotifiedZone, 'id' | 'apex'> & { readonly serial?: number },
    serial: number,
  ): Promise<void> {
    const key = `${secondary.name} ${id}`
    // At a start thousands of zones are compared: most are as they were read for it.
    if (secondary.signs || this.#raised.has(key) || (known !== undefined && !isNewer(serial, known))) return
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
