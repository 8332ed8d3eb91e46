import type { Duration } from '../base/time.ts'
import type { Address } from '../net/address.ts'

/** One question by TCP, on a connection of its own. */
export interface StreamQuestion {
  readonly to: Address
  readonly port: number
  readonly from?: Address
  readonly bytes: Uint8Array
  readonly timeout: Duration
  /** How long the answer is, once its beginning tells; no more than 64 KiB is read. */
  readonly lengthOf: (beginning: Uint8Array) => number | undefined
}

/** The answer's bytes, or why there are none. Never rejects. */
export type AskByStream = (question: StreamQuestion, signal: AbortSignal) => Promise<Uint8Array | string>
