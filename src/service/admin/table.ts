import type { OverviewRow } from '../store/overview.ts'

type Cell = OverviewRow[string]

const cellText = (value: Cell): string => {
  if (value === null || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return printable(String(value))
}

/** A User-Agent and a description come from others: no control characters on the operator's terminal. */
const printable = (value: string): string => value.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')

/** A column says something if not every row is empty, "no", or zero there. */
const saysSomething = (column: string, rows: readonly OverviewRow[]): boolean =>
  rows.some(({ [column]: value }) => value !== null && value !== false && value !== '')

/** Aligned columns with a heading; columns that say nothing are left out. */
export function formatTable(rows: readonly OverviewRow[]): readonly string[] {
  const [first] = rows
  if (first === undefined) return ['none']
  const columns = Object.keys(first).filter((column) => saysSomething(column, rows))
  const cells = [columns, ...rows.map((row) => columns.map((column) => cellText(row[column] ?? null)))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => (line[at] ?? '').length)))
  return cells.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** One row as a column of names and values. */
export function formatFields(row: OverviewRow): readonly string[] {
  const width = Math.max(...Object.keys(row).map((column) => column.length))
  return Object.entries(row).map(([column, value]) => `${column.padEnd(width)}  ${cellText(value)}`)
}
