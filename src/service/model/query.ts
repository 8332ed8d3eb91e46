import type { Metadata } from './tree.ts'
import type { StateFilter } from './publication.ts'

/** Spec, "Metadata filter expression": a condition, or a combination of expressions. */
export type Expression =
  | { readonly op: 'contains' | 'exact'; readonly key: string; readonly value: string }
  | { readonly and: readonly Expression[] }
  | { readonly or: readonly Expression[] }

/** An empty `and` matches, an empty `or` does not. */
export function matchesExpression(expression: Expression, metadata: Metadata): boolean {
  if ('and' in expression) return expression.and.every((one) => matchesExpression(one, metadata))
  if ('or' in expression) return expression.or.some((one) => matchesExpression(one, metadata))
  const value = Object.hasOwn(metadata, expression.key) ? metadata[expression.key] : undefined
  if (value === undefined) return false
  return expression.op === 'exact' ? value === expression.value : value.includes(expression.value)
}

const MAX_EXPRESSION_DEPTH = 16
const MAX_CONDITIONS = 64

/** Parses an expression; undefined if it is invalid, too deep or too long. */
export function parseExpression(value: unknown): Expression | undefined {
  let conditions = 0
  const parse = (one: unknown, depth: number): Expression | undefined => {
    if (depth > MAX_EXPRESSION_DEPTH || typeof one !== 'object' || one === null) return undefined
    const members = Object.keys(one)
    const { op, key, value: text, and, or } = one as Readonly<Record<string, unknown>>
    const list = and ?? or
    if (members.length === 1 && Array.isArray(list)) {
      const parts = list.map((part) => parse(part, depth + 1))
      if (parts.includes(undefined)) return undefined
      const expressions = parts.flatMap((part) => part ?? [])
      return and === undefined ? { or: expressions } : { and: expressions }
    }
    const isCondition = members.length === 3 && typeof key === 'string' && typeof text === 'string'
    if (!isCondition || (op !== 'contains' && op !== 'exact') || ++conditions > MAX_CONDITIONS)
      return undefined
    return { op, key, value: text }
  }
  return parse(value, 0)
}

export type Direction = 'asc' | 'desc'
/** Where a row is in the order of its list: the values by which it is sorted, the last of which no other row has. */
export type Position = readonly (string | number | null)[]
export interface Page {
  /** Of a page with `after`: how many rows were shown before, for the answer alone. */
  readonly offset: number
  readonly limit: number
  /** The page begins after this position, and not at the offset. */
  readonly after?: Position
}
export interface ListedPage<T> {
  readonly items: readonly T[]
  readonly total: number
  /** The position of the last item; undefined if no more rows follow, or without an item. */
  readonly next: Position | undefined
}

/** What a column by which a list is sorted has in a position. */
export type SortValue = 'text' | 'text or null' | 'number' | 'number or null' | 'flag'
interface SortRow {
  readonly value: SortValue
  /** Whether the names of one zone can be sorted by it. */
  readonly isInZone: boolean
}

/** The sort keys of the listings of names. The other listings support some of them. */
// biome-ignore format: a table
const SORTS = {
  zone_name:            { value: 'text',           isInZone: false },
  name:                 { value: 'text',           isInZone: true },
  name_labels_reversed: { value: 'text',           isInZone: true },
  dns_type:             { value: 'text or null',   isInZone: false },
  rdata:                { value: 'text or null',   isInZone: false },
  label:                { value: 'text or null',   isInZone: false },
  zone_is_shared:       { value: 'flag',           isInZone: false },
  created_at:           { value: 'number',         isInZone: true },
  updated_at:           { value: 'number',         isInZone: true },
  published_at:         { value: 'number or null', isInZone: true },
  // Of the account's own names alone: keys of guests are not the business of the owner of a zone.
  last_update_at:       { value: 'number or null', isInZone: false },
} as const satisfies Readonly<Record<string, SortRow>>
export type SortKey = keyof typeof SORTS
export const SORT_KEYS = Object.keys(SORTS) as readonly SortKey[]
/** Those of the names of one zone. */
export const ZONE_SORT_KEYS: readonly SortKey[] = SORT_KEYS.filter((key) => SORTS[key].isInZone)
export const sortValueOf = (key: SortKey): SortValue => SORTS[key].value

/** What a name must contain. */
export interface NameSearch {
  /** Of the whole name, in ASCII and lower case. */
  readonly name: string
  /** Of an address, or of the description of a DDNS key, in capitals or not. */
  readonly text: string
  /** Whether the descriptions of the account's DDNS keys are searched: not for a caller that may not read them. */
  readonly isInKeys: boolean
}

export interface Sort {
  readonly key: SortKey
  readonly direction: Direction
}

/** Spec, "Parameters of the global listing". A name must match one value of each list. */
export interface NameFilter {
  readonly names?: readonly string[]
  readonly zoneNames?: readonly string[]
  readonly dnsTypes?: readonly string[]
  readonly isZoneShared?: boolean
  readonly updateGroups?: readonly string[]
  /** Whether the name or one of its Rdata is the target of a DDNS key. */
  readonly isDynupdate?: boolean
  readonly labels?: readonly string[]
  readonly rdata?: readonly string[]
  readonly isOffline?: boolean
  /** The name has one of these states. */
  readonly states?: readonly StateFilter[]
  readonly search?: NameSearch
}

/** What an API key is restricted to: these zones, and these whole names with everything beneath them. */
export interface RecordScope {
  readonly zones?: readonly string[]
  readonly names?: readonly string[]
}

export interface NameQuery {
  readonly accountId: number
  /** Only names of this zone; if the account owns it, also those of other accounts. */
  readonly zoneId?: number
  readonly scope?: RecordScope
  readonly filter: NameFilter
  readonly sort: readonly Sort[]
  readonly zoneMetadata?: Expression
  readonly metadata?: Expression
  readonly rrsetMetadata?: Expression
  readonly page: Page
}
