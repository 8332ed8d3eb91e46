import { instant } from '../../src/base/time.ts'
import type { SweptPlace } from '../../src/server/store/bulk.ts'
import type { Store } from '../../src/server/store/store.ts'

/** Deletes everything that is hidden; drafts too, if `now` is after their lease. */
export async function swept(store: Store, { now = instant(0), rows = 100 } = {}): Promise<void> {
  let from: SweptPlace | undefined
  do from = await store.write(async (w) => w.sweepHidden(rows, now, from))
  while (from !== undefined)
}
