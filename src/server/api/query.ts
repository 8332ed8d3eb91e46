import { type Refusal, refuse } from '../errors/errors.ts'
import {
  type Direction,
  type Expression,
  type NameFilter,
  type Page,
  parseExpression,
  SORT_KEYS,
  type Sort,
  type SortKey,
} from '../model/query.ts'
import { isObject } from './bodies.ts'
import type { RequestContext, RequestFault } from './request-context.ts'
import { type NameView, VIEWS } from './show.ts'

export const badQuery = (detail: string): RequestFault => ({
  status: 400,
  code: '2451',
  title: 'invalid request query',
  detail,
  location: 'query',
})

/** A value, or what is wrong with the query. */
export type QueryResult<T> = { readonly value: T } | { readonly malformed: readonly RequestFault[] }
const ok = <T>(value: T): QueryResult<T> => ({ value })
const bad = (detail: string): { readonly malformed: readonly RequestFault[] } => ({
  malformed: [badQuery(detail)],
})

/** All values, or all that is wrong. */
export function combine<T extends Readonly<Record<string, QueryResult<unknown>>>>(
  reads: T,
): QueryResult<{ readonly [K in keyof T]: T[K] extends QueryResult<infer V> ? V : never }> {
  const malformed = Object.values(reads).flatMap((read) => ('malformed' in read ? read.malformed : []))
  if (malformed.length > 0) return { malformed }
  const values = Object.entries(reads).map(([key, read]) => [key, 'value' in read ? read.value : undefined])
  return ok(
    Object.fromEntries(values) as { readonly [K in keyof T]: T[K] extends QueryResult<infer V> ? V : never },
  )
}

export interface PageLimits {
  readonly fallback: number
  readonly max: number
}

/** Spec, "Limits": from zero; a limit above the maximum is that maximum, and the page says so. */
export function readPage({ query }: RequestContext, { fallback, max }: PageLimits): QueryResult<Page> {
  const number = (name: string, otherwise: number): QueryResult<number> => {
    const text = query[name]
    if (text === undefined) return ok(otherwise)
    return typeof text === 'string' && /^\d{1,15}$/.test(text)
      ? ok(Number(text))
      : bad(`${name} is not a whole number from 0 on`)
  }
  const read = combine({ offset: number('offset', 0), limit: number('limit', fallback) })
  return 'value' in read ? ok({ ...read.value, limit: Math.min(read.value.limit, max) }) : read
}

/** Spec 4251: a key that this listing does not have, or a direction that is none. */
export function readSort(
  { query }: RequestContext,
  keys: readonly string[],
): readonly Sort[] | Refusal<'sortKeyInvalid'> {
  const { sort } = query
  if (sort === undefined) return []
  const at = { location: 'query' } as const
  if (!isObject(sort)) return refuse('sortKeyInvalid', 'write sort[KEY]=asc', at)
  const wrong = Object.entries(sort).find(
    ([key, way]) => !keys.includes(key) || (way !== 'asc' && way !== 'desc'),
  )
  if (wrong !== undefined)
    return refuse(
      'sortKeyInvalid',
      `sort[${wrong[0].slice(0, 40)}] is not one of ${keys.join(', ')} with asc or desc`,
      at,
    )
  return Object.entries(sort).map(([key, way]) => ({ key: key as SortKey, direction: way as Direction }))
}

export const isRefusal = (value: object): value is Refusal<'sortKeyInvalid'> => 'refused' in value

/** A metadata filter expression stands in the query as JSON text. */
export function readFilterExpression(
  { query }: RequestContext,
  name: string,
): QueryResult<Expression | undefined> {
  const text = query[name]
  if (text === undefined) return ok(undefined)
  const expression = parseExpression(typeof text === 'string' ? jsonOf(text) : text)
  return expression === undefined
    ? bad(`${name} is no filter expression such as {"op":"exact","key":"k","value":"v"}`)
    : ok(expression)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function readView({ query }: RequestContext): QueryResult<NameView> {
  const { view = 'summary' } = query
  const known = VIEWS.find((one) => one === view)
  return known === undefined ? bad(`view is not one of ${VIEWS.join(', ')}`) : ok(known)
}

const EXPANSIONS: readonly string[] = ['offline_settings']

export function readExpand({ query }: RequestContext): QueryResult<boolean> {
  const { expand = [] } = query
  const wanted = (Array.isArray(expand) ? expand : [expand]) as unknown[]
  return wanted.every((one) => typeof one === 'string' && EXPANSIONS.includes(one))
    ? ok(wanted.length > 0)
    : bad(`expand[] is not one of ${EXPANSIONS.join(', ')}`)
}

const LISTS = {
  dns_name: 'names',
  name: 'names',
  zone_name: 'zoneNames',
  dns_type: 'dnsTypes',
  update_group: 'updateGroups',
  label: 'labels',
  rdata: 'rdata',
} as const satisfies Readonly<Record<string, keyof NameFilter>>
const SWITCHES = { zone_is_shared: 'isZoneShared', dynupdate: 'isDynupdate' } as const
const MAX_ALTERNATIVES = 100

/** The filter object: lists of alternatives, and switches. */
export function readFilter({ query }: RequestContext): QueryResult<NameFilter> {
  const { filter } = query
  if (filter === undefined) return ok({})
  if (!isObject(filter)) return bad('write filter[KEY]=VALUE')
  const parts = Object.entries(filter).map(([key, value]): QueryResult<NameFilter> => {
    if (Object.hasOwn(LISTS, key)) {
      const values = (Array.isArray(value) ? value : [value]) as unknown[]
      return values.every((one) => typeof one === 'string') && values.length <= MAX_ALTERNATIVES
        ? ok({ [LISTS[key as keyof typeof LISTS]]: values })
        : bad(`filter[${key}] is a list of at most ${MAX_ALTERNATIVES} texts`)
    }
    if (!Object.hasOwn(SWITCHES, key)) return bad(`filter[${key.slice(0, 40)}] is no filter`)
    return value === 'true' || value === 'false'
      ? ok({ [SWITCHES[key as keyof typeof SWITCHES]]: value === 'true' })
      : bad(`filter[${key}] is neither true nor false`)
  })
  const malformed = parts.flatMap((part) => ('malformed' in part ? part.malformed : []))
  return malformed.length > 0
    ? { malformed }
    : ok(Object.assign({}, ...parts.map((part) => ('value' in part ? part.value : {}))) as NameFilter)
}

export { SORT_KEYS }

/** "a[b]=1&a[c][]=2&d=3" as { a: { b: "1", c: ["2"] }, d: "3" }: the deep-object style, one level deep. */
export function parseQuery(text: string): Readonly<Record<string, unknown>> {
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [key, value] of new URLSearchParams(text)) {
    const [, name = '', inner, list] = /^([^[\]]+)(?:\[([^[\]]+)\])?(\[\])?$/.exec(key) ?? []
    if (name === '') query[key] = value
    else if (inner === undefined) query[name] = extended(query[name], value, list !== undefined)
    else {
      const known = query[name]
      const object = isObject(known) ? known : {}
      query[name] = { ...object, [inner]: extended(object[inner], value, list !== undefined) }
    }
  }
  return query
}

/** What is given twice is a list, as what is marked as one. */
const extended = (known: unknown, value: string, isList: boolean): unknown => {
  if (known === undefined) return isList ? [value] : value
  return Array.isArray(known) ? [...(known as unknown[]), value] : [known, value]
}
