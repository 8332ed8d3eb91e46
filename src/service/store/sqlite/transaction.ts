import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Undo } from '../store.ts'
import type { Columns, RowOf, Select } from '../select.ts'
import type { Bound } from '../values.ts'
import type { Sql } from '../sql/statement.ts'

/** For caches of the database: they must follow transactions. */
export interface CommitListener {
  readonly onBegin: () => void
  readonly onCommit: () => void
  /** Changes were reverted that a cache may have read. */
  readonly onRollback: () => void
}

const NO_LISTENER: CommitListener = {
  onBegin: () => undefined,
  onCommit: () => undefined,
  onRollback: () => undefined,
}

/** SQLITE_BUSY, whose extended codes say more in the higher bits (SQLite, "Result and Error Codes"). */
const BUSY = 5

/** Another connection holds the lock for writing. */
const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && ((error.errcode as number) & 0xff) === BUSY

/** The statements of a transaction, which also reverts changes outside the database when it is rolled back. */
export class Transaction {
  readonly #database: DatabaseSync
  readonly #listener: CommitListener
  readonly #undoLog: Undo[] = []
  readonly #begin: () => void
  readonly #commit: () => void
  readonly #savepoint: () => void
  readonly #release: () => void

  constructor(database: DatabaseSync, listener: CommitListener = NO_LISTENER) {
    const prepare = (sql: string): (() => void) => {
      const statement = database.prepare(sql)
      return () => void statement.run()
    }
    this.#database = database
    this.#listener = listener
    this.#begin = prepare('BEGIN IMMEDIATE')
    this.#commit = prepare('COMMIT')
    this.#savepoint = prepare('SAVEPOINT job')
    this.#release = prepare('RELEASE job')
  }

  recordUndo(undo: Undo): void {
    this.#undoLog.push(undo)
  }

  /** False while another program writes. */
  begin(): boolean {
    this.#undoLog.length = 0
    try {
      this.#begin()
    } catch (error) {
      if (isLocked(error)) return false
      throw error
    }
    this.#listener.onBegin()
    return true
  }

  commit(): void {
    this.#commit()
    this.#listener.onCommit()
  }

  /** Returns what reverts everything since. */
  savepoint(): () => void {
    this.#savepoint()
    const mark = this.#undoLog.length
    return () => {
      this.#database.exec('ROLLBACK TO job; RELEASE job')
      this.#revert(mark)
    }
  }

  release(): void {
    this.#release()
  }

  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    this.#revert(0)
  }

  #revert(mark: number): void {
    for (const undo of this.#undoLog.splice(mark).toReversed()) undo()
    this.#listener.onRollback()
  }
}

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
