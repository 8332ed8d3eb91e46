import type { Duration } from '../base/time.ts'
import type { Address } from '../net/address.ts'

/** One question by UDP. */
export interface DatagramRequest {
  readonly to: Address
  readonly port: number
  /** Ask from this local address. */
  readonly from?: Address
  readonly bytes: Uint8Array
  /** When to send it again while nothing has come, counted from the start. */
  readonly again: readonly Duration[]
  readonly timeout: Duration
  /** Who may answer, where `to` is a group; without it, `to`. */
  readonly answeredBy?: Address
  /** How many hops it may go; without it, the system's default. */
  readonly hops?: number
  /** Whether these bytes answer it; all others are dropped. */
  readonly isAnswer: (bytes: Uint8Array) => boolean
}

export type DatagramOutcome =
  | {
      readonly kind: 'answered'
      readonly bytes: Uint8Array
      readonly took: Duration
      /** How often it had been sent by then. */
      readonly sent: number
    }
  /** Somebody said that nobody listens there (ICMP). */
  | { readonly kind: 'refused'; readonly took: Duration }
  | { readonly kind: 'silent' }
  /** It could not be sent. */
  | { readonly kind: 'failed'; readonly because: string }

/**
 * From a port of its own each time, because a router may go on translating an old one to the old address; answers of
 * anybody but `to` are dropped. Never rejects.
 */
export type AskByDatagram = (question: DatagramRequest, signal: AbortSignal) => Promise<DatagramOutcome>

/** The same questions to one neighbour, many times: on one socket, because nothing translates its port. One at a time. */
export interface Channel {
  readonly ask: AskByDatagram
  close(): void
}
export type OpenChannel = (to: Address, port: number) => Channel
