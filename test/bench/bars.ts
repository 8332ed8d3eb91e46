import type { Bar, Figure } from './report.ts'

/**
 * A figure beyond its bar fails the run. A row is moved only with the reason, and with the commit that it was measured at.
 * Only `judge` is a step of `.ci/run`: the ratios of the others depend on what else the machine does, so a person reads them.
 * Counts judge every change: `test/e2e/counts.test.ts`.
 */
export interface BarRow extends Bar {
  readonly bench: 'judge' | 'cost' | 'update' | 'one-shot' | 'thousand'
  /** As the benchmark calls the figure. */
  readonly what: string
  /** The commit that it was measured at when it was last moved. */
  readonly at: string
  readonly why: string
}

const MEASURED = 'measured, and a tenth more'

// biome-ignore format: a table
export const BARS: readonly BarRow[] = [
  { bench: 'judge',    what: 'update, changed address, durable and published', of: 'ratio', atMost: 22,                   at: 'ea7257c', why: 'measured 14 to 15.5 as the lowest of three, and half as much again; 9.4 to 10.6 with Node 24.21 and its SQLite 3.53' },
  { bench: 'update',   what: 'unchanged address',                              of: 'ratio', atLeast: 0.28, stretch: 0.35, at: 'edd5b78', why: 'the rate before the service published' },
  { bench: 'update',   what: 'changed address, durable',                       of: 'ratio', atLeast: 0.16, stretch: 0.22, at: 'edd5b78', why: 'the rate before the service published, less what publishing costs' },
  { bench: 'update',   what: 'changed, relative to PowerDNS',                  of: 'ratio', atLeast: 5,                   at: 'edd5b78', why: 'a table of its own must be worth it' },
  { bench: 'update',   what: 'resident after a million requests more',         of: 'ratio', atMost: 1.2,                  at: 'edd5b78', why: 'memory does not grow with requests' },
  { bench: 'cost',     what: 'update, unchanged address',                      of: 'ratio', atMost: 7,  stretch: 4,     at: 'ce3e1b5', why: 'measured 4.4 to 5.9, once 9.0 on a disturbed machine; 4.7 for edd5b78 in the same run as 5.2' },
  { bench: 'cost',     what: 'update, changed address, durable and published', of: 'ratio', atMost: 13, stretch: 6.5,   at: 'ce3e1b5', why: 'measured 9.0 to 12.9, once 16.4 on a disturbed machine; 6.5 for edd5b78, which did not publish, in the same run as 9.8' },
  { bench: 'cost',     what: 'update, wrong password',                         of: 'ratio', atMost: 4.8,                  at: 'c68e091', why: MEASURED },
  { bench: 'cost',     what: '/v1, GET a name',                                of: 'ratio', atMost: 24,                   at: 'c68e091', why: MEASURED },
  { bench: 'cost',     what: '/v1, PUT rdata',                                 of: 'ratio', atMost: 40,                   at: 'ce3e1b5', why: MEASURED },
  { bench: 'cost',     what: 'DNS, an answer by UDP',                          of: 'ratio', atMost: 8,                  at: 'ce3e1b5', why: MEASURED },
  { bench: 'cost',     what: 'one hostname: holdfast, CPU',                    of: 'ratio', atMost: 3.8,                  at: 'c68e091', why: MEASURED },
  { bench: 'cost',     what: 'one hostname: holdfast, peak RSS',               of: 'ratio', atMost: 1.5,                  at: 'c68e091', why: MEASURED },
  { bench: 'cost',     what: 'one hostname: holdfast, requests',               of: 'value', atMost: 1,                    at: 'c68e091', why: 'one change is one request' },
  { bench: 'cost',     what: '1000 hostnames: holdfast, CPU',                  of: 'ratio', atMost: 19,                   at: 'ce3e1b5', why: MEASURED },
  { bench: 'cost',     what: '1000 hostnames: holdfast, peak RSS',             of: 'ratio', atMost: 2.15,                 at: 'c68e091', why: MEASURED },
  { bench: 'cost',     what: '1000 hostnames: holdfast, requests',             of: 'value', atMost: 8,                    at: 'edd5b78', why: 'a request has at most 8,000 characters of hostnames' },
  { bench: 'one-shot', what: 'holdfast, wall',                                 of: 'ratio', atMost: 3,    stretch: 2.7,   at: '70e2bf7', why: 'measured 2.98; ddclient takes 2.3' },
  { bench: 'one-shot', what: 'holdfast, peak RSS',                             of: 'ratio', atMost: 1.5,  stretch: 1.36,  at: '70e2bf7', why: MEASURED },
  { bench: 'thousand', what: 'holdfast, requests',                             of: 'value', atMost: 8,                    at: 'edd5b78', why: 'a request has at most 8,000 characters of hostnames' },
  { bench: 'thousand', what: 'holdfast, wall relative to ddclient',            of: 'value', atMost: 0.9,                  at: 'edd5b78', why: 'it took 0.84 before' },
]

/** The figures of a benchmark with their bars. */
export function withBars(bench: string, figures: readonly Figure[]): readonly Figure[] {
  const rows = BARS.filter((row) => row.bench === bench)
  return figures.map((figure) => {
    const row = rows.find(({ what }) => what === figure.what)
    return row === undefined ? figure : { ...figure, bar: row }
  })
}

/** Figures that have a bar, and were not measured. */
export const notMeasured = (bench: string, figures: readonly Figure[]): readonly string[] =>
  BARS.filter((row) => row.bench === bench && figures.every(({ what }) => what !== row.what)).map(
    ({ what }) => what,
  )
