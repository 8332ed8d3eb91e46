import { type Duration, hours, minutes } from '../../base/time.ts'
import type { Limit } from './sliding-window.ts'

/** What is too much, and what it costs. */
export interface AbuseLimits {
  readonly nochg: Limit
  readonly requests: Limit
  readonly refusals: Limit
  readonly badauth: Limit
  readonly longBlock: Duration
  readonly shortBlock: Duration
  /** For so long nobody looks at the logins of a peer that failed too often. */
  readonly lockout: Duration
}

export interface LimitSettings {
  readonly nochgLimit: number
  readonly requestLimit: number
  readonly refusalLimit: number
  readonly badauthLimit: number
  readonly longBlock: Duration
  readonly shortBlock: Duration
}

/** The spans are the protocol's side of it; the counts and the blocks are the operator's. */
export const limitsOf = (counts: LimitSettings): AbuseLimits => ({
  nochg: { max: counts.nochgLimit, window: hours(24) },
  requests: { max: counts.requestLimit, window: minutes(5) },
  // The first refusal is no repeat.
  refusals: { max: counts.refusalLimit + 1, window: hours(24) },
  badauth: { max: counts.badauthLimit, window: minutes(10) },
  longBlock: counts.longBlock,
  shortBlock: counts.shortBlock,
  lockout: minutes(10),
})
