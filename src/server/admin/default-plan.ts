import type { NewPlan } from '../model/rows.ts'

/** What a plan allows that sets nothing else. */
export const DEFAULT_PLAN: Omit<NewPlan, 'name'> = {
  maxNames: 1000,
  maxRdata: 10_000,
  maxNameMetadata: 10,
  maxRRSetMetadata: 10,
  minTtl: 60,
  hasOffline: true,
  hasWildcards: true,
}
