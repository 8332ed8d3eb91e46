/** The limits of a plan for tests that need one and do not test it. */
export const SMALL_PLAN = {
  name: 'plan',
  maxNames: 9,
  maxRdata: 9,
  maxNameMetadata: 9,
  maxRRSetMetadata: 9,
  minTtl: 60,
  hasOffline: true,
  hasWildcards: true,
} as const
