import type { Duration } from '../../base/time.ts'

/** Twenty hostnames with addresses take 2 KiB; some clients send a thousand in one request. */
export const MAX_HEADER_BYTES = 64 * 1024
export const MAX_URL_BYTES = 48 * 1024
export const MAX_BODY_BYTES = 256 * 1024

export interface ListenLimits {
  readonly maxConnections: number
  /** For the whole request to arrive. */
  readonly requestTimeout: Duration
  readonly idleTimeout: Duration
}
