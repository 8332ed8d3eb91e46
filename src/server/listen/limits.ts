import type { Duration } from '../../base/time.ts'

/** In bytes. Twenty hostnames and their addresses need two KiB; there are clients that name a thousand in one request. */
export const LONGEST_HEADER = 64 * 1024
export const LONGEST_URL = 48 * 1024
export const LONGEST_BODY = 256 * 1024

export interface ListenLimits {
  readonly mostConnections: number
  /** Time for the whole request to arrive. */
  readonly requestWithin: Duration
  readonly idleAfter: Duration
}
