import type { Duration } from '../../shared/base/time.ts'

/** Twenty hostnames with addresses take 2 KiB; some clients send a thousand in one request. */
export const MAX_HEADER_BYTES = 64 * 1024
export const MAX_URL_BYTES = 48 * 1024
export const MAX_BODY_BYTES = 256 * 1024

/** Bodies with a limit of their own. They are read after the credentials, so that only accounts use so much memory. */
const LONG_BODIES = [
  { method: 'POST', path: /^\/v1\/dns\/zones\/[^/]+\/import\/?$/, bytes: 4 * 1024 * 1024 },
  // A zone file of 1 MiB, as a form has it.
  { method: 'POST', path: /^\/console\/zones\/[^/]+\/import(?:\/\w+)?$/, bytes: 4 * 1024 * 1024 },
] as const

/** The limit of such a body; undefined for any other request. */
export const longBodyLimit = (method: string, path: string): number | undefined =>
  LONG_BODIES.find((one) => one.method === method && one.path.test(path))?.bytes

export interface ListenLimits {
  readonly maxConnections: number
  /** For the whole request to arrive. */
  readonly requestTimeout: Duration
  readonly idleTimeout: Duration
}
