import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instant, seconds } from '../../../src/base/time.ts'
import { exceeds, withEvent } from '../../../src/server/abuse/sliding-window.ts'

const LIMIT = { max: 3, window: seconds(10) }
const countAll = (timestamps: readonly number[]): readonly number[] =>
  timestamps.reduce<readonly number[]>((kept, at) => withEvent(kept, instant(at * 1000 + 999), LIMIT), [])

describe('a sliding window', () => {
  it('has timestamps in seconds, and one more than the limit', () => {
    expect(countAll([100, 101, 101])).toEqual([100, 101, 101])
    expect(exceeds(countAll([100, 101, 101]), LIMIT)).toBe(false)
    expect(countAll([100, 101, 101, 102, 103])).toEqual([101, 101, 102, 103])
    expect(exceeds(countAll([100, 101, 101, 102]), LIMIT)).toBe(true)
  })

  it('drops events older than the window', () => {
    expect(countAll([100, 105, 109])).toEqual([100, 105, 109])
    expect(countAll([100, 105, 110])).toEqual([105, 110])
    expect(countAll([100, 105, 200])).toEqual([200])
  })

  it('is sorted after the clock is set back', () =>
    expect(countAll([1000, 100, 101, 111])).toEqual([111, 1000]))

  it('contains only events of the window, in any order of arrival', () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 100, max: 130 }), { minLength: 1 }), (timestamps) => {
        const kept = countAll(timestamps)
        const now = timestamps.at(-1) ?? 0

        expect(kept).toEqual(kept.toSorted((a, b) => a - b))
        expect(kept.length).toBeLessThanOrEqual(LIMIT.max + 1)
        expect(kept.every((moment) => moment > now - 10)).toBe(true)
        expect(kept).toContain(now)
      }),
    ))
})
