import type { Duration } from '../base/time.ts'
import type { Address, Family } from '../base/address.ts'
import type { SentPacket } from '../base/sighting.ts'
import type { SecretText } from '../base/secret.ts'

export interface HttpRequest {
  /** Default: GET. SUBSCRIBE and UNSUBSCRIBE are UPnP methods (GENA). */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'SUBSCRIBE' | 'UNSUBSCRIBE'
  readonly body?: string
  /** http or https, with path and query, without credentials. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Connect over this family only. Default: the first that connects (RFC 8305). */
  readonly family?: Family
  /** Connect from this local address. */
  readonly from?: Address
  /** PEM of the certificate authorities to trust instead of those of the system. */
  readonly authorities?: string
  /** Reads at most one byte more than this of the body. */
  readonly maxBodyBytes: number
  /** For DNS lookup, TCP connect and TLS handshake. */
  readonly connectTimeout: Duration
  /** For the whole exchange. */
  readonly responseTimeout: Duration
}

/** A request with secret parts, which show as «secret» wherever it is shown. */
export interface OutgoingRequest extends Omit<HttpRequest, 'url' | 'headers' | 'body'> {
  readonly url: SecretText
  readonly body?: string | SecretText
  readonly headers: Readonly<Record<string, string | SecretText>>
}

/** The stage at which an exchange failed. `malformed`: the server answered, and the answer is not HTTP. */
export type HttpStage = 'look-up' | 'connect' | 'TLS' | 'time-out' | 'exchange' | 'malformed'

export type HttpOutcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** Lower-case names; repeated headers joined by ", ". */
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      /** The connection closed before the announced end of the body. */
      readonly isCut?: true
      /** By which the request was sent, where that is known. */
      readonly sent?: SentPacket
    }
  | {
      readonly kind: 'unreached'
      readonly stage: HttpStage
      readonly because: string
      /** The first bytes of an answer that is not HTTP. */
      readonly said?: string
      /** The part of the answer that was received before the timeout. */
      readonly partial?: {
        readonly status: number
        readonly headers: Readonly<Record<string, string>>
        readonly body: string
      }
    }

/** One attempt on one connection. Never retries, follows no redirect, never rejects. */
export type Http = (request: HttpRequest, signal: AbortSignal) => Promise<HttpOutcome>

/** The same, for requests to services that know a secret of the user. */
export type ServiceHttp = (request: OutgoingRequest, signal: AbortSignal) => Promise<HttpOutcome>
