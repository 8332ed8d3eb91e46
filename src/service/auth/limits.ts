import { type Duration, hours, minutes } from '../../shared/base/time.ts'
import type { Limit } from './sliding-window.ts'

/** When a client is blocked, and for how long. */
export interface AbuseLimits {
  readonly nochg: Limit
  readonly requests: Limit
  readonly refusals: Limit
  readonly badauth: Limit
  readonly longBlock: Duration
  readonly shortBlock: Duration
  /** How long all logins of a peer are refused after too many failed ones. */
  readonly lockout: Duration
}

interface LimitSettings {
  readonly nochgLimit: number
  readonly requestLimit: number
  readonly refusalLimit: number
  readonly badauthLimit: number
  readonly longBlock: Duration
  readonly shortBlock: Duration
}

/** The windows are fixed; counts and blocks are settings of the operator. */
export const limitsOf = (settings: LimitSettings): AbuseLimits => ({
  nochg: { max: settings.nochgLimit, window: hours(24) },
  requests: { max: settings.requestLimit, window: minutes(5) },
  // The setting counts repeats: the first refusal is not one.
  refusals: { max: settings.refusalLimit + 1, window: hours(24) },
  badauth: { max: settings.badauthLimit, window: minutes(10) },
  longBlock: settings.longBlock,
  shortBlock: settings.shortBlock,
  lockout: minutes(10),
})
