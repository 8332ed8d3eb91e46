import type { RequestContext } from '../request/context.ts'
import type { ListedPage, Page, Position } from '../../model/query.ts'
import { formatCursor } from '../query/cursor.ts'
import { tagOfList } from './entity-tag.ts'

interface ShownPage extends Pick<ListedPage<unknown>, 'total' | 'next'> {
  readonly page: Page
}

/** The answer with a page of a list: its rows, its place, the cursor of the next page, and its entity tag. */
export function listResult<T extends object>(context: RequestContext, shown: ShownPage, data: readonly T[]) {
  const { total, next } = shown
  const { offset, limit } = shown.page
  const start = next && { offset: offset + data.length, after: next }
  const page = { offset, limit, total, next: start === undefined ? null : formatCursor(context, start) }
  return { status: 200 as const, data, page, headers: { etag: tagOfList(data, page) } }
}

interface RowOrder<R> {
  readonly isAfter: (row: R, position: Position) => boolean
  readonly positionOf: (row: R) => Position
}

/** A page of rows that are in memory, in their order. */
export function pageOfRows<R>(
  rows: readonly R[],
  { offset, limit, after }: Page,
  { isAfter, positionOf }: RowOrder<R>,
): ListedPage<R> {
  const rest = after === undefined ? rows.slice(offset) : rows.filter((row) => isAfter(row, after))
  const items = rest.slice(0, limit)
  const last = rest.length > limit ? items.at(-1) : undefined
  return { items, total: rows.length, next: last === undefined ? undefined : positionOf(last) }
}
