import type { Duration } from '../base/time.ts'
import type { Address } from '../base/address.ts'

/** One request by UDP. */
export interface DatagramRequest {
  readonly to: Address
  readonly port: number
  /** Send from this local address. */
  readonly from?: Address
  readonly bytes: Uint8Array
  /** When to retransmit while there is no answer, counted from the first transmission. */
  readonly again: readonly Duration[]
  readonly timeout: Duration
  /** Accept answers from this address; set where `to` is a multicast group. Default: `to`. */
  readonly answeredBy?: Address
  /** TTL (hop limit). Default: that of the system. */
  readonly hops?: number
  /** Whether a datagram is the answer; all others are dropped. */
  readonly isAnswer: (bytes: Uint8Array) => boolean
}

export type DatagramOutcome =
  | {
      readonly kind: 'answered'
      readonly bytes: Uint8Array
      readonly took: Duration
      /** Number of transmissions until the answer. */
      readonly sent: number
      /** The local address, which the kernel chose by the route to the host. */
      readonly local?: Address
    }
  /** ICMP port unreachable. */
  | { readonly kind: 'refused'; readonly took: Duration }
  /** No answer within `timeout`, or aborted. */
  | { readonly kind: 'silent' }
  /** The request could not be sent. */
  | { readonly kind: 'failed'; readonly because: string }

/**
 * Uses a new local port for each request, because a router may keep translating an old port to the old address. Answers from
 * other addresses are dropped. Never rejects.
 */
export type AskByDatagram = (request: DatagramRequest, signal: AbortSignal) => Promise<DatagramOutcome>

/** Requests to one host of the link on one socket, because no router translates its port. One request at a time. */
export interface Channel {
  readonly ask: AskByDatagram
  close(): void
}
export type OpenChannel = (to: Address, port: number) => Channel
