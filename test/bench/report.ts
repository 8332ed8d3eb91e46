/** The limit of a figure, in the unit of the figure or as a ratio to its base. */
export interface Bar {
  readonly of: 'value' | 'ratio'
  readonly atMost?: number
  readonly atLeast?: number
  /** A better value to aim for. */
  readonly stretch?: number
}

/** One measured value. */
export interface Figure {
  readonly what: string
  readonly value: number
  /** "ms", "MiB", "req/s"; empty for a count. */
  readonly unit: string
  /** Relative to the base of its section, measured in the same run. */
  readonly ratio?: number
  readonly bar?: Bar
}

/** The result of one benchmark. */
export interface Section {
  readonly title: string
  /** How it was measured, in a few sentences. */
  readonly how: string
  readonly figures: readonly Figure[]
  /** Programs that are not installed, and other remarks. */
  readonly notes: readonly string[]
}

export interface Context {
  /** The Node that runs the measured program. */
  readonly node: string
  /** `quick`: few and small runs, only to check that the benchmark works. `medium`: to compare commits within minutes. */
  readonly size: 'full' | 'medium' | 'quick'
  readonly isQuick: boolean
  /** Other commits to measure beside this checkout. */
  readonly beside: readonly string[]
  /** An empty folder for this benchmark. */
  readonly folder: string
}

export interface Bench {
  readonly name: string
  run(context: Context): Promise<Section>
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  if (low === undefined || high === undefined) throw new Error('nothing was measured')
  return (low + high) / 2
}

/** Whether a figure is within its limit; undefined without one. */
export function isWithinLimit({ value, ratio, bar }: Figure): boolean | undefined {
  if (bar === undefined) return undefined
  const measured = bar.of === 'ratio' ? ratio : value
  if (measured === undefined) return false
  return measured <= (bar.atMost ?? Infinity) && measured >= (bar.atLeast ?? -Infinity)
}

const rounded = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

function limitOf({ bar }: Figure): string {
  if (bar === undefined) return ''
  const sign = bar.of === 'ratio' ? ' ×' : ''
  const limit = bar.atMost === undefined ? `≥ ${bar.atLeast}${sign}` : `≤ ${bar.atMost}${sign}`
  return bar.stretch === undefined ? limit : `${limit} (${bar.stretch}${sign})`
}

/** A Markdown table that is also readable on a terminal. */
export function tableOf(figures: readonly Figure[]): string {
  const lines = [
    ['what', 'median', 'ratio', 'limit', ''],
    ...figures.map((figure) => [
      figure.what,
      `${rounded(figure.value)} ${figure.unit}`.trim(),
      figure.ratio === undefined ? '' : `${figure.ratio.toFixed(2)} ×`,
      limitOf(figure),
      { true: 'ok', false: 'FAILED', undefined: '' }[String(isWithinLimit(figure)) as 'true'],
    ]),
  ]
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...lines.map((line) => line[at]?.length ?? 0), 3))
  const row = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  const [head = [], ...rest] = lines
  return [row(head), row(widths.map((width) => '-'.repeat(width))), ...rest.map(row)].join('\n')
}

export const textOf = ({ title, how, figures, notes }: Section): string =>
  [
    `## ${title}`,
    how,
    tableOf(figures),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
  ].join('\n\n')
