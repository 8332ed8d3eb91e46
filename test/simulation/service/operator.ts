import { instant, seconds } from '../../../src/shared/base/time.ts'
import { ImportRefused, importIntoZone } from '../../../src/service/admin/zone-import.ts'
import type { BulkClocks } from '../../../src/service/admin/store/sweeper.ts'
import { sqliteStore } from '../../../src/service/store/sqlite/store.ts'
import type { Store } from '../../../src/service/store/store.ts'
import type { VirtualClock } from '../../fakes/clock.ts'
import type { ImportAsk } from './draw.ts'
import type { ServiceModel } from './model.ts'
import { START } from './node.ts'

export const bulkClocks = (clock: VirtualClock): BulkClocks => ({
  steady: clock,
  day: { ...clock, now: () => instant(START + clock.now()) },
})

const DEFAULT_TTL = 60

/** The operator's program beside the service: its own connection to the store, and an import that takes a while. */
export class OperatorImport {
  readonly ask: ImportAsk
  /** How it ended; unknown: its program was killed, or could not write. */
  said: 'imported' | 'refused' | 'unknown' | undefined
  /** The store has it. */
  isDone = false
  readonly #store: Store
  readonly #before: ReadonlyMap<string, string>

  constructor(
    ask: ImportAsk,
    model: ServiceModel,
    { folder, clock }: { readonly folder: string; readonly clock: VirtualClock },
  ) {
    this.ask = ask
    this.#before = model.valuesIn(ask.zone)
    this.#store = sqliteStore(folder, clock)
    const records = ask.names.map((name, line) => ({
      name,
      // That of the other records, so that the file differs in its values alone.
      ttl: DEFAULT_TTL,
      dnsType: 'A' as const,
      value: ask.address,
      line,
    }))
    const under = importIntoZone(
      this.#store,
      { zoneName: ask.zone, path: 'zone', records, isReplacing: true },
      bulkClocks(clock),
    )
    void this.#end(under)
  }

  async #end(under: Promise<unknown>): Promise<void> {
    const said = await under
      .then(() => 'imported' as const)
      .catch((error: unknown) => (error instanceof ImportRefused ? 'refused' : 'unknown'))
    if (this.said !== undefined) return
    this.said = said
    await this.#store.close()
  }

  /** The model after it took place: what others have changed since it began stays, where the file does not change it. */
  outcomeAfter(model: ServiceModel): ServiceModel | undefined {
    if (!model.zones.has(this.ask.zone)) return undefined
    const copy = model.copy()
    copy.replace(this.ask, this.#before)
    return copy
  }

  async kill(): Promise<void> {
    if (this.said !== undefined) return
    this.said = 'unknown'
    await this.#store.close()
  }
}

/** An import that was given up is as if it had not been after this. */
export const LEASE = seconds(61)
