import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { NumberedTable } from '../values.ts'
import type { Sql } from '../sql/statement.ts'

/** Has every result at once. */
export interface SqliteSql extends Sql {
  (text: string): StatementSync
}

/** Prepares each statement once per connection. */
export function statements(database: DatabaseSync): SqliteSql {
  const prepared = new Map<string, StatementSync>()
  const sql = (text: string): StatementSync => {
    const statement = prepared.get(text) ?? database.prepare(text)
    prepared.set(text, statement)
    return statement
  }
  return Object.assign(sql, {
    newId,
    atOneMoment: async <T>(work: () => Promise<T>): Promise<T> => {
      sql('SAVEPOINT moment').run()
      try {
        return await work()
      } finally {
        sql('RELEASE moment').run()
      }
    },
  })
}

const newId = (table: NumberedTable): string =>
  `(SELECT coalesce(max(id), 0) + 1 FROM (SELECT max(id) AS id FROM ${table}
    UNION ALL SELECT id FROM last_id WHERE of = '${table}') AS used)`
