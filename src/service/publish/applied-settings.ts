import { after, seconds } from '../../shared/base/time.ts'
import { steadyClock, systemClock } from '../../shared/platform/clock/clock.ts'
import type { PublishSettings } from './settings.ts'
import type { Store, StoreWrites } from '../store/store.ts'

const SETTINGS_FACT = 'publish_settings'

/** Between two attempts to apply changed settings to the zones of a store that cannot be written. */
const APPLY_INTERVAL = seconds(5)

interface LaterApplied {
  readonly store: Store
  readonly ending: AbortSignal
  readonly reportFailure: (what: string, error: unknown) => void
  readonly settings: () => PublishSettings
  readonly onApplied: () => void
}

/** Applies the present settings to the zones, now or when the store can be written again: a reload ends no service. */
export function laterApplied({
  store,
  ending,
  reportFailure,
  settings,
  onApplied,
}: LaterApplied): () => Promise<void> {
  let isTrying = false
  const keepTrying = async (): Promise<void> => {
    if (isTrying) return
    isTrying = true
    for (let isApplied = false; !isApplied && !ending.aborted; ) {
      await steadyClock.sleep(after(steadyClock.now(), APPLY_INTERVAL), ending)
      isApplied = await applySettings(store, settings()).then(
        () => true,
        () => false,
      )
    }
    isTrying = false
    onApplied()
  }
  return async () =>
    applySettings(store, settings()).catch((error: unknown) => {
      reportFailure('the reload of what is published, which is tried again,', error)
      void keepTrying()
    })
}

/** What a changed setting changes in every zone is published with the next flush. */
export async function applySettings(store: Store, settings: PublishSettings): Promise<void> {
  await store.write(async (w) => {
    const stored = await w.fact(SETTINGS_FACT)
    const text = JSON.stringify(settings)
    if (stored === text) return
    const before = JSON.parse(stored ?? '{}') as Partial<PublishSettings>
    await markChanged(w, before, settings)
    await w.setFact(SETTINGS_FACT, text)
  })
}

async function markChanged(
  w: StoreWrites,
  before: Partial<PublishSettings>,
  { nameservers, redirectAddresses }: PublishSettings,
): Promise<void> {
  const isOther = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other)
  if (nameservers.length > 0 && isOther(before.nameservers, nameservers)) {
    await w.setApexNameservers(nameservers, systemClock.now())
    await w.setDirty('apexes')
  }
  if (isOther(before.redirectAddresses, redirectAddresses)) await w.setDirty('redirects')
  await w.setDirty('soas')
}
