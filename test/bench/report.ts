/** What a figure must keep to, in the figure's own unit or as a ratio to its base. */
export interface Bar {
  readonly of: 'value' | 'ratio'
  readonly atMost?: number
  readonly atLeast?: number
  /** What would be better still. */
  readonly stretch?: number
}

/** One thing that was measured. */
export interface Figure {
  readonly what: string
  readonly value: number
  /** "ms", "MiB", "req/s"; empty for a count. */
  readonly unit: string
  /** To the base of its section, measured in the same run. */
  readonly ratio?: number
  readonly bar?: Bar
}

/** One benchmark's outcome. */
export interface Section {
  readonly title: string
  /** What was done, in a sentence or two, so that somebody else can judge it. */
  readonly how: string
  readonly figures: readonly Figure[]
  /** Peers that are not installed, and whatever else a reader should know. */
  readonly notes: readonly string[]
}

export interface Context {
  /** The Node that runs what is measured. */
  readonly node: string
  /** Few and small, to see that all of it works. */
  readonly isQuick: boolean
  /** An empty folder of its own. */
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

/** Whether a figure keeps to its bar; undefined where it has none. */
export function isKept({ value, ratio, bar }: Figure): boolean | undefined {
  if (bar === undefined) return undefined
  const measured = bar.of === 'ratio' ? ratio : value
  if (measured === undefined) return false
  return measured <= (bar.atMost ?? Infinity) && measured >= (bar.atLeast ?? -Infinity)
}

const rounded = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

function barIn({ bar }: Figure): string {
  if (bar === undefined) return ''
  const sign = bar.of === 'ratio' ? ' ×' : ''
  const limit = bar.atMost === undefined ? `≥ ${bar.atLeast}${sign}` : `≤ ${bar.atMost}${sign}`
  return bar.stretch === undefined ? limit : `${limit} (${bar.stretch}${sign})`
}

/** A Markdown table that is readable on a terminal too. */
export function tableOf(figures: readonly Figure[]): string {
  const lines = [
    ['what', 'median', 'ratio', 'bar', ''],
    ...figures.map((figure) => [
      figure.what,
      `${rounded(figure.value)} ${figure.unit}`.trim(),
      figure.ratio === undefined ? '' : `${figure.ratio.toFixed(2)} ×`,
      barIn(figure),
      { true: 'kept', false: 'BROKEN', undefined: '' }[String(isKept(figure)) as 'true'],
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
