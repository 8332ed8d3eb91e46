import type { Duration } from '../base/time.ts'
import type { Address, Family } from '../net/address.ts'

export interface HttpRequest {
  /** GET where nothing else is said. SUBSCRIBE and UNSUBSCRIBE are UPnP's. */
  readonly method?: 'GET' | 'POST' | 'SUBSCRIBE' | 'UNSUBSCRIBE'
  readonly body?: string
  /** http or https, with path and query; no credentials. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Connect over this family only; without it, whichever answers first (RFC 8305). */
  readonly family?: Family
  /** Connect from this local address. */
  readonly from?: Address
  /** PEM of the authorities to trust instead of the system's. */
  readonly authorities?: string
  /** Read no more of the body than one byte beyond this many. */
  readonly maxBodyBytes: number
  /** For reaching the other side (look-up, connect, TLS), and for the whole exchange. */
  readonly connectTimeout: Duration
  readonly responseTimeout: Duration
}

/** Where an exchange broke off. Malformed: the server was reached, and what it said is not HTTP. */
export type HttpStage = 'look-up' | 'connect' | 'TLS' | 'time-out' | 'exchange' | 'malformed'

export type HttpOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** Lower-case names; repeated headers joined by ", ". */
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      /** The connection broke off before the body was as long as it was said to be. */
      readonly isCut?: true
    }
  | {
      readonly kind: 'unreached'
      readonly stage: HttpStage
      readonly because: string
      /** The beginning of what came instead of HTTP. */
      readonly said?: string
      /** What had come of an answer when time was up in the middle of it. */
      readonly partial?: {
        readonly status: number
        readonly headers: Readonly<Record<string, string>>
        readonly body: string
      }
    }

/** One attempt, one connection. Never retries, follows no redirect, never rejects. */
export type Http = (request: HttpRequest, signal: AbortSignal) => Promise<HttpOutcome>
