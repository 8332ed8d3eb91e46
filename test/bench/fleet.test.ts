import { describe, expect, it } from 'vitest'
import { type Duration, type Instant, between, instant, minutes } from '../../src/base/time.ts'
import { isConfirmed, look, settledClient } from './fleet-client.ts'
import { emptyQueue } from './fleet-queue.ts'
import { random } from './fleet-random.ts'
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

/** How long after a request that failed its client made the next. */
function waits(sent: readonly Sent[]): readonly Duration[] {
  const failed = new Map<number, Instant>()
  return sent.flatMap(({ client, at }) => {
    const last = failed.get(client)
    if (isDown(at)) failed.set(client, at)
    else failed.delete(client)
    return last === undefined ? [] : [between(last, at)]
  })
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
    'told 503 sends nothing for half an hour: $share, jitter $hasJitter',
    (scenario) => {
      const all = waits(ran(scenario).sent)

      expect(all.length).toBeGreaterThan(200)
      expect(Math.min(...all)).toBeGreaterThanOrEqual(minutes(30))
    },
  )

  it.each(['refuses', 'unreached'] as const)(
    'comes back with less than three times its steady rate: $0',
    (outage) => {
      const counts = countsOf(ran({ clients: 20_000, outage }).sent)
      const steady = meanRate(counts, AT.steady, AT.fails)

      // So few clients need ten minutes for what a million does in a quarter of a minute.
      expect(steady).toBeCloseTo(20_000 / 86_400, 1)
      expect(peakRate(counts, minutes(10)) / steady).toBeLessThan(3)
    },
  )

  it('does the same twice', () => expect(ran({}).sent).toEqual(ran({}).sent))
})

it('a look that sees what is confirmed already sends nothing and changes nothing', () => {
  const settled = settledClient(AT.start)
  const service = () => {
    throw new Error('nobody asked')
  }

  expect(look(settled, { now: AT.fails, dice: () => 0, service })).toEqual(settled)
})

it('what is to happen is taken in its order', () => {
  const [queue, chance] = [emptyQueue(), random(7)]
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
