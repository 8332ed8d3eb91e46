import type { Metadata } from './tree.ts'

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
export interface Page {
  readonly offset: number
  readonly limit: number
}
export interface ListedPage<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** The sort keys of the global listing. The other listings support some of them. */
export const SORT_KEYS = [
  'zone_name',
  'name',
  'name_labels_reversed',
  'dns_type',
  'rdata',
  'label',
  'zone_is_shared',
  'created_at',
] as const
export type SortKey = (typeof SORT_KEYS)[number]
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
