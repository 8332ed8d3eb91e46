import type { ListedPage, Page, Position } from '../../model/query.ts'
import { type Columns, existing, type RowOf, type Select } from '../select.ts'
import { type Clause, joined } from './clause.ts'
import type { Sql } from './statement.ts'

/** A list and its order. */
interface OrderedList<C extends Columns> {
  readonly rows: Select<C>
  readonly count: Select<{ readonly n: 'INTEGER' }>
  readonly where: Clause
  /** ORDER BY; no two rows have the same place. */
  readonly order: string
  /** The condition on rows after a position. */
  readonly after: (position: Position) => Clause
  readonly positionOf: (row: RowOf<C>) => Position
}

/** One page of it, from its offset or after its position. */
export async function orderedPage<C extends Columns>(
  sql: Sql,
  { rows, count, where, order, after, positionOf }: OrderedList<C>,
  page: Page,
): Promise<ListedPage<RowOf<C>>> {
  const { n: total } = existing(await sql(count.with(` WHERE ${where.sql}`)).get(...where.values))
  const rest = page.after === undefined ? where : joined('AND', [where, after(page.after)], 'TRUE')
  const text = ` WHERE ${rest.sql} ORDER BY ${order} LIMIT ? OFFSET ?`
  const found = await sql(rows.with(text)).all(
    ...rest.values,
    page.limit + 1,
    page.after === undefined ? page.offset : 0,
  )
  const items = found.slice(0, page.limit)
  const last = found.length > page.limit ? items.at(-1) : undefined
  return { items, total, next: last === undefined ? undefined : positionOf(last) }
}
