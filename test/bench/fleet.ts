import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, between, type Duration, hours, minutes } from '../../src/shared/base/time.ts'
import { CASES, type Pair, pairOf, type Run, ratioOf, steadyOf } from './fleet-cases.ts'
import { latenessFigures } from './fleet-lateness.ts'
import { type Line, type Picture, svgOf } from './fleet-picture.ts'
import { minuteRates, peakRate, SPAN } from './fleet-rates.ts'
import { AT } from './fleet-scenario.ts'
import type { Bench, Figure, Section } from './report.ts'

const CLIENTS = { full: 1_000_000, quick: 20_000 } as const
const PICTURE = join(import.meta.dirname, '../../docs/fleet.svg')

function figuresOf({ of, jittered, plain }: Pair, isQuick: boolean): readonly Figure[] {
  const peak = (run: Run, what: string, over: Duration): Figure => ({
    what: `${of.title}: ${what}`,
    value: peakRate(run.counts, over),
    unit: 'req/s',
    ratio: ratioOf(run, over),
  })
  // A small fleet makes a handful of requests a minute: chance alone would break the bar.
  const bar = isQuick || of.bar === undefined ? {} : { bar: of.bar }
  return [
    { ...peak(jittered, 'busiest minute', minutes(1)), ...bar },
    peak(plain, 'busiest minute without jitter', minutes(1)),
    { ...peak(jittered, 'busiest 10 s', SPAN), ...bar },
    peak(plain, 'busiest 10 s without jitter', SPAN),
    {
      what: `${of.title}: last retry after the outage`,
      value: between(AT.back, jittered.lastRetry) / minutes(1),
      unit: 'min',
    },
  ]
}

function pictureOf(pairs: readonly Pair[], steady: number): Picture {
  const [from, to] = [before(AT.fails, hours(1)), after(AT.back, hours(2))]
  const line = (name: string, colour: string, { counts }: Run): Line => ({
    name,
    colour,
    rates: minuteRates(counts, from, to),
  })
  const times = (run: Run): string => {
    const ratio = ratioOf(run, minutes(1))
    return `${ratio.toFixed(ratio < 10 ? 1 : 0)} ×`
  }
  return {
    title: `${CLIENTS.full.toLocaleString('en')} clients, and a service that is down for an hour`,
    description:
      'Requests per second over time, with jitter and without: from a service that answers 503, and from one ' +
      'that is not reached.',
    panels: pairs.map(({ of, jittered, plain }) => ({
      title: `The service ${of.title}`,
      caption: `busiest minute once back: ${times(jittered)} the steady rate; without jitter ${times(plain)}`,
      lines: [line('without jitter', '#e07b00', plain), line('with jitter', '#0b5fa5', jittered)],
    })),
    levels: [
      { name: 'steady', rate: steady },
      { name: '12 ×', rate: 12 * steady },
    ],
    outage: [between(from, AT.fails) / minutes(1), between(from, AT.back) / minutes(1)],
  }
}

const HOW =
  'Every client runs the code of `client/decide` on a virtual clock. It has one hostname. Its address changes once a day on ' +
  'average, at a random time, and the client notices within five minutes. The steady rate is the mean of the two hours ' +
  'before the service is down for an hour. The busiest minute is the greatest mean of 60 seconds in the three hours after ' +
  'the outage. Renumbered: a tenth of the clients get new addresses at the same moment, 20 minutes before the end of the ' +
  'outage, and notice immediately.'

const NOTES: readonly string[] = [
  'Ten steady seconds have 116 requests, plus or minus 11: the busiest ten seconds of three hours are partly chance.',
  'After 503, a client waits 1, 5 and 30 minutes, then 60: most clients return with the same intervals at which they arrived.',
  'A client that does not reach the service tries after 5, 15 and 45 s, 2 and 5 minutes, then every 5 to 10 minutes: the requests ' +
    'of an hour arrive within ten minutes.',
]

export const fleet: Bench = {
  name: 'fleet',
  async run({ isQuick }): Promise<Section> {
    const start = performance.now()
    const pairs = CASES.map((of) => pairOf(of, isQuick ? CLIENTS.quick : CLIENTS.full))
    const took = performance.now() - start
    const [first] = pairs
    if (first === undefined) throw new Error('there are no cases')
    const steady = steadyOf(first.jittered)
    if (!isQuick) writeFileSync(PICTURE, svgOf(pictureOf(pairs, steady)))
    return {
      title: 'A million clients after an outage',
      how: HOW,
      figures: [
        { what: 'steady rate', value: steady, unit: 'req/s' },
        ...pairs.flatMap((pair) => figuresOf(pair, isQuick)),
        ...latenessFigures(isQuick ? 200 : 10_000),
        { what: 'time to simulate eight fleets', value: took / 1000, unit: 's' },
        { what: 'peak memory', value: process.resourceUsage().maxRSS / 1024, unit: 'MiB' },
      ],
      notes: isQuick ? [`Only ${CLIENTS.quick} clients, too few for a limit.`, ...NOTES] : NOTES,
    }
  },
}
