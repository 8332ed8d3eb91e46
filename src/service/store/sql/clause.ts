import type { Bound } from '../values.ts'

/** A condition in SQL; every value is bound. */
export interface Clause {
  readonly sql: string
  readonly values: readonly Bound[]
}

export const clause = (sql: string, ...values: readonly Bound[]): Clause => ({ sql, values })

export const joined = (word: 'AND' | 'OR', parts: readonly Clause[], empty: string): Clause =>
  parts.length === 0
    ? clause(empty)
    : clause(parts.map(({ sql }) => `(${sql})`).join(` ${word} `), ...parts.flatMap(({ values }) => values))

/** As many marks as values. */
export const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/** Whether a column contains this text, in capitals or not; both stores compare the letters of ASCII alone so. */
export const contains = (column: string, text: string): Clause =>
  clause(`instr(lower(${column}), lower(CAST(? AS TEXT) COLLATE BINARY)) > 0`, text)
