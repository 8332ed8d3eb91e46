import type { Bound, NumberedTable, Row } from '../values.ts'

/** SQLite has the result at once, PostgreSQL later; callers await both. */
type Soon<T> = T | Promise<T>

export interface Statement {
  /** The first row. */
  get(...values: readonly Bound[]): Soon<Row | undefined>
  all(...values: readonly Bound[]): Soon<readonly Row[]>
  run(...values: readonly Bound[]): Soon<{ readonly changes: number | bigint }>
}

/**
 * The statement of a text, prepared once per connection; values are always bound. The text is in the SQL of SQLite, as far as
 * `postgres-dialect.ts` can translate it.
 */
export interface Sql {
  (text: string): Statement
  /** All statements of the work see the same state. */
  atOneMoment<T>(work: () => Promise<T>): Promise<T>
  /** In SQL, an id that no row of the table has had. */
  newId(table: NumberedTable): string
}

/** That an INSERT returns. */
export const idOf = (row: Row | undefined): number => Number(row?.['id'])

/** In SQL, the names beneath ?1, which is reversed: '/' is the character after '.'. */
export const BENEATH = `labels_reversed > ?1 || '.' AND labels_reversed < ?1 || '/'`
/** The number of the hash key for new hashes; each rotation increases it. */
export const HASH_KEY_NUMBER = `(SELECT coalesce(max(CAST(value AS INTEGER)), 1) FROM fact WHERE name = 'hash_key_number')`

/** Several numbers or texts, as one bound value. */
export const asList = (values: readonly (string | number)[]): string => JSON.stringify(values)

/** In SQL, the numbers of a list that is bound. */
export const ids = (mark = '?'): string => `(SELECT CAST(value AS BIGINT) FROM json_each(${mark}))`
