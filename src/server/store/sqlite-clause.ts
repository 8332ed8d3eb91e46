import type { SQLInputValue } from 'node:sqlite'

/** A condition in SQL; every value is bound. */
export interface Clause {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export const clause = (sql: string, ...values: readonly SQLInputValue[]): Clause => ({ sql, values })

export const joined = (word: 'AND' | 'OR', parts: readonly Clause[], empty: string): Clause =>
  parts.length === 0
    ? clause(empty)
    : clause(parts.map(({ sql }) => `(${sql})`).join(` ${word} `), ...parts.flatMap(({ values }) => values))
