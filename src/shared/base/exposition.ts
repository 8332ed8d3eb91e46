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
  [...families.flatMap(familyLines), '# EOF', ''].join('\n')

const familyLines = ({ name, type, help, samples }: MetricFamily): readonly string[] => [
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

/** The text format 0.0.4 of Prometheus, which the textfile collector of node_exporter reads. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The same families in that format: a type is of the whole name of the samples, and there is no type "info". */
export const prometheusText = (families: readonly MetricFamily[]): string =>
  families
    .flatMap(({ name, type, help, samples }) => {
      const suffix = type === 'counter' ? '_total' : type === 'info' ? '_info' : ''
      return [
        `# HELP ${name}${suffix} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
        `# TYPE ${name}${suffix} ${type === 'info' ? 'gauge' : type}`,
        ...samples.map((one) => `${name}${one.suffix}${formatLabels(one.labels)} ${formatValue(one.value)}`),
        '',
      ]
    })
    .join('\n')
