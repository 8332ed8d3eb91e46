import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Columns, RowOf, Select } from '../select.ts'
import type { Bound } from '../values.ts'
import type { Sql } from '../sql/statement.ts'

/** Has every result at once. */
export interface SqliteSql extends Sql {
  <C extends Columns>(
    select: Select<C>,
  ): {
    get(...values: readonly Bound[]): RowOf<C> | undefined
    all(...values: readonly Bound[]): readonly RowOf<C>[]
    columns(): ReturnType<StatementSync['columns']>
  }
  (text: string): { run(...values: readonly Bound[]): { readonly changes: number | bigint } }
}

/** Prepares each statement once per connection. */
export function statements(database: DatabaseSync): SqliteSql {
  const prepared = new Map<string, StatementSync>()
  const sql = (of: string | Select<Columns>): StatementSync => {
    const text = typeof of === 'string' ? of : of.text
    const statement = prepared.get(text) ?? database.prepare(text)
    prepared.set(text, statement)
    return statement
  }
  const atOneMoment = async <T>(work: () => Promise<T>): Promise<T> => {
    sql('SAVEPOINT moment').run()
    try {
      return await work()
    } finally {
      sql('RELEASE moment').run()
    }
  }
  return Object.assign(sql, { atOneMoment })
}
