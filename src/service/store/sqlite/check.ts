import { compareColumns, type NamedSelect, namedSelects, refusedBy } from '../select-check.ts'
import type { Selects } from '../select.ts'
import { SHARED_SELECTS } from '../sql/shared-selects.ts'
import { SQLITE_COPY } from './copy-rows.ts'
import { SQLITE_COUNTERS } from './counters.ts'
import { FILES } from './files.ts'
import { PRAGMAS } from './pragmas.ts'
import { SCHEMA } from './schema-check.ts'
import type { SqliteSql } from './statements.ts'
import { SWEEP } from './sweep.ts'

export const SQLITE_SELECTS: Readonly<Record<string, Selects>> = {
  ...SHARED_SELECTS,
  SQLITE_COPY,
  SQLITE_COUNTERS,
  FILES,
  PRAGMAS,
  SCHEMA,
  SWEEP,
}

/** SQLite, "Result and Error Codes": the statement is wrong, and not the file or the disk. */
const SQLITE_ERROR = 1

/** Prepares each statement. Throws StoreRefused if one does not fit the database. */
export function checkSqlite(sql: SqliteSql, lists = SQLITE_SELECTS): void {
  for (const one of namedSelects(lists))
    compareColumns(
      one,
      columnsOf(sql, one).map(({ name, type }) => ({ name, type: type ?? undefined })),
    )
}

function columnsOf(sql: SqliteSql, one: NamedSelect) {
  try {
    return sql(one.select).columns()
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode !== SQLITE_ERROR) throw error
    throw refusedBy(one, (error as Error).message)
  }
}
