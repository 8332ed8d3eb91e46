import type { Instant } from '../../shared/base/time.ts'

/** What an operator can list. */
export const OVERVIEWS = [
  'plans',
  'accounts',
  'zones',
  'names',
  'keys',
  'apiKeys',
  'blocks',
  'lockouts',
  'clients',
  'trail',
] as const
export type Overview = (typeof OVERVIEWS)[number]

/** Narrows a list; each list knows some of these. */
export interface OverviewFilter {
  readonly name?: string
  readonly account?: string
  readonly zone?: string
  /** A part of the name. */
  readonly search?: string
}

export interface OverviewQuery {
  readonly filter: OverviewFilter
  readonly now: Instant
  readonly limit?: number
}

/** One line of a list, by the names of its columns. Times are RFC 3339. */
export type OverviewRow = Readonly<Record<string, string | number | boolean | null>>
