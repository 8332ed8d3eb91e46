import { type Duration, milliseconds, minutes } from '../../../shared/base/time.ts'
import type { Family } from '../../../shared/base/address.ts'
import type { AddressProvider } from './provider.ts'

/**
 * From where a source looks. `chosen` is configured by the user and needs no confirmation; `own` (interfaces) and `router`
 * are near and cheap; `outside` sees the address that the internet sees, and may be wrong.
 */
export type Vantage = 'chosen' | 'own' | 'router' | 'outside'

/** A provider whose answer is compared with the answers of others. */
export interface AddressSource extends AddressProvider {
  /** Two sources of one operator count as one in a quorum. */
  readonly operator: string
  /** Without encryption one box on the way may answer for every server: all sources of the path count as one. */
  readonly path?: 'DNS' | 'HTTP'
  readonly vantage: Vantage
  readonly families: readonly Family[]
  /** The average interval between requests is at least this. */
  readonly cooldown: Duration
  /** Requests that may follow each other without that interval; default 1. */
  readonly burst?: number
  /** Asked before others of its vantage. */
  readonly isFirst?: true
}

/** For sources that the user configures; the number of rounds is limited anyway. */
export const NO_COOLDOWN: Duration = milliseconds(0)

/** For services whose policy asks for rare requests. */
export const TEN_MINUTE_COOLDOWN: Duration = minutes(10)
