import type { Instant } from '../../shared/base/time.ts'

/** What a column holds. FLAG and TIME are integers: 0 or 1, and milliseconds since the epoch. */
interface ColumnValues {
  readonly INTEGER: number
  readonly FLAG: 0 | 1
  readonly TIME: Instant
  readonly TEXT: string
  readonly BLOB: Uint8Array
}

type ColumnKind = keyof ColumnValues
/** A column with NULL may be empty. */
export type ColumnType = ColumnKind | `${ColumnKind} NULL`
/** The columns that a statement returns, by their names. */
export type Columns = Readonly<Record<string, ColumnType>>

export type ValueOf<T extends ColumnType> = T extends `${infer K extends ColumnKind} NULL`
  ? ColumnValues[K] | null
  : T extends ColumnKind
    ? ColumnValues[T]
    : never

export type RowOf<C extends Columns> = { readonly [K in keyof C]: ValueOf<C[K]> }

/** A statement with the list of its columns. It can be executed only as a member of `selects`. */
interface Unlisted<C extends Columns> {
  readonly columns: C
  readonly text: string
}

export const select = <const C extends Columns>(columns: C, text: string): Unlisted<C> => ({ columns, text })

/** An INSERT of one row, which returns its id. */
export const insert = (text: string): Unlisted<{ readonly id: 'INTEGER' }> =>
  select({ id: 'INTEGER' }, `${text} RETURNING id`)

/**
 * A statement that returns rows. When a store is opened, its columns are compared with those that the database gives
 * (decision 0044), so its rows have the type of its list.
 */
class Select<C extends Columns> {
  readonly columns: C
  readonly text: string

  constructor(columns: C, text: string) {
    this.columns = columns
    this.text = text
  }

  /** The same columns; more of the statement. */
  with(more: string): Select<C> {
    return new Select(this.columns, this.text + more)
  }

  /** The same columns; this condition in the place of the one `WHERE TRUE`: it may be a limit of access. */
  where(condition: string): Select<C> {
    const [before, after, ...more] = this.text.split('WHERE TRUE')
    if (after === undefined || more.length > 0) throw new Error(`not one WHERE TRUE in: ${this.text}`)
    return new Select(this.columns, `${before}WHERE ${condition}${after}`)
  }
}
export type { Select }

export type Selects = Readonly<Record<string, Select<Columns>>>

/** The statements of a file that return rows. The list belongs to `SHARED_SELECTS`, or to those of one database. */
export const selects = <L extends Readonly<Record<string, Unlisted<Columns>>>>(
  list: L,
): { readonly [K in keyof L]: Select<L[K]['columns']> } =>
  Object.fromEntries(
    Object.entries(list).map(([name, { columns, text }]) => [name, new Select(columns, text)]),
  ) as unknown as { readonly [K in keyof L]: Select<L[K]['columns']> }

/** In SQL, these columns, of this table. */
export const columnList = (columns: Columns, table?: string): string =>
  Object.keys(columns)
    .map((name) => (table === undefined ? name : `${table}.${name}`))
    .join(', ')

/** The row that is there for certain. */
export function existing<R>(row: R | undefined): R {
  if (row === undefined) throw new Error('a row is missing in the store')
  return row
}
