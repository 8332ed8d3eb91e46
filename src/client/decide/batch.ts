import type { DesiredState } from './desired-state.ts'

/** How much goes into one request: hostnames, and characters of query. */
export interface Batch {
  readonly maxNames: number
  readonly maxQueryLength: number
}

/** What every service takes; and a lost answer costs no more than a confirmation of these. */
const USUAL: Batch = { maxNames: 20, maxQueryLength: 2000 }

/**
 * A service counts requests of one key (ours: 30 in five minutes), so that an account with very many names must not need
 * many. Its requests are longer instead, within what servers read as one line (8 KiB).
 */
const MAX_REQUESTS = 8
const MAX_QUERY_LENGTH = 7000

/** Of the whole account, not of what is due, so that each request of a round is as long as the first. */
export function batchOf({ hostnames, batch }: Pick<DesiredState, 'hostnames' | 'batch'>): Batch {
  const share = Math.ceil(hostnames.length / MAX_REQUESTS)
  const maxNames = batch ?? Math.max(USUAL.maxNames, share)
  return maxNames <= USUAL.maxNames
    ? { ...USUAL, maxNames: maxNames }
    : { maxNames: maxNames, maxQueryLength: MAX_QUERY_LENGTH }
}
