import { createHash } from 'node:crypto'
import type { Client, QueryResult } from 'pg'
import { toPostgres } from '../sql/postgres-dialect.ts'
import type { Columns, RowOf, Select } from '../select.ts'
import type { Bound } from '../values.ts'
import type { SelectStatement, Sql, WriteStatement } from '../sql/statement.ts'

/**
 * A statement has the same name in every process, because behind a pooler another process may have prepared it on this
 * connection.
 */
const nameOf = (text: string): string => `h${createHash('sha256').update(text).digest('hex').slice(0, 20)}`

const isRead = (text: string): boolean => /^(?:SELECT|WITH wanted)/.test(text)

/** A list is an array of PostgreSQL. */
type PostgresBound = Bound | readonly Bound[]

/**
 * PostgreSQL has no U+0000. No stored text contains it, because the API refuses it. A request may still ask for one:
 * its substitute is not found either.
 */
const asked = (value: Bound): Bound => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value)
const askedAll = (value: PostgresBound): PostgresBound =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    ? value.map(asked)
    : asked(value)

const names = new Map<string, string>()

function named(text: string): string {
  const name = names.get(text) ?? nameOf(text)
  names.set(text, name)
  return name
}

export interface PostgresSql extends Sql {
  /** The rows of a statement in the SQL of PostgreSQL. */
  readonly rows: <C extends Columns>(
    select: Select<C>,
    ...values: readonly PostgresBound[]
  ) => Promise<readonly RowOf<C>[]>
  /** Executes a text in the SQL of PostgreSQL. */
  readonly execute: (text: string, ...values: readonly PostgresBound[]) => Promise<void>
}

/** Statements on one connection; they are sent at once and executed in the order of the calls. */
export function postgresStatements(
  client: Client,
  { isPrepared }: { readonly isPrepared: boolean },
): PostgresSql {
  const ask = async (text: string, values: readonly PostgresBound[]): Promise<QueryResult> =>
    client.query({
      text,
      values: isRead(text) ? values.map(askedAll) : [...values],
      ...(isPrepared && { name: named(text) }),
    })
  const sql = (of: string | Select<Columns>): WriteStatement & SelectStatement<never> => {
    const text = toPostgres(typeof of === 'string' ? of : of.text)
    return {
      get: async (...values) => (await ask(text, values)).rows[0] as never,
      all: async (...values) => (await ask(text, values)).rows as never[],
      run: async (...values) => ({ changes: (await ask(text, values)).rowCount ?? 0 }),
    }
  }
  return Object.assign(sql, {
    rows: async ({ text }: Select<Columns>, ...values: readonly PostgresBound[]) =>
      (await ask(text, values)).rows as never[],
    execute: async (text: string, ...values: readonly PostgresBound[]) => void (await ask(text, values)),
    // The transaction around it is a snapshot.
    atOneMoment: async <T>(work: () => Promise<T>): Promise<T> => work(),
  })
}
