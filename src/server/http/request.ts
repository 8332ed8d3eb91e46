import type { Address } from '../../net/address.ts'

/** A request as the listener hands it on. */
export interface IncomingRequest {
  readonly method: string
  /** Without query. */
  readonly path: string
  readonly query: string
  readonly userAgent: string | undefined
  readonly authorization: string | undefined
  readonly peer: Address
  readonly contentType?: string
  /** Of a page in a browser (RFC 6454). */
  readonly origin?: string
  /** Of POST and PUT; undefined where it is too large to be read. */
  readonly body?: string
}

/** What goes back. `reset` breaks the connection off instead. */
export interface OutgoingResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly reset?: true
}
