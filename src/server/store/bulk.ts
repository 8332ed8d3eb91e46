import type { Instant } from '../../base/time.ts'
import type { Name } from '../model/tree.ts'

/** A zone was replaced while no service rendered its names: none of them is given before all are rendered. */
export const UNRENDERED_FACT = 'unrendered'

/**
 * Changes of many names, in steps that are short: other requests wait for one of them at most. What is half done is hidden
 * (decision 0050).
 */
export interface BulkWrites {
  /**
   * Makes a hidden zone for the next content of this one, and resolves with its id; undefined if there is one already. It is
   * given up at the end of its lease.
   */
  addDraft(zoneId: number, lease: Instant, now: Instant): Promise<number | undefined>
  /** Adds names to the draft, and renews its lease. False if it was given up, or its zone is gone. */
  fillDraft(draftId: number, names: readonly Name[], lease: Instant): Promise<boolean>
  /** How many names of the draft are not rendered yet. */
  countUnpublished(draftId: number): Promise<number>
  /** The draft takes the place of its zone, whose content is removed. False if the zone has changed since `unchanged`. */
  replaceByDraft(draftId: number, unchanged: Instant, now: Instant): Promise<boolean>
  /** Deletes at most so many rows of what is hidden; resolves with whether there may be more. */
  sweepHidden(limit: number, now: Instant): Promise<boolean>
}
