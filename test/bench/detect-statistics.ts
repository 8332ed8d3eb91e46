/** Statistics of a list of times, and the comparison with a bar. */
export interface Bar {
  readonly of: 'p95' | 'max'
  readonly ms: number
}

export interface Row {
  readonly name: string
  readonly changes: number
  /** Milliseconds of each change that was noticed within the limit. */
  readonly times: readonly number[]
  readonly missed: number
  readonly wrong: number
  /** How often the daemon ended by itself. */
  readonly crashed: number
  readonly bar: Bar | undefined
  /** The times of the warnings, and how long each may take. */
  readonly warnings?: { readonly times: readonly number[]; readonly max: number }
  /** Notes for the reader: each miss, wrong update and crash, or why there is no measurement. */
  readonly notes: readonly string[]
  /** There is no measurement, or a bar that is no time is broken. */
  readonly failed?: string
  /** Printed instead of the times. */
  readonly instead?: string
}

/** Nearest rank: a time that was measured, never one in between. */
export function percentile(times: readonly number[], share: number): number | undefined {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

export const valueOf = (times: readonly number[], of: Bar['of']): number | undefined =>
  percentile(times, of === 'p95' ? 0.95 : 1)

/** The row, with a complaint if its p95 is above so many times that of the other row. */
export function compared(row: Row, other: Row | undefined, factor: number): Row {
  const [own, theirs] = [row, other].map((one) => one && valueOf(one.times, 'p95'))
  if (other === undefined || theirs === undefined || own === undefined)
    return { ...row, notes: [...row.notes, 'compared with no other row'] }
  const limit = `${factor} × ${theirs.toFixed(0)} ms of ${other.name}`
  if (own <= factor * theirs) return { ...row, notes: [...row.notes, `p95 ${own.toFixed(0)} ≤ ${limit}`] }
  const failed = `p95 ${own.toFixed(0)} > ${limit}`
  return { ...row, failed: row.failed === undefined ? failed : `${row.failed}, ${failed}` }
}

/** Everything that is wrong with a row; nothing means it passes. */
export function complaints({ times, missed, wrong, crashed, bar, warnings, failed }: Row): readonly string[] {
  const value = bar === undefined ? undefined : valueOf(times, bar.of)
  const late = warnings?.times.filter((time) => time > warnings.max) ?? []
  return [
    ...(failed === undefined ? [] : [failed]),
    ...(missed > 0 ? [`${missed} missed`] : []),
    ...(wrong > 0 ? [`${wrong} wrong`] : []),
    ...(crashed > 0 ? [`${crashed} crashed`] : []),
    ...(bar !== undefined && value !== undefined && value > bar.ms
      ? [`${bar.of} ${value.toFixed(0)} > ${bar.ms} ms`]
      : []),
    ...(late.length > 0 ? [`${late.length} warned later than ${warnings?.max} ms`] : []),
  ]
}

const HEAD = ['scenario', 'N', 'p50', 'p95', 'max', 'missed', 'wrong', 'crashed', 'limit', 'result'] as const

function cells(row: Row): readonly string[] {
  const found = complaints(row)
  const said = (share: number): string => percentile(row.times, share)?.toFixed(0) ?? '-'
  return [
    row.name,
    String(row.changes),
    ...(row.instead === undefined ? [said(0.5), said(0.95), said(1)] : [row.instead, '-', '-']),
    String(row.missed),
    String(row.wrong),
    String(row.crashed),
    row.bar === undefined ? '-' : `${row.bar.of} ≤ ${row.bar.ms}`,
    found.length === 0 ? 'ok' : found.join(', '),
  ]
}

/** A Markdown table that is also readable on a terminal. */
export function table(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cells)]
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const joined = lines.map(
    (line) => `| ${widths.map((width, column) => (line[column] ?? '').padEnd(width)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [joined[0], rule, ...joined.slice(1)].join('\n')
}
