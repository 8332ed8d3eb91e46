import { createHash } from 'node:crypto'
import type { Position, SortValue } from '../../model/query.ts'
import type { RequestContext } from '../request/context.ts'

/** What the values of a position in a list are, in its order. */
export type ListOrder = readonly SortValue[]

/** How a page begins: after a position, or at an offset. */
interface PageStart {
  /** How many rows were shown before. */
  readonly offset: number
  readonly after?: Position
}

/** In characters. With a longer one, such as by a long TXT, requests might not pass a proxy: it has the offset alone. */
const MAX_CURSOR_LENGTH = 4000

/**
 * The text of a cursor: what it is bound to, how many rows were shown before, and the position of the last one. It has no
 * secret and needs no signature: with another position, a caller reads another page of its own list.
 */
export function formatCursor(context: RequestContext, { offset, after = [] }: PageStart): string {
  const head = [bindingOf(context), offset]
  const text = encoded([...head, ...after])
  return text.length > MAX_CURSOR_LENGTH ? encoded(head) : text
}

const encoded = (parts: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Undefined if it is no cursor of this list with this order and these filters. */
export function parseCursor(context: RequestContext, order: ListOrder, text: unknown): PageStart | undefined {
  const parts = typeof text === 'string' ? decodedParts(text) : []
  const [binding, offset, ...after] = parts
  if (binding !== bindingOf(context) || !isWholeNumber(offset)) return undefined
  if (after.length === 0) return { offset }
  const isPosition = after.length === order.length && order.every((value, n) => IS[value](after[n]))
  return isPosition ? { offset, after: after as unknown as Position } : undefined
}

function decodedParts(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? (parts as unknown[]) : []
  } catch {
    return []
  }
}

const isWholeNumber = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isString = (value: unknown): boolean => typeof value === 'string'

/** The database accepts these values where it compares them with such a column. */
const IS: Readonly<Record<SortValue, (value: unknown) => boolean>> = {
  text: isString,
  'text or null': (value) => value === null || isString(value),
  number: isWholeNumber,
  'number or null': (value) => value === null || isWholeNumber(value),
  flag: (value) => value === 0 || value === 1,
}

/** A digest of what decides which rows a list has, and in which order; a filter more often than once keeps its order. */
function bindingOf({ params, query, operation, parameters }: RequestContext): string {
  const { filter, sort, expressions = [] } = parameters
  const parts = [
    operation,
    Object.values(params),
    sort === undefined ? [] : Object.entries(query['sort'] ?? {}),
    filter === undefined
      ? []
      : Object.entries(query['filter'] ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    expressions.map((name) => query[name]),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)
}
