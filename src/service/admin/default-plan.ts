import type { NewPlan } from '../model/rows.ts'

/** The values of a new plan. */
export const DEFAULT_PLAN: Omit<NewPlan, 'name'> = {
  maxNames: 1000,
  maxRdata: 10_000,
  maxKeys: 1000,
  maxNameMetadata: 10,
  maxRRSetMetadata: 10,
  minTtl: 60,
  hasOffline: true,
  hasWildcards: true,
}
