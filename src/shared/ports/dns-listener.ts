import type { Address } from '../base/address.ts'

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

/** A certificate chain and its key, as PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

export interface DnsListener {
  readonly host: string
  readonly port: number
  /** Uses another certificate from the next connection on; nothing without TLS. Throws if it cannot be used. */
  setTls(files: TlsFiles): void
  close(): Promise<void>
}

/**
 * Listens for DNS by UDP and TCP on one port, or with a certificate by TLS alone (RFC 7858); port 0 is a free one.
 * Rejects if it cannot.
 */
export type ListenForDns = (
  at: { readonly host: string; readonly port: number; readonly tls?: TlsFiles },
  handler: DnsHandler,
) => Promise<DnsListener>
