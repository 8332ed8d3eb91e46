import type { Address } from '../net/address.ts'

export interface DnsMessage {
  readonly bytes: Uint8Array
  readonly peer: Address
  readonly isDatagram: boolean
}

/**
 * Answers one message by any number of messages; one at most to a datagram. Rejects where the answer stays incomplete: then
 * the connection is closed, so that the peer does not wait for the rest.
 */
export type DnsHandler = (message: DnsMessage, send: (answer: Uint8Array) => Promise<void>) => Promise<void>

export interface DnsListener {
  readonly host: string
  readonly port: number
  close(): Promise<void>
}

/** Listens for DNS by UDP and TCP on one port; port 0 is a free one. Rejects if it cannot. */
export type ListenForDns = (
  at: { readonly host: string; readonly port: number },
  handler: DnsHandler,
) => Promise<DnsListener>
