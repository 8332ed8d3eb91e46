import { describe, expect, it } from 'vitest'
import { between, hours, type Instant, instant, minutes, seconds } from '../../src/shared/base/time.ts'
import { isConfirmed, look, settledClient } from './fleet-client.ts'
import { lateness } from './fleet-lateness.ts'
import { emptyQueue } from './fleet-queue.ts'
import { seededRandom } from './fleet-random.ts'
import { type Counts, count, meanRate, noCounts, peakRate } from './fleet-rates.ts'
import { type Fleet, type Sent, simulate } from './fleet-run.ts'
import { AT, type Scenario } from './fleet-scenario.ts'
import { isDown } from './fleet-service.ts'

const SMALL: Scenario = { clients: 5000, outage: 'refuses', hasJitter: true, share: 0 }

interface Ran {
  readonly fleet: Fleet
  readonly sent: readonly Sent[]
}

function ran(scenario: Partial<Scenario>): Ran {
  const sent: Sent[] = []
  const fleet = simulate({ ...SMALL, ...scenario }, (one) => sent.push(one))
  return { fleet, sent }
}

function countsOf(sent: readonly Sent[]): Counts {
  const counts = noCounts()
  for (const { at } of sent) count(counts, at)
  return counts
}

// biome-ignore format: a table
const SCENARIOS = [
  { outage: 'refuses',   share: 0,   hasJitter: true },
  { outage: 'refuses',   share: 0,   hasJitter: false },
  { outage: 'refuses',   share: 0.1, hasJitter: true },
  { outage: 'unreached', share: 0,   hasJitter: true },
  { outage: 'unreached', share: 0,   hasJitter: false },
  { outage: 'unreached', share: 0.1, hasJitter: true },
] as const

describe('a fleet', () => {
  it.each(SCENARIOS)(
    'that changed is confirmed in the end: $outage, $share, jitter $hasJitter',
    (scenario) => {
      const { fleet, sent } = ran(scenario)
      const clients = [...fleet.values()]

      expect(sent.filter(({ isRetry }) => isRetry).length).toBeGreaterThan(200)
      expect(clients.filter(({ changes }) => changes === 0)).toEqual([])
      expect(clients.filter((client) => !isConfirmed(client))).toEqual([])
    },
  )

  it.each(SCENARIOS.filter(({ outage }) => outage === 'refuses'))(
    'waits at least 1, 5, 30 and 60 minutes after HTTP 503: $share, jitter $hasJitter',
    (scenario) => {
      const inRow = new Map<number, number>()
      const minWaits = [1, 5, 30, 60, 120].map(minutes)
      const last = new Map<number, Instant>()
      for (const { client, at } of ran(scenario).sent) {
        const before = last.get(client)
        const nth = inRow.get(client) ?? 0
        if (before !== undefined && nth > 0)
          expect(between(before, at)).toBeGreaterThanOrEqual(minWaits[nth - 1] ?? 0)
        last.set(client, at)
        inRow.set(client, isDown(at) ? nth + 1 : 0)
      }
      expect(Math.max(...inRow.values(), 0)).toBe(0)
    },
  )

  it.each([
    ['refuses', 3],
    ['unreached', 9],
  ] as const)('returns after %s with less than %i times its steady rate', (outage, maxRatio) => {
    const counts = countsOf(ran({ clients: 20_000, outage }).sent)
    const steady = meanRate(counts, AT.steady, AT.fails)

    // So few clients need ten minutes for what a million does in a quarter of a minute.
    expect(steady).toBeCloseTo(20_000 / 86_400, 1)
    expect(peakRate(counts, minutes(10)) / steady).toBeLessThan(maxRatio)
  })

  it('is right within seconds or minutes after an outage, by how long that was', () => {
    const last = (...args: Parameters<typeof lateness>) => (lateness(...args).at(-1) ?? 0) / 1000

    expect(last(seconds(30), 'its beginning', 300)).toBeLessThanOrEqual(45)
    expect(last(minutes(3), 'any moment', 300)).toBeLessThanOrEqual(150)
    expect(last(hours(1), 'any moment', 300)).toBeLessThanOrEqual(600)
  })

  it('does the same twice', () => expect(ran({}).sent).toEqual(ran({}).sent))
})

it('a look that finds the confirmed address sends nothing and changes nothing', () => {
  const settled = settledClient(AT.start)
  const service = () => {
    throw new Error('there was no request')
  }

  expect(look(settled, { now: AT.fails, random: () => 0, service })).toEqual(settled)
})

it('events are processed in their order', () => {
  const [queue, chance] = [emptyQueue(), seededRandom(7)]
  const happenings = Array.from({ length: 1000 }, (_, nth) => ({
    at: instant(Math.floor(chance() * 100)),
    client: nth,
    what: chance() < 0.5 ? ('change' as const) : ('look' as const),
  }))
  for (const one of happenings) queue.put(one)

  const taken = happenings.map(() => queue.take())

  expect(taken).toEqual(happenings.toSorted((a, b) => a.at - b.at || a.client - b.client))
  expect(queue.take()).toBeUndefined()
})
