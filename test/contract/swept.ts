import { instant } from '../../src/shared/base/time.ts'
import type { SweptPlace } from '../../src/service/store/bulk.ts'
import type { Store } from '../../src/service/store/store.ts'

/** Deletes everything that is hidden; drafts too, if `now` is after their lease. */
export async function swept(store: Store, { now = instant(0), rows = 100 } = {}): Promise<void> {
  let from: SweptPlace | undefined
  do from = await store.write(async (w) => w.sweepHidden(rows, now, from))
  while (from !== undefined)
}
