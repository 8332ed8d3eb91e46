import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { exposition } from '../../../src/shared/base/exposition.ts'
import { serviceMetrics } from '../../../src/service/program/service-metrics.ts'

const VALUES = {
  totals: { accounts: 2, zones: 1, names: 7, keys: 3, blocks: 1, lockouts: 0 },
  zones: { published: 0, pending: 0, behind: 1, unserved: 0, unproved: 0 },
  connections: 4,
  secondaries: [{ name: 'ns1', behind: 3, stuck: 1, lag: 75 }],
  version: '1.2.3',
}
const answer = (status: number, body: string) => ({ status, headers: {}, body })

function measured(): string {
  const metrics = serviceMetrics()
  metrics.answered('update', answer(200, 'good 192.0.2.1\nnohost\n'), 0.0009)
  metrics.answered('update', answer(200, 'good 192.0.2.1\n'), 0.03)
  metrics.answered('update', answer(405, 'only GET is allowed\n'), 0.001)
  metrics.answered('api', answer(201, '{"good":1}'), 9)
  metrics.written(0.002)
  metrics.wasBusy()
  metrics.flushed(0.004)
  metrics.answeredDns(0)
  metrics.answeredDns(3)
  metrics.answeredDns(3)
  metrics.queued(1)
  metrics.queued(1)
  metrics.queued(-1)
  return metrics.text(VALUES)
}
const valueOf = (text: string, sample: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${sample} `))
    ?.slice(sample.length + 1)

describe('the metrics', () => {
  // biome-ignore format: a table
  it.each([
    ['holdfast_build_info{version="1.2.3"}',                                '1'],
    ['holdfast_requests_total{part="update",answer="good"}',                '2'],
    ['holdfast_requests_total{part="update",answer="405"}',                 '1'],
    ['holdfast_requests_total{part="api",answer="201"}',                    '1'],
    ['holdfast_request_duration_seconds_bucket{part="update",le="0.001"}',  '2'],
    ['holdfast_request_duration_seconds_bucket{part="update",le="0.025"}',  '2'],
    ['holdfast_request_duration_seconds_bucket{part="update",le="0.05"}',   '3'],
    ['holdfast_request_duration_seconds_bucket{part="update",le="+Inf"}',   '3'],
    ['holdfast_request_duration_seconds_bucket{part="api",le="5"}',         '0'],
    ['holdfast_request_duration_seconds_bucket{part="api",le="+Inf"}',      '1'],
    ['holdfast_request_duration_seconds_count{part="update"}',              '3'],
    ['holdfast_request_duration_seconds_sum{part="api"}',                   '9'],
    ['holdfast_store_write_duration_seconds_count',                         '1'],
    ['holdfast_store_busy_total',                                           '1'],
    ['holdfast_store_queue',                                                '1'],
    ['holdfast_publish_duration_seconds_count',                             '1'],
    ['holdfast_dns_messages_total{rcode="NXDOMAIN"}',                       '2'],
    ['holdfast_secondary_behind_zones{secondary="ns1"}',                    '3'],
    ['holdfast_secondary_stuck_zones{secondary="ns1"}',                     '1'],
    ['holdfast_secondary_lag_seconds{secondary="ns1"}',                     '75'],
    ['holdfast_zones_by_publication{publication="behind"}',                 '1'],
    ['holdfast_connections',                                                '4'],
    ['holdfast_names',                                                      '7'],
    ['holdfast_blocks',                                                     '1'],
    ['holdfast_lockouts',                                                   '0'],
  ])('%s is %s', (sample, value) => expect(valueOf(measured(), sample)).toBe(value))

  it('end as OpenMetrics wants it', () => expect(measured()).toMatch(/\n# EOF\n$/))

  it('escape quotes, backslashes and line breaks', () =>
    expect(
      exposition([
        {
          name: 'a',
          type: 'gauge',
          help: 'b\nc',
          samples: [{ suffix: '', labels: { l: '"\\\n' }, value: 1 }],
        },
      ]),
    ).toBe('# TYPE a gauge\n# HELP a b\\nc\na{l="\\"\\\\\\n"} 1\n# EOF\n'))

  const parser =
    'from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\nimport sys\n'
  const hasParser = spawnSync('/usr/bin/python3', ['-c', parser]).status === 0
  if (!hasParser)
    console.error('\n!!! python3-prometheus-client is not installed: the test that needs it is SKIPPED\n')
  it.skipIf(!hasParser)('are read by the parser of the reference implementation', () => {
    const { stdout, stderr, status } = spawnSync(
      '/usr/bin/python3',
      ['-c', `${parser}print(' '.join(sorted(f.name for f in parse(sys.stdin.read()))))`],
      { input: measured(), encoding: 'utf8' },
    )

    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('holdfast_requests holdfast_secondary_behind_zones')
  })
})
