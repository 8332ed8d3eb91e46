import { type Duration, hours, minutes } from '../../base/time.ts'
import type { Limit } from './tally.ts'

/** What is too much, and what it costs. */
export interface Limits {
  readonly nochg: Limit
  readonly requests: Limit
  readonly refusals: Limit
  readonly badauth: Limit
  readonly longBlock: Duration
  readonly shortBlock: Duration
  /** For so long nobody looks at the logins of a peer that failed too often. */
  readonly deafness: Duration
}

export interface Counts {
  readonly nochgLimit: number
  readonly requestLimit: number
  readonly refusalLimit: number
  readonly badauthLimit: number
  readonly longBlock: Duration
  readonly shortBlock: Duration
}

/** The spans are the protocol's side of it; the counts and the blocks are the operator's. */
export const limitsOf = (counts: Counts): Limits => ({
  nochg: { most: counts.nochgLimit, within: hours(24) },
  requests: { most: counts.requestLimit, within: minutes(5) },
  // The first refusal is no repeat.
  refusals: { most: counts.refusalLimit + 1, within: hours(24) },
  badauth: { most: counts.badauthLimit, within: minutes(10) },
  longBlock: counts.longBlock,
  shortBlock: counts.shortBlock,
  deafness: minutes(10),
})
