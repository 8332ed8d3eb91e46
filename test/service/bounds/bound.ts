import { expect } from 'vitest'
import type { Work } from './counted.ts'

/**
 * Reads for each unit of a request to `/v1`. A change of a new name reads 12 objects (who may make it, what is above it,
 * what points to it, what warns), and the shortest one has 3 units; the rest is room for another rule.
 */
export const READS_PER_UNIT = 8
/** An item of the hostname list has 2 octets at least, and is looked up as a name and as a group. */
export const READS_PER_UPDATE_UNIT = 32
const OCTETS_PER_UNIT = 16
/** The caller, its plan, and the zone. */
const CONSTANT = 64

export interface Asked {
  /** Of the request and its answer. */
  readonly octets: number
  /** What is stored at what the request names, each once: targets of a key, records of a name. */
  readonly targets: number
}

/** How many times the bound the work is; 1 is all that is allowed. */
export const shareOfBound = (work: Work, { octets, targets }: Asked, perUnit = READS_PER_UNIT): number =>
  work.reads / (perUnit * (octets / OCTETS_PER_UNIT + targets + CONSTANT))

/** Work is in proportion to what a request says and what it is about, and never to the product of both. */
export function expectBounded(work: Work, asked: Asked, perUnit = READS_PER_UNIT): void {
  const share = shareOfBound(work, asked, perUnit)
  expect(share, `${work.reads} reads are ${share.toFixed(1)} times the bound: ${work.most}`).toBeLessThan(1)
}
