import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { after, before, days, hours, instant, milliseconds, minutes } from '../../../src/shared/base/time.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { bucketLength, exceeds, type Limit, withEvent } from '../../../src/service/auth/sliding-window.ts'
import type { Buckets } from '../../../src/service/model/rows.ts'

const LIMITS = limitsOf({
  nochgLimit: 48,
  requestLimit: 30,
  refusalLimit: 10,
  badauthLimit: 20,
  longBlock: hours(24),
  shortBlock: minutes(30),
})
/** A window of ten minutes has buckets of ten seconds. */
const LIMIT = { max: 3, window: minutes(10) }

/** The times are in seconds. */
const countAll = (...times: readonly number[]): readonly (readonly [start: number, count: number])[] =>
  times
    .reduce<Buckets>((buckets, at) => withEvent(buckets, instant(at * 1000), LIMIT), [])
    .map(({ start, count }) => [start, count])

describe('a sliding window', () => {
  it.each<[string, number[], [start: number, count: number][]]>([
    ['counts events of one bucket together', [1000, 1003, 1009.999], [[1000, 3]]],
    [
      'has no bucket without events',
      [1000, 1030, 1031],
      [
        [1000, 1],
        [1030, 2],
      ],
    ],
    [
      'keeps a bucket that lies in it as a whole',
      [1000, 1009, 1599.999],
      [
        [1000, 2],
        [1590, 1],
      ],
    ],
    ['drops a bucket as soon as its start is outside', [1000, 1009, 1600], [[1600, 1]]],
    ['is empty after a pause', [1000, 1001, 9000], [[9000, 1]]],
    ['counts on in its bucket when the clock is set back in it', [1000, 1008, 1002], [[1000, 3]]],
    [
      'drops the buckets of the future, and keeps those before',
      [1000, 1500, 1300],
      [
        [1000, 1],
        [1300, 1],
      ],
    ],
    [
      'counts from zero when a clock two days ahead is set right',
      [1000, 173_800, 173_800, 1000],
      [[1000, 1]],
    ],
  ])('%s', (_, times, buckets) => expect(countAll(...times)).toEqual(buckets))

  it('is exceeded by one event more than the limit, in one bucket or several', () => {
    const of = (...counts: number[]) => counts.map((count, at) => ({ start: at * 10, count }))

    expect([of(), of(3), of(1, 2)].map((buckets) => exceeds(buckets, LIMIT))).toEqual([false, false, false])
    expect([of(4), of(1, 2, 1)].map((buckets) => exceeds(buckets, LIMIT))).toEqual([true, true])
  })
})

const WINDOWS = (['nochg', 'requests', 'refusals', 'badauth'] as const).map(
  (name) => [name, LIMITS[name], bucketLength(LIMITS[name]) * 1000] as const,
)

/** The time from one event to the next: bursts, every boundary, pauses, and a clock that is set back or ahead. */
function stepsOf({ window }: Limit, bucket: number): fc.Arbitrary<readonly number[]> {
  const near = (span: number) => fc.integer({ min: span - 1, max: span + 1 })
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 4, arbitrary: fc.nat(bucket) },
    { weight: 4, arbitrary: fc.nat(window / 8) },
    near(bucket),
    near(window - bucket),
    near(window),
    near(-bucket),
    fc.nat(window).map((span) => -span),
    fc.constantFrom<number>(days(2), before(instant(0), days(2))),
  )
  return fc.array(step, { minLength: 1, maxLength: 120 })
}

describe.each(WINDOWS)('the window of %s', (_, limit, bucket) => {
  const { window } = limit

  it('has at least sixty buckets, of whole seconds', () => {
    expect(window / bucket).toBeGreaterThanOrEqual(60)
    expect(bucket % 1000).toBe(0)
  })

  it('never has more events than the exact one, and never fewer than one that is a bucket shorter', () =>
    fc.assert(
      fc.property(fc.nat(window), stepsOf(limit, bucket), (offset, steps) => {
        let now = instant(Date.UTC(2026, 0, 1) + offset)
        let [buckets, exact, shorter]: [Buckets, readonly number[], readonly number[]] = [[], [], []]
        for (const step of steps) {
          now = instant(now + step)
          buckets = withEvent(buckets, now, limit)
          // What is in the future was counted before the clock was set back. A part of a bucket is not known apart.
          exact = [...exact.filter((at) => at > now - window && at < now + bucket), now]
          shorter = [...shorter.filter((at) => at >= now - window + bucket && at <= now), now]
          const count = buckets.reduce((sum, each) => sum + each.count, 0)

          expect(count).toBeLessThanOrEqual(exact.length)
          expect(count).toBeGreaterThanOrEqual(shorter.length)
          expect(buckets.length).toBeLessThanOrEqual(60)
          expect(buckets).toEqual(buckets.toSorted((a, b) => a.start - b.start))
        }
      }),
      { numRuns: runs(100) },
    ))

  it('is exceeded no earlier than the exact one, and no later than one that is a bucket shorter', () =>
    fc.assert(
      fc.property(fc.nat(30), stepsOf(limit, bucket), (max, steps) => {
        const few = { ...limit, max }
        let clock = instant(Date.UTC(2026, 0, 1))
        const times = steps.map((step) => (clock = after(clock, milliseconds(Math.abs(step)))))
        const countSince = (from: (now: number) => number): readonly number[] =>
          times.map((now, n) => times.slice(0, n + 1).filter((at) => at >= from(now)).length)
        const exact = countSince((now) => now - window + 1)
        const shorter = countSince((now) => now - window + bucket)
        let buckets: Buckets = []
        const isExceeded = times.map((at) => exceeds((buckets = withEvent(buckets, at, few)), few))

        const ends = [exact.map((n) => n > max), isExceeded, shorter.map((n) => n > max)]
        const order = ends.map((all) => (all.includes(true) ? all.indexOf(true) : Infinity))
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }),
    ))
})
