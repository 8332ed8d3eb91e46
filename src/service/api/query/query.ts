import { type Refusal, refuse } from '../../model/errors.ts'
import {
  type Direction,
  type Expression,
  type Page,
  parseExpression,
  type Sort,
  type SortKey,
} from '../../model/query.ts'
import { isObject } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { type ListOrder, parseCursor } from './cursor.ts'
import {
  EXPANSIONS,
  type FilterKey,
  type FilterRow,
  FILTERS,
  type Filters,
  MAX_ALTERNATIVES,
  type NameView,
  type QueryRow,
  VIEWS,
} from './parameters.ts'
import type { Route } from '../route.ts'
import { fault, type Malformed, type RequestFault } from '../request/faults.ts'

export const badQuery = (pointer: string, detail: string): RequestFault<'queryInvalid'> =>
  fault('queryInvalid', { detail, location: 'query', pointer })

/** The parameters of an operation, by the names before their brackets. */
function parametersOf({
  page,
  cursor,
  view,
  sort,
  filter,
  trail,
  expand,
  expressions,
  confirm,
  confirmName,
  dryRun,
}: QueryRow): readonly string[] {
  return [
    ...(page === undefined ? [] : ['offset', 'limit', 'after']),
    ...(cursor === undefined ? [] : ['limit', 'after']),
    ...(view === undefined ? [] : ['view']),
    ...(sort === undefined ? [] : ['sort']),
    ...(filter === undefined && trail === undefined ? [] : ['filter']),
    ...(expand === undefined ? [] : ['expand']),
    ...(expressions ?? []),
    ...(confirm === undefined && confirmName === undefined ? [] : ['confirm']),
    ...(dryRun === undefined ? [] : ['dry_run']),
  ]
}

/** A parameter that an operation does not know is refused: a client that sends `dry_run=true` expects no change. */
export function unknownParameters(
  { query: row = {}, method }: Pick<Route, 'query' | 'method'>,
  query: Readonly<Record<string, unknown>>,
): readonly RequestFault[] {
  // Every write has a preview.
  const known = parametersOf(method === 'GET' ? row : { ...row, dryRun: true })
  return Object.keys(query)
    .filter((name) => !known.includes(name))
    .map((name) =>
      badQuery(
        name.slice(0, 60),
        known.length === 0 ? 'the operation has no parameters' : `the parameters are ${known.join(', ')}`,
      ),
    )
}

/** A value, or the faults of the query. */
type QueryResult<T> = { readonly value: T } | Malformed
const ok = <T>(value: T): QueryResult<T> => ({ value })
/** `pointer` is the parameter. */
const invalid = (pointer: string, detail: string): Malformed => ({ malformed: [badQuery(pointer, detail)] })

/** All values, or all faults. */
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

/** Spec: offset and limit are int64. A program that wants everything sends the greatest one. */
const INT64 = /^\d{1,19}$/

/**
 * Spec, "Limits": a limit above the maximum is reduced to it; the response contains the limit used. With a cursor, the page
 * begins where it says.
 */
export function readPage(context: RequestContext, order: ListOrder): QueryResult<Page> {
  const { after, offset } = context.query
  const parsed = combine({
    offset: readNumber(context, 'offset', 0),
    limit: readLimit(context),
  })
  if ('malformed' in parsed || after === undefined) return parsed
  if (offset !== undefined) return invalid('after', 'a page has an offset or a cursor, not both')
  const start = parseCursor(context, order, after)
  return start === undefined ? invalid('after', NO_CURSOR) : ok({ ...start, limit: parsed.value.limit })
}

/** The page and the filters of a list whose positions have values of this order. */
export function readListing(context: RequestContext, order: ListOrder) {
  const parsed = combine({ page: readPage(context, order), filter: readFilter(context) })
  return 'malformed' in parsed ? parsed : parsed.value
}

const NO_CURSOR = 'after is not page.next of a response with the same path, sort and filters'

const readNumber = (
  { query }: RequestContext,
  name: 'offset' | 'limit',
  otherwise: number,
): QueryResult<number> => {
  const text = query[name]
  if (text === undefined) return ok(otherwise)
  return typeof text === 'string' && INT64.test(text)
    ? ok(Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    : invalid(name, `${name} is not a whole number from 0`)
}

/** The greatest number of rows. */
export function readLimit(context: RequestContext): QueryResult<number> {
  const { page, cursor = page } = context.parameters
  if (cursor === undefined) throw new Error(`${context.operation} has no pages`)
  const limit = readNumber(context, 'limit', cursor.fallback)
  return 'value' in limit ? ok(Math.min(limit.value, cursor.max)) : limit
}

/** Whether the request is for a preview. */
export function readDryRun({ query }: Pick<RequestContext, 'query'>): QueryResult<boolean> {
  const { dry_run: text = 'false' } = query
  return text === 'true' || text === 'false'
    ? ok(text === 'true')
    : invalid('dry_run', 'dry_run is true or false')
}

/** Spec 4251: a key that this listing does not support, or an invalid direction. */
export function readSort({ query, parameters }: RequestContext): readonly Sort[] | Refusal<'sortKeyInvalid'> {
  const { sort } = query
  if (sort === undefined) return []
  const keys: readonly string[] = parameters.sort ?? []
  const at = { location: 'query', pointer: 'sort' } as const
  if (!isObject(sort)) return refuse('sortKeyInvalid', 'use sort[KEY]=asc or sort[KEY]=desc', at)
  const wrong = Object.entries(sort).find(
    ([key, direction]) => !keys.includes(key) || (direction !== 'asc' && direction !== 'desc'),
  )
  if (wrong !== undefined)
    return refuse(
      'sortKeyInvalid',
      `sort[${wrong[0].slice(0, 40)}] is not one of ${keys.join(', ')} with asc or desc`,
      at,
    )
  return Object.entries(sort).map(([key, direction]) => ({
    key: key as SortKey,
    direction: direction as Direction,
  }))
}

export const isRefusal = (value: object): value is Refusal<'sortKeyInvalid'> => 'refused' in value

/** A metadata filter expression, which is JSON in the query. */
export function readFilterExpression(
  { query }: RequestContext,
  name: string,
): QueryResult<Expression | undefined> {
  const text = query[name]
  if (text === undefined) return ok(undefined)
  const expression = parseExpression(typeof text === 'string' ? jsonOf(text) : text)
  return expression === undefined
    ? invalid(name, `${name} is not a filter expression such as {"op":"exact","key":"k","value":"v"}`)
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
  const supported = VIEWS.find((one) => one === view)
  return supported === undefined ? invalid('view', `view is not one of ${VIEWS.join(', ')}`) : ok(supported)
}

export function readExpand({ query }: RequestContext): QueryResult<boolean> {
  const { expand = [] } = query
  const expansions = (Array.isArray(expand) ? expand : [expand]) as unknown[]
  return expansions.every((one) => EXPANSIONS.some((known) => known === one))
    ? ok(expansions.length > 0)
    : invalid('expand', `expand[] is not one of ${EXPANSIONS.join(', ')}`)
}

/** The filter parameters: lists of alternatives, switches, and texts. */
export function readFilter({ query, parameters }: RequestContext): QueryResult<Filters> {
  const { filter: known } = parameters
  if (known === undefined) return ok({})
  const { filter } = query
  if (filter === undefined) return ok({})
  if (!isObject(filter)) return invalid('filter', 'use filter[KEY]=VALUE')
  const parts = Object.entries(filter).map(([key, value]): QueryResult<Filters> => {
    const row: FilterRow | undefined = known.some((one) => one === key)
      ? FILTERS[key as FilterKey]
      : undefined
    if (row === undefined) return invalid('filter', `filter[${key.slice(0, 40)}] is not a filter`)
    const read = READERS[row.kind](value, row)
    return typeof read === 'string'
      ? invalid('filter', `filter[${key}] ${read}`)
      : ok({ [row.field]: read.is })
  })
  const malformed = parts.flatMap((part) => ('malformed' in part ? part.malformed : []))
  return malformed.length > 0
    ? { malformed }
    : ok(Object.assign({}, ...parts.map((part) => ('value' in part ? part.value : {}))) as Filters)
}

/** The value of a filter, or what is wrong with it. */
type FilterReader = (value: unknown, row: FilterRow) => { readonly is: unknown } | string
const READERS: Readonly<Record<FilterRow['kind'], FilterReader>> = {
  list(value, { values: accepted }) {
    const values = (Array.isArray(value) ? value : [value]) as unknown[]
    if (!values.every((one) => typeof one === 'string') || values.length > MAX_ALTERNATIVES)
      return `is a list of at most ${MAX_ALTERNATIVES} strings`
    return accepted === undefined || values.every((one) => accepted.includes(one))
      ? { is: values }
      : `is not one of ${accepted.join(', ')}`
  },
  switch: (value) =>
    value === 'true' || value === 'false' ? { is: value === 'true' } : 'must be true or false',
  text: (value) => (typeof value === 'string' ? { is: value } : 'is a string'),
}

/** OpenAPI's deepObject style, one level deep: "a[b]=1&a[c][]=2&d=3" is { a: { b: "1", c: ["2"] }, d: "3" }. */
export function parseQuery(text: string): Readonly<Record<string, unknown>> {
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [key, value] of new URLSearchParams(text)) {
    const [, name = '', inner, list] = /^([^[\]]+)(?:\[([^[\]]+)\])?(\[\])?$/.exec(key) ?? []
    if (name === '') query[key] = value
    else if (inner === undefined) query[name] = appended(query[name], value, list !== undefined)
    else {
      const current = query[name]
      const object = isObject(current) ? current : {}
      query[name] = { ...object, [inner]: appended(object[inner], value, list !== undefined) }
    }
  }
  return query
}

/** A parameter that is repeated, or marked with [], is a list. */
const appended = (current: unknown, value: string, isList: boolean): unknown => {
  if (current === undefined) return isList ? [value] : value
  return Array.isArray(current) ? [...(current as unknown[]), value] : [current, value]
}
