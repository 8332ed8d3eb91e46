import type { Address } from '../../shared/base/address.ts'

/** A request as the listener passes it on. */
export interface IncomingRequest {
  readonly method: string
  /** Without query. */
  readonly path: string
  readonly query: string
  readonly userAgent: string | undefined
  readonly authorization: string | undefined
  /** The client, behind trusted proxies: see `originOf`. */
  readonly peer: Address
  /** The peer is a trusted proxy that does not say who the client is. */
  readonly isProxy: boolean
  readonly contentType?: string
  readonly contentEncoding?: string
  /** RFC 9110 §13.1.1; several of them are joined by commas. */
  readonly ifMatch?: string
  /** The Host header (RFC 9110 §7.2). */
  readonly host?: string
  /** HTTP/1.1 without one (RFC 9112 §3.2); some devices of the update protocol send none. */
  readonly lacksHost?: true
  /** GET, DELETE or another method without a body here, with one above MAX_BODY_BYTES. */
  readonly hasLongBody?: true
  /** RFC 9110 §13.1.2. */
  readonly ifNoneMatch?: string
  /** Sent by browsers (RFC 6454). */
  readonly origin?: string
  /** Sec-Fetch-Site of browsers. */
  readonly fetchSite?: string
  /** RFC 6265 §5.4. */
  readonly cookie?: string
  /** It came by TLS to this process, and not to a proxy. */
  readonly isTls?: true
  /** It came by plain http from another host, which is no trusted proxy. */
  readonly isClear?: true
  /** RFC 9110 §12.5.4. */
  readonly acceptLanguage?: string
  /** Of POST, PUT and PATCH; undefined if it is larger than MAX_BODY_BYTES. */
  readonly body?: string
  /**
   * For a body with a limit of its own, which is read only by this, in parts. Undefined if it is larger, or the client is
   * gone before its end.
   */
  readonly readLong?: () => Promise<readonly Uint8Array[] | undefined>
  /** The client has closed the connection, so the response is not sent. */
  readonly isGone?: () => boolean
}

/** With `reset`, the connection is reset and nothing is sent. */
export interface OutgoingResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly reset?: true
}
