import { type Instant, instant } from '../../../src/shared/base/time.ts'
import { flush, type Flushed, MAX_FLUSHED } from '../../../src/service/publish/flush.ts'
import type { PublishSettings } from '../../../src/service/publish/settings.ts'
import type { Store } from '../../../src/service/store/store.ts'

export const SETTINGS: PublishSettings = {
  nameservers: ['ns1.operator.test', 'ns2.operator.test'],
  contact: undefined,
  redirectAddresses: [],
  catalog: 'catalog.test',
}

/** One flush, of everything that has changed if it is not more than `maxNames`. */
export async function flushed(
  store: Store,
  settings: PublishSettings = SETTINGS,
  now: Instant = instant(Date.UTC(2026, 0, 2)),
  maxNames: number = MAX_FLUSHED,
): Promise<Flushed> {
  const onNameFault = ({ error }: { readonly error: unknown }): void => {
    throw error instanceof Error ? error : new Error(String(error))
  }
  return store.write(async (w) => flush(w, { settings, now, maxNames, onNameFault }))
}
