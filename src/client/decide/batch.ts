import type { DesiredState } from './desired-state.ts'

/** The size of one request. */
interface Batch {
  readonly maxNames: number
  /** In characters. */
  readonly maxQueryLength: number
}

/** Every service accepts this size, and a lost answer leaves no more than these names unconfirmed. */
const DEFAULT_BATCH: Batch = { maxNames: 20, maxQueryLength: 2000 }

/**
 * Services limit the requests of a key (Holdfast's: 30 in five minutes), so an account with many names needs few
 * requests. They are longer instead, within the usual limit of a request line (8 KiB); decision 0020.
 */
const MAX_REQUESTS = 8
const MAX_QUERY_LENGTH = 7000

/** From all hostnames of the account, not from those that are due, so that the requests of a round have the same size. */
export function batchOf({ hostnames, batch }: Pick<DesiredState, 'hostnames' | 'batch'>): Batch {
  const share = Math.ceil(hostnames.length / MAX_REQUESTS)
  const maxNames = batch ?? Math.max(DEFAULT_BATCH.maxNames, share)
  return maxNames <= DEFAULT_BATCH.maxNames
    ? { ...DEFAULT_BATCH, maxNames }
    : { maxNames, maxQueryLength: MAX_QUERY_LENGTH }
}
