import type { Plan } from './plan.ts'

/** How much goes into one request: hostnames, and characters of query. */
export interface Batch {
  readonly mostNames: number
  readonly longestQuery: number
}

/** What every service takes; and a lost answer costs no more than a confirmation of these. */
const USUAL: Batch = { mostNames: 20, longestQuery: 2000 }

/**
 * A service counts requests of one key (ours: 30 in five minutes), so that an account with very many names must not need
 * many. Its requests are longer instead, within what servers read as one line (8 KiB).
 */
const MOST_REQUESTS = 8
const LONGEST_QUERY = 7000

/** Of the whole account, not of what is due, so that each request of a round is as long as the first. */
export function batchOf({ hostnames, batch }: Pick<Plan, 'hostnames' | 'batch'>): Batch {
  const share = Math.ceil(hostnames.length / MOST_REQUESTS)
  const mostNames = batch ?? Math.max(USUAL.mostNames, share)
  return mostNames <= USUAL.mostNames ? { ...USUAL, mostNames } : { mostNames, longestQuery: LONGEST_QUERY }
}
