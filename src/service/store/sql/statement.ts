import type { Columns, RowOf, Select } from '../select.ts'
import type { Bound, NumberedTable } from '../values.ts'

/** SQLite has the result at once, PostgreSQL later; callers await both. */
type Soon<T> = T | Promise<T>

export interface SelectStatement<R> {
  /** The first row. */
  get(...values: readonly Bound[]): Soon<R | undefined>
  all(...values: readonly Bound[]): Soon<readonly R[]>
}

export interface WriteStatement {
  run(...values: readonly Bound[]): Soon<{ readonly changes: number | bigint }>
}

/**
 * A statement, prepared once per connection; values are always bound. The text is in the SQL of SQLite, as far as
 * `postgres-dialect.ts` can translate it. Rows have the type of their column list, which was checked when the store was
 * opened.
 */
export interface Sql {
  <C extends Columns>(select: Select<C>): SelectStatement<RowOf<C>>
  (text: string): WriteStatement
  /** All statements of the work see the same state. */
  atOneMoment<T>(work: () => Promise<T>): Promise<T>
}

/** In SQL, the names beneath ?1, which is reversed: '/' is the character after '.'. */
export const BENEATH = `labels_reversed > ?1 || '.' AND labels_reversed < ?1 || '/'`
/** The number of the hash key for new hashes; each rotation increases it. */
export const HASH_KEY_NUMBER = `(SELECT coalesce(max(CAST(value AS INTEGER)), 1) FROM fact WHERE name = 'hash_key_number')`
/** In SQL, an id that no row of the table has had. PostgreSQL has a sequence instead. */
export const newId = (table: NumberedTable): string =>
  `(SELECT coalesce(max(id), 0) + 1 FROM (SELECT max(id) AS id FROM ${table}
    UNION ALL SELECT id FROM last_id WHERE of = '${table}') AS used)`

/** Several numbers or texts, as one bound value. */
export const asList = (values: readonly (string | number)[]): string => JSON.stringify(values)

/** In SQL, the numbers of a list that is bound. */
export const ids = (mark = '?'): string => `(SELECT CAST(value AS BIGINT) FROM json_each(${mark}))`
