import type { Instant } from '../../shared/base/time.ts'
import type { StoreWrites } from '../store/store.ts'
import { isNewer } from './soa.ts'

interface TakeoverContext {
  readonly now: Instant
  /** The last serial of each zone that this process has published, by the id of the zone. */
  readonly published?: ReadonlyMap<number, number>
}

/** The fact that says which copy of the database the serials are of. */
const IDENTITY_FACT = 'serials of'

/**
 * Another copy of the database, such as a standby that was behind, lacks steps that secondaries have fetched: their numbers
 * would be given out again with other content. So before the first step all serials are raised above them. The same where
 * a zone is older than this process has published it (decision 0063).
 */
export async function raisedSerials(
  w: StoreWrites,
  { now, published = new Map() }: TakeoverContext,
  zoneIds: readonly number[],
): Promise<boolean> {
  const [identity, known] = [await w.databaseIdentity(), await w.fact(IDENTITY_FACT)]
  if (identity !== undefined && identity !== known) await w.setFact(IDENTITY_FACT, identity)
  let isOther = identity !== undefined && known !== undefined && identity !== known
  for (const id of isOther ? [] : zoneIds) {
    const last = published.get(id)
    const zone = last === undefined ? undefined : await w.flushedZone(id)
    if (last !== undefined && zone !== undefined && isNewer(last, zone.serial)) isOther = true
  }
  if (isOther) await w.raiseLostSerials(now)
  return isOther
}
