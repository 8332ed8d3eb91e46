import { type Instant, latest } from '../../../shared/base/time.ts'
import type { TrailEntry } from '../../model/trail.ts'

/** The entries of one account: of updates, or of all else. */
export type TrailPart = Pick<TrailEntry, 'accountId' | 'isUpdate'>

/** A place in the trail of one account: the entries before these numbers are older, 0 where none is left. */
export interface TrailPlace {
  readonly updates: number
  readonly others: number
}

/** Each condition must be met. */
export interface TrailFilter {
  /** A zone: of itself, and of what is beneath it. */
  readonly zone?: string
  readonly subject?: string
  readonly operation?: string
  readonly actor?: string
  readonly from?: Instant
  /** Before this time. */
  readonly to?: Instant
}

export interface TrailQuery {
  readonly filter: TrailFilter
  /** Default: the newest entries. */
  readonly place?: TrailPlace
  /** From 1. */
  readonly limit: number
}

export interface TrailPage {
  /** The newest first; fewer than the limit, or none, where many entries do not match. */
  readonly entries: readonly TrailEntry[]
  /** Where the next page begins; undefined at the end. */
  readonly next?: TrailPlace
}

/** Entries of one part before a place, by their numbers, the newest first. */
export interface ScannedTrail {
  readonly before: number
  readonly entries: readonly (TrailEntry & { readonly n: number })[]
  /** The last entry that was looked at; undefined if all older ones were. */
  readonly end?: { readonly n: number; readonly at: Instant }
}

/**
 * One page of two parts, by time. Each part stays in the order of its numbers, also where the clock was set back. What is
 * older than the end of the part that was looked at least far back waits for the next page.
 */
export function mergedTrail(updates: ScannedTrail, others: ScannedTrail, limit: number): TrailPage {
  const horizon = latest(NEVER, updates.end?.at ?? NEVER, others.end?.at ?? NEVER)
  const entries: TrailEntry[] = []
  const left = { updates: shownBy(updates, horizon), others: shownBy(others, horizon) }
  const taken = { updates: 0, others: 0 }
  while (entries.length < limit) {
    const [update, other] = [left.updates[taken.updates], left.others[taken.others]]
    if (update === undefined && other === undefined) break
    const isUpdate = other === undefined || (update !== undefined && update.at >= other.at)
    const { n: _, ...entry } = (isUpdate ? update : other) as ScannedTrail['entries'][number]
    entries.push(entry)
    taken[isUpdate ? 'updates' : 'others']++
  }
  const next = { updates: placeAfter(updates, taken.updates), others: placeAfter(others, taken.others) }
  return { entries, ...(next.updates + next.others > 0 && { next }) }
}

const NEVER = -Infinity as Instant

/** Of the part that ends at the horizon, all. */
function shownBy({ entries, end }: ScannedTrail, horizon: Instant): ScannedTrail['entries'] {
  if (end?.at === horizon) return entries
  const older = entries.findIndex(({ at }) => at < horizon)
  return older < 0 ? entries : entries.slice(0, older)
}

function placeAfter({ before, entries, end }: ScannedTrail, taken: number): number {
  if (taken === entries.length) return end?.n ?? 0
  return entries[taken - 1]?.n ?? before
}

export interface TrailReads {
  /** A page looks at a limited number of entries, however many there are. */
  trailPage(accountId: number, query: TrailQuery): Promise<TrailPage>
}

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
