import type { Duration, Instant } from '../../src/shared/base/time.ts'
import { type Counts, count, meanRate, noCounts, peakRate } from './fleet-rates.ts'
import { simulate } from './fleet-run.ts'
import { AT, type Scenario } from './fleet-scenario.ts'
import type { Bar } from './report.ts'

export interface Case extends Pick<Scenario, 'outage' | 'share'> {
  readonly title: string
  readonly bar?: Bar
}

/** What any service can take for some minutes; a service that is away for an hour holds up an hour of changes. */
const BAR: Bar = { of: 'ratio', atMost: 12 }

/** Only everyday changes have a bar: a client cannot know that others got new addresses in the same second. */
// biome-ignore format: a table
export const CASES: readonly Case[] = [
  { outage: 'refuses',   share: 0,   title: 'answers 503', bar: BAR },
  { outage: 'refuses',   share: 0.1, title: 'answers 503, a tenth renumbered' },
  { outage: 'unreached', share: 0,   title: 'is not reached', bar: BAR },
  { outage: 'unreached', share: 0.1, title: 'is not reached, a tenth renumbered' },
]

export interface Run {
  readonly counts: Counts
  /** Of a client whose request before had failed. */
  readonly lastRetry: Instant
}

function runOf(scenario: Scenario): Run {
  const counts = noCounts()
  let lastRetry = AT.start
  simulate(scenario, ({ at, isRetry }) => {
    count(counts, at)
    if (isRetry) lastRetry = at
  })
  return { counts, lastRetry }
}

/** One case twice: the same changes with random, and with random that always show nothing. */
export interface Pair {
  readonly of: Case
  readonly jittered: Run
  readonly plain: Run
}

export const pairOf = (of: Case, clients: number): Pair => ({
  of,
  jittered: runOf({ ...of, clients, hasJitter: true }),
  plain: runOf({ ...of, clients, hasJitter: false }),
})

export const steadyOf = ({ counts }: Run): number => meanRate(counts, AT.steady, AT.fails)
export const ratioOf = (run: Run, over: Duration): number => peakRate(run.counts, over) / steadyOf(run)
