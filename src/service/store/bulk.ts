import type { Instant } from '../../shared/base/time.ts'
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
  /** Names of the draft become others, or go. False if it was given up. */
  changeDraft(draftId: number, changes: readonly DraftChange[], lease: Instant): Promise<boolean>
  /** How many names of the draft are not rendered yet. */
  countUnpublished(draftId: number): Promise<number>
  /** The id of the zone of the draft, which no other transaction changes from now on; undefined if it was given up. */
  lockOfDraft(draftId: number): Promise<number | undefined>
  /** The draft replaces its zone, whose content is removed. */
  replaceByDraft(draftId: number, now: Instant): Promise<void>
  /** Deletes so many rows of what is hidden at most, from this place on. Resolves with where to go on, if there is more. */
  sweepHidden(limit: number, now: Instant, from?: SweptPlace): Promise<SweptPlace | undefined>
}

/** The name that is called so; without `to`, there is none. */
export interface DraftChange {
  readonly name: string
  readonly to: Name | undefined
}

/**
 * How far the rows of a hidden zone are deleted. A database that cleans up later would pass over all deleted rows again in
 * each step.
 */
export interface SweptPlace {
  readonly zoneId: number
  /** The index of the table. */
  readonly table: number
  readonly last: string
}
