import type { Duration } from '../base/time.ts'
import type { Address } from '../base/address.ts'

/** One request by TCP, on a new connection. */
interface StreamRequest {
  readonly to: Address
  readonly port: number
  readonly from?: Address
  readonly bytes: Uint8Array
  readonly timeout: Duration
  /** The length of the answer in bytes; undefined while the received bytes do not state it. At most 64 KiB is read. */
  readonly lengthOf: (beginning: Uint8Array) => number | undefined
}

/** The bytes of the answer, or the reason of the failure. Never rejects. */
export type AskByStream = (request: StreamRequest, signal: AbortSignal) => Promise<Uint8Array | string>
