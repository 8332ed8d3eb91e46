/** OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), text format. */
export const CONTENT_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export type Labels = Readonly<Record<string, string>>

export interface Sample {
  /** What follows the name of the family: "_total", "_bucket", or nothing. */
  readonly suffix: string
  readonly labels: Labels
  readonly value: number
}

export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The text of all families. */
export const exposition = (families: readonly MetricFamily[]): string =>
  [...families.flatMap(linesOf), '# EOF', ''].join('\n')

const linesOf = ({ name, type, help, samples }: MetricFamily): readonly string[] => [
  `# TYPE ${name} ${type}`,
  `# HELP ${name} ${escaped(help)}`,
  ...samples.map(
    ({ suffix, labels, value }) => `${name}${suffix}${formatLabels(labels)} ${formatValue(value)}`,
  ),
]

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const formatValue = (value: number): string => (value === Infinity ? '+Inf' : String(value))
