import type { Instant } from '../../base/time.ts'
import type { TrailEntry } from '../model/trail.ts'

/** The entries of one account: of updates, or of all else. */
export type TrailPart = Pick<TrailEntry, 'accountId' | 'isUpdate'>

/** Who changed what, in the transaction of the change (decision 0051). */
export interface TrailWrites {
  /** The entries are of one part. */
  addTrail(entries: readonly TrailEntry[]): Promise<void>
  /**
   * Deletes entries of the part after this one that are too many, or older than `before`. Resolves with that part; undefined
   * at the end of all.
   */
  pruneTrail(after: TrailPart, before: Instant): Promise<TrailPart | undefined>
}
