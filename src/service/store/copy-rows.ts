import type { NumberedTable, Row } from './values.ts'

/** All tables of a store, those that others refer to first. */
export const STORE_TABLES = [
  'plan',
  'account',
  'api_key',
  'zone',
  'zone_draft',
  'zone_member',
  'zone_metadata',
  'ddns_key',
  'name',
  'name_metadata',
  'rrset',
  'rrset_metadata',
  'rdata',
  'usage',
  'nochg',
  'login_failure',
  'holding',
  'fact',
  'operator_change',
  'dns_zone',
  'dns_gone',
  'dns_rr',
  'dns_journal',
  'dns_dirty',
  'trail',
  'tsig_key',
  'dns_update',
  'session',
  'one_time_code',
  'second_factor',
  'sanction',
  'sign_in',
  'account_event',
] as const
export type StoreTable = (typeof STORE_TABLES)[number]

/** Rows that are read or written together. */
export const ROWS_AT_ONCE = 2000

/** The greatest ids that rows of these tables have ever had. */
export type LastIds = Readonly<Record<NumberedTable, number>>

/** All rows of a store, as they were at one moment. */
export interface RowSource {
  rows(table: StoreTable, columns: readonly string[]): AsyncIterable<readonly Row[]>
  lastIds(): Promise<LastIds>
  close(): Promise<void>
}

/** A store that gets its rows: all of them, or none. */
export interface RowSink {
  put(table: StoreTable, rows: readonly Row[]): Promise<void>
  /** How many rows the table has now. */
  count(table: StoreTable): Promise<number>
  /** Makes it durable. */
  finish(lastIds: LastIds): Promise<void>
  /** Ends without a change, unless it has finished. */
  close(): Promise<void>
}

/** A row that the other store cannot have. */
export class RowRefused extends Error {}

/** Copies every row; resolves with their number. Throws RowRefused. */
export async function copyRows(
  source: RowSource,
  sink: RowSink,
  columnsOf: (table: StoreTable) => readonly string[],
): Promise<number> {
  let copied = 0
  for (const table of STORE_TABLES) {
    let inTable = 0
    for await (const rows of source.rows(table, columnsOf(table))) {
      await sink.put(table, rows)
      inTable += rows.length
    }
    const count = await sink.count(table)
    if (count !== inTable) throw new Error(`${inTable} rows of ${table} were copied, and ${count} came`)
    copied += inTable
  }
  await sink.finish(await source.lastIds())
  return copied
}
